// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/executor.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/enum_names.h"
#include "exec/initial_weights.h"
#include "exec/live_buffers.h"
#include "exec/op_table.h"
#include "exec/plan_checks.h"
#include "exec/slab.h"
#include "exec/weight_views.h"
#include "ops/threads.h"

namespace slipway {

struct Executor::State {
    State(const StepPlan &planIn, const ModelSpec &modelIn, Communicator &communicatorIn, Slab slabIn, ExecutorOptions options)
        : plan(planIn), model(modelIn), communicator(communicatorIn), batch(batchShape(plan)), slab(std::move(slabIn)), live(plan),
          ropeTable(batch.seqLen, model.headDim, model.ropeTheta), weights(weightViews(plan, model, live, slab.data())),
          threads(options.threads > 0 ? options.threads : std::max(1, ops::availableCores() / communicator.ranksInProcess()))
    {
        ops::useThreads(threads);
        initialiseWeights(weights, model.layers, options.seed);
    }

    [[nodiscard]] StepContext context() const
    {
        const auto tokens = static_cast<double>(tokensPerStep()) * communicator.size();
        return {.communicator = communicator, .ropeTable = ropeTable, .normEps = static_cast<float>(model.normEps), .lossScale = static_cast<float>(1.0 / tokens)};
    }
    [[nodiscard]] std::int64_t tokensPerStep() const { return plan.gradAccum * batch.tokens(); }

    void begin()
    {
        ops::useThreads(threads);
        live.freeTransient();
        live.arena().resetPeak();
    }

    void bear(const Visit &visit)
    {
        for (const Use &use : visit.op.births)
            live.bear(use, visit.slot.index, visit.microBatch);
    }

    void tell(const Visit &visit, bool before)
    {
        if (observer)
            observer({visit.op, visit.slot, visit.microBatch, before, live.aliveBytes()});
    }

    void execute(const Visit &visit, StepContext &context, const StepInput &input)
    {
        const Kernel &kernel = plan.at(visit.op.kernel);
        OpCall call{.kernel = kernel, .accumulate = visit.op.accumulate, .readCount = visit.op.reads.size()};
        const auto address = [&](const Use &use) { return slab.data() + live.offset(use, visit.slot.index, visit.microBatch); };
        std::transform(visit.op.reads.begin(), visit.op.reads.end(), call.reads.begin(), address);
        std::transform(visit.op.writes.begin(), visit.op.writes.end(), call.writes.begin(), address);
        if (kernel.kind == OpKind::LoadBatch) {
            const auto tokens = static_cast<std::size_t>(batch.tokens()), at = static_cast<std::size_t>(visit.microBatch) * tokens;
            context.tokens = input.tokens.subspan(at, tokens);
            context.targets = input.targets.subspan(at, tokens);
        }
        tell(visit, true);
        opFunction(kernel.kind)(call, context);
        tell(visit, false);
    }

    [[nodiscard]] float valueOf(std::string_view name)
    {
        const auto buffer = std::find_if(plan.buffers.begin(), plan.buffers.end(), [&](const Buffer &b) { return b.name == name; });
        const Use use{.buffer = static_cast<BufferId>(buffer - plan.buffers.begin())};
        return *reinterpret_cast<const float *>(slab.data() + live.offset(use, 0, 0));
    }

    StepPlan plan;
    ModelSpec model;
    Communicator &communicator;
    BatchShape batch;
    Slab slab;
    LiveBuffers live;
    ops::RopeTable ropeTable;
    std::vector<WeightView> weights;
    int threads;
    std::function<void(const OpEvent &)> observer;
};

namespace {

// Where an op's time counts to.
Seconds &phaseOf(PhaseSeconds &seconds, const Op &op, CostClass cost)
{
    if (cost == CostClass::Communication)
        return seconds.communication;
    switch (op.phase) {
    case Phase::Forward: return seconds.forward;
    case Phase::Backward:
    case Phase::Recompute: return seconds.backward;
    case Phase::Optimizer: return seconds.optimizer;
    }
    return seconds.optimizer;
}

Seconds secondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

Executor::Executor(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Executor::~Executor() = default;

Result<std::unique_ptr<Executor>> Executor::create(const StepPlan &plan, const ModelSpec &model, Communicator &communicator, ExecutorOptions options)
{
    if (const Result<void> executable = checkExecutable(plan, communicator.size()); !executable)
        return executable.error();
    Result<Slab> slab = Slab::map(arenaReach(plan));
    if (!slab)
        return slab.error();
    return std::unique_ptr<Executor>(new Executor(std::make_unique<State>(plan, model, communicator, std::move(*slab), options)));
}

Result<StepOutcome> Executor::step(StepInput input, const OptimizerStep &optimizer)
{
    State &s = *m_state;
    if (const Result<void> valid = checkInput(input, s.tokensPerStep(), s.model.vocab); !valid)
        return valid.error();
    s.begin();
    StepContext context = s.context();
    context.optimizer = optimizer;
    StepOutcome outcome;
    forEachOp(s.plan, Repetitions::All, [&](const Visit &visit) {
        const auto start = std::chrono::steady_clock::now();
        s.bear(visit);
        s.execute(visit, context, input);
        for (const Use &use : visit.op.frees)
            s.live.free(use, visit.slot.index, visit.microBatch);
        phaseOf(outcome.seconds, visit.op, s.plan.at(visit.op.kernel).cost) += secondsSince(start);
    });
    outcome.loss = static_cast<double>(s.valueOf("loss"));
    outcome.gradNorm = std::sqrt(static_cast<double>(s.valueOf("gradient_norm2")));
    outcome.allocatedPeak = s.live.arena().peakAllocated();
    outcome.reservedPeak = s.live.arena().reserved();
    return outcome;
}

// Backward ops are passed over, but what they would have freed is freed.
Result<double> Executor::evaluate(StepInput input)
{
    State &s = *m_state;
    if (const Result<void> valid = checkInput(input, s.tokensPerStep(), s.model.vocab); !valid)
        return valid.error();
    s.begin();
    StepContext context = s.context();
    forEachOp(s.plan, Repetitions::All, [&](const Visit &visit) {
        if (visit.op.phase == Phase::Forward) {
            s.bear(visit);
            s.execute(visit, context, input);
        }
        for (const Use &use : visit.op.frees) {
            if (s.plan.at(use.buffer).scope != Scope::Run && s.live.alive(use, visit.slot.index, visit.microBatch))
                s.live.free(use, visit.slot.index, visit.microBatch);
        }
    });
    s.live.freeTransient();
    float loss = s.valueOf("loss");
    s.communicator.allReduceSum({&loss, 1});
    return static_cast<double>(loss);
}

const std::vector<WeightView> &Executor::weights() const { return m_state->weights; }
std::int64_t Executor::microBatch() const { return m_state->batch.sequences; }
std::int64_t Executor::seqLen() const { return m_state->batch.seqLen; }
std::int64_t Executor::tokensPerStep() const { return m_state->tokensPerStep(); }
void Executor::setObserver(std::function<void(const OpEvent &)> observer) { m_state->observer = std::move(observer); }
std::span<const std::byte> Executor::arenaBytes() const { return m_state->slab.bytes(); }

std::span<std::byte> Executor::bytesOf(const Use &use, const Slot &slot, int microBatch)
{
    return {m_state->slab.data() + m_state->live.offset(use, slot.index, microBatch), static_cast<std::size_t>(m_state->live.bytesFrom(use, slot.index))};
}

} // namespace slipway
