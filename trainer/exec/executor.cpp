// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/executor.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/control_group.h"
#include "comm/count_sums.h"
#include "cpu_ops/threads.h"
#include "exec/backend.h"
#include "exec/first_collectives.h"
#include "exec/host_weights.h"
#include "exec/initial_weights.h"
#include "exec/group_communicators.h"
#include "exec/plan_checks.h"
#include "exec/step_constants.h"
#include "exec/step_runner.h"
#include "plan/data_parallel.h"
#include "plan/mesh.h"

namespace slipway {

struct Executor::State {
    State(const StepPlan &planIn, const ModelSpec &modelIn, Communicator &communicatorIn, GroupCommunicators joinedIn,
        std::unique_ptr<Backend> backendIn, std::optional<MappedMemory> copies, std::vector<WeightView> views,
        const ExecutorOptions &options)
        : plan(planIn),
          model(modelIn),
          communicator(communicatorIn),
          batch(batchShape(plan)),
          meshCoordinate(slipway::coordinateOf(plan, communicator.rank())),
          backend(std::move(backendIn)),
          joined(std::move(joinedIn)),
          constants(plan, model, meshCoordinate, joined.all, options.zLoss),
          runner(plan, *backend, communicator, meshCoordinate.shard, [this] { weights.waitForDownload(); }),
          weights(plan, *backend, runner, std::move(views), std::move(copies)),
          threads(options.threads > 0 ? options.threads : std::max(1, usableThreads() / communicator.localSize()))
    {
        cpu_ops::useThreads(threads);
        if (!backend->onHost())
            runner.prepare(
                constants.context(static_cast<double>(tokensPerStep()) * plan.mesh.dataRanks()), tokensPerStep());
        // Weights are initialized one by one, so that the host never holds more than one weight of a device.
        for (const WeightView &weight : weights.views()) {
            communicator.reportProgress("initializing the weights");
            initializeWeights({&weight, 1}, model.layers, options.seed);
            if (weight.average)
                std::copy_n(weight.master, weight.count, weight.average);
            weights.upload(weight, HostWeights::States::Weights);
            weights.release();
        }
        copyAllMastersToParameters();
    }

    // Afterwards, the copies on the host use no memory.
    void upload()
    {
        weights.waitForDownload();
        for (const WeightView &weight : weights.views()) {
            communicator.reportProgress("copying the weights to the device");
            weights.upload(weight, HostWeights::States::All);
        }
        weights.release();
        copyAllMastersToParameters();
    }

    void copyAllMastersToParameters()
    {
        // Before the all-gathers, because a rank must not wait on its device for a rank that is not ready.
        communicator.barrier();
        for (const ParameterUnit &unit : plan.units) {
            for (int layer = 0; layer < (unit.perLayer ? plan.layers : 1); ++layer)
                copyMastersToParameters(unit, layer);
        }
    }

    // Copies this rank's master weights to the parameters that its ops read.
    void copyMastersToParameters(const ParameterUnit &unit, int layer)
    {
        const Use part = ownPart(plan, unit, unit.parameter);
        if (unit.master != unit.parameter)
            backend->castToBf16(
                runner.address({.buffer = unit.master}, layer, 0), runner.address(part, layer, 0), unit.shardElements);
        if (part.shardStride == 0)
            return;
        const DType type = plan.at(unit.parameter).type;
        const Kernel kernel{.kind = OpKind::AllGather,
            .type = type,
            .m = 1,
            .n = unit.padded,
            .messageBytes = unit.padded * sizeOf(type),
            .group = shardGroupOf(plan, unit)};
        OpCall call{.kernel = kernel, .readCount = 1};
        call.reads[0] = runner.address(part, layer, 0);
        call.writes[0] = runner.address({.buffer = unit.parameter}, layer, 0);
        backend->run(call, constants.context());
    }

    // Swaps the master weights and their moving averages, and updates the parameters that ops read.
    void exchangeAverages()
    {
        weights.waitForDownload();
        for (const ParameterUnit &unit : plan.units) {
            const Kernel kernel{.kind = OpKind::Exchange, .type = DType::Fp32, .m = 1, .n = unit.shardElements};
            for (int layer = 0; unit.average && layer < (unit.perLayer ? plan.layers : 1); ++layer) {
                OpCall call{.kernel = kernel};
                call.writes[0] = runner.address(ownPart(plan, unit, unit.master), layer, 0);
                call.writes[1] = runner.address({.buffer = *unit.average}, layer, 0);
                backend->run(call, constants.context());
            }
        }
        copyAllMastersToParameters();
    }

    // If some targets are ignored, the number of the others is summed over the ranks.
    [[nodiscard]] double countedTokens(const StepInput &input) const
    {
        if (input.documentStarts.empty())
            return static_cast<double>(tokensPerStep()) * plan.mesh.dataRanks();
        std::int64_t counted =
            std::count_if(input.targets.begin(), input.targets.end(), [](std::int32_t target) { return target >= 0; });
        sumCounts(communicator, {&counted, 1});
        counted /= communicator.size() / plan.mesh.dataRanks(); // number of ranks with the same data
        return std::max(1.0, static_cast<double>(counted));
    }

    // On a device, vanilla attention and learned positions do not support separate documents, and its ops read document
    // tables.
    [[nodiscard]] bool separatesDocuments() const
    {
        const auto cannot = [](const Kernel &k) {
            return k.kind == OpKind::VanillaAttention || k.kind == OpKind::AddPositions;
        };
        return backend->onHost() || (hasDocumentTables(plan) && std::ranges::none_of(plan.kernels, cannot));
    }

    [[nodiscard]] std::int64_t tokensPerStep() const { return plan.gradAccum * batch.tokens(); }

    void begin()
    {
        cpu_ops::useThreads(threads);
        backend->beginStep();
    }

    // A replayed step cannot wait for the download before it updates the weights, so that is done first.
    bool replay()
    {
        if (backend->hasGraph())
            weights.waitForDownload();
        return backend->replays(!runner.isObserved());
    }

    // The number of rows that each expert has received so far; empty if the model has no experts.
    [[nodiscard]] std::vector<std::int64_t> expertLoad() const
    {
        std::vector<std::int64_t> load(static_cast<std::size_t>(model.experts.count));
        if (!load.empty())
            backend->read(runner.addressOf("expert_load"), std::as_writable_bytes(std::span(load)));
        return load;
    }

    // Each expert's fraction of all rows since `before`, over all ranks.
    [[nodiscard]] std::vector<double> expertShares(const std::vector<std::int64_t> &before) const
    {
        std::vector<std::int64_t> rows = expertLoad();
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i] -= before[i];
        if (!rows.empty())
            sumCounts(communicator, rows);
        const double all = std::max(1.0, std::accumulate(rows.begin(), rows.end(), 0.0));
        std::vector<double> shares(rows.size());
        std::transform(rows.begin(), rows.end(), shares.begin(),
            [all](std::int64_t own) { return static_cast<double>(own) / all; });
        return shares;
    }

    [[nodiscard]] double valueAt(const std::byte *address)
    {
        float value = 0;
        backend->read(address, std::as_writable_bytes(std::span(&value, 1)));
        return static_cast<double>(value);
    }

    StepPlan plan;
    ModelSpec model;
    Communicator &communicator;
    BatchShape batch;
    MeshCoordinate meshCoordinate;
    std::unique_ptr<Backend> backend;
    GroupCommunicators joined;
    StepConstants constants;
    StepRunner runner;
    HostWeights weights;
    int threads;
    std::vector<std::byte> seen; // result of the last call of bytesOf()
};

Executor::Executor(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Executor::~Executor() = default;

Result<std::unique_ptr<Executor>> Executor::create(
    const StepPlan &plan, const ModelSpec &model, Communicator &communicator, const ExecutorOptions &options)
{
    if (const Result<void> executable = checkExecutable(plan, communicator.size(), options.backend); !executable)
        return executable.error();
    GroupCommunicators joined(plan, communicator);
    const MeshCoordinate coordinate = coordinateOf(plan, communicator.rank());
    Result<std::unique_ptr<Backend>> backend = makeBackend(options.backend, plan, model, requiredArenaBytes(plan),
        {.localRank = communicator.localRank(),
            .tensorRank = coordinate.tensor,
            .contextRank = coordinate.context,
            .ranksInProcess = communicator.ranksInProcess(),
            .deterministic = options.deterministic,
            .ownKernels = options.ownKernels,
            .gemmLibrary = options.gemmLibrary,
            .gemmAlgorithms = options.gemmAlgorithms,
            .graphs = options.graphs,
            .firstUse = firstCollectives(plan, joined.all),
            .emulatedStreams = options.emulatedStreams,
            .reportProgress = [&communicator](const char *doing) { communicator.reportLoading(doing); },
            .reportDeviceWait = [&communicator] { communicator.reportDeviceWait(); },
            .onAnyRank =
                [&communicator](bool own) {
                    float any = own ? 1 : 0;
                    communicator.allReduceMax({&any, 1});
                    return any > 0;
                }});
    if (!backend)
        return backend.error();
    std::vector<WeightView> views = weightViews(plan, model, coordinate);
    Result<std::optional<MappedMemory>> copies = HostWeights::mapCopies(plan, views, (*backend)->onHost());
    if (!copies)
        return copies.error();
    return std::unique_ptr<Executor>(new Executor(std::make_unique<State>(plan, model, communicator, std::move(joined),
        std::move(*backend), std::move(*copies), std::move(views), options)));
}

Result<StepOutcome> Executor::step(
    StepInput input, const OptimizerStep &optimizer, const std::function<void()> &meanwhile)
{
    State &s = *m_state;
    if (const Result<void> valid = checkInput(input, s.batch, s.tokensPerStep(), s.model.vocab, s.separatesDocuments());
        !valid)
        return valid.error();
    StepContext context = s.constants.context(s.countedTokens(input));
    context.optimizer = optimizer;
    const StagedInput staged = s.backend->stage(input, optimizer);
    s.begin();
    const std::vector<std::int64_t> load = s.expertLoad();
    StepOutcome outcome{.replayed = s.replay()};
    if (!outcome.replayed)
        s.runner.runStep(context, staged);
    s.backend->fetch({s.runner.loss(), s.runner.gradientNorm2()});
    if (meanwhile && !s.backend->onHost())
        meanwhile();
    outcome.seconds = s.backend->endStep();
    for (Communicator *const group : s.joined.all) {
        if (DeviceGroup *const device = group->onDevice())
            device->check();
    }
    const auto [loss, norm2] = s.backend->fetched();
    outcome.loss = static_cast<double>(loss);
    outcome.gradNorm = std::sqrt(static_cast<double>(norm2));
    outcome.expertShares = s.expertShares(load);
    outcome.allocatedPeak = s.runner.allocatedPeak();
    outcome.reservedPeak = s.runner.reservedPeak();
    return outcome;
}

Result<double> Executor::evaluate(StepInput input)
{
    State &s = *m_state;
    if (const Result<void> valid = checkInput(input, s.batch, s.tokensPerStep(), s.model.vocab, s.separatesDocuments());
        !valid)
        return valid.error();
    StepContext context = s.constants.context(s.countedTokens(input));
    const StagedInput staged = s.backend->stage(input, {});
    s.begin();
    s.runner.runForward(context, staged);
    const double loss = s.valueAt(s.runner.addressOf("loss"));
    s.runner.freeTransient();
    return loss;
}

const std::vector<WeightView> &Executor::weights() const { return m_state->weights.views(); }
void Executor::uploadWeights() { m_state->upload(); }
void Executor::exchangeAverages() { m_state->exchangeAverages(); }
void Executor::releaseCopies() { m_state->weights.release(); }
void Executor::beginDownload() { m_state->weights.beginDownload(); }
void Executor::finishDownload() { m_state->weights.finishDownload(); }
bool Executor::weightsAreCopies() const { return m_state->weights.areCopies(); }

void Executor::downloadWeights()
{
    beginDownload();
    finishDownload();
}

std::optional<OutsideMemory> Executor::outsideMemory() const { return m_state->backend->outsideMemory(); }
std::string Executor::gemmAlgorithms() const { return m_state->backend->gemmAlgorithms(); }
std::vector<std::string> Executor::warnings() const { return m_state->backend->warnings(); }
std::string Executor::description() const { return m_state->backend->description(); }
std::int64_t Executor::microBatch() const { return m_state->batch.sequences; }
std::int64_t Executor::seqLen() const { return m_state->batch.seqLen; }
std::int64_t Executor::tokensPerStep() const { return m_state->tokensPerStep(); }
void Executor::setObserver(std::function<void(const OpEvent &)> observer)
{
    m_state->runner.setObserver(std::move(observer));
}

std::span<const std::byte> Executor::arenaBytes() const
{
    return m_state->backend->onHost() ? m_state->backend->arena() : std::span<const std::byte>();
}

std::span<std::byte> Executor::bytesOf(const Use &use, const Slot &slot, int microBatch)
{
    State &s = *m_state;
    const auto size = static_cast<std::size_t>(s.runner.bytesFrom(use, slot.index));
    if (s.backend->onHost())
        return {s.runner.address(use, slot.index, microBatch), size};
    s.seen.resize(size);
    s.backend->read(s.runner.address(use, slot.index, microBatch), s.seen);
    return s.seen;
}

} // namespace slipway
