// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/executor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/enum_names.h"
#include "exec/backend.h"
#include "exec/first_collectives.h"
#include "exec/initial_weights.h"
#include "exec/live_buffers.h"
#include "exec/model_tables.h"
#include "exec/op_table.h"
#include "exec/plan_checks.h"
#include "exec/slab.h"
#include "exec/step_order.h"
#include "exec/weight_views.h"
#include "plan/data_parallel.h"
#include "plan/mesh.h"
#include "cpu_ops/threads.h"

namespace slipway {

namespace {

// Where an op's time counts to.
Part partOf(const Op &op, CostClass cost)
{
    if (cost == CostClass::Communication)
        return &PhaseSeconds::communication;
    switch (op.phase) {
    case Phase::Forward:
        return &PhaseSeconds::forward;
    case Phase::Backward:
    case Phase::Recompute:
        return &PhaseSeconds::backward;
    case Phase::Optimizer:
        return &PhaseSeconds::optimizer;
    }
    return &PhaseSeconds::optimizer;
}

// ALiBi's, of this rank's heads.
std::vector<float> ownSlopes(const ModelSpec &model, int ranks, int place)
{
    const std::vector<float> all = alibiSlopes(model);
    const std::size_t share = all.size() / static_cast<std::size_t>(ranks),
                      first = share * static_cast<std::size_t>(place);
    return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(first + share)};
}

std::vector<int> shardsOf(const StepPlan &plan)
{
    std::vector<int> shards;
    for (const ParameterUnit &unit : plan.units)
        shards.push_back(shardsPerPart(plan, unit));
    return shards;
}

// As the plan counts them: the whole world, or the ranks of this one's group. Messages with an order of their own have
// a communicator of their own, too.
struct JoinedGroups {
    JoinedGroups(const StepPlan &plan, Communicator &world)
    {
        for (const Group &group : plan.groups) {
            if (group.size == world.size() && group.axis != kGradientAxis) {
                all.push_back(&world);
                continue;
            }
            const int place = world.rank() / group.stride % group.size;
            own.push_back(world.split(world.rank() - place * group.stride));
            all.push_back(own.back().get());
        }
    }
    std::vector<std::unique_ptr<Communicator>> own;
    std::vector<Communicator *> all;
};

} // namespace

struct Executor::State {
    // `hostCopies` holds the weights of a device's arena and their states, one after the other.
    State(const StepPlan &planIn, const ModelSpec &modelIn, Communicator &communicatorIn, JoinedGroups joinedIn,
        std::unique_ptr<Backend> backendIn, std::optional<Slab> hostCopiesIn, std::vector<WeightView> weightsIn,
        ExecutorOptions options)
        : plan(planIn),
          model(modelIn),
          communicator(communicatorIn),
          batch(batchShape(plan)),
          backend(std::move(backendIn)),
          hostCopies(std::move(hostCopiesIn)),
          meshPlace(slipway::placeOf(plan, communicator.rank())),
          live(plan, meshPlace.shard),
          order(orderOf(plan, meshPlace.shard)),
          ropes(ropeTables(model, batch.seqLen)),
          slopes(ownSlopes(model, plan.tensorRanks, meshPlace.tensor)),
          zLoss(static_cast<float>(options.zLoss)),
          runsOfUnits(unitRuns(plan)),
          shardsOfUnits(shardsOf(plan)),
          weights(std::move(weightsIn)),
          threads(options.threads > 0 ? options.threads
                                      : std::max(1, cpu_ops::availableCores() / communicator.ranksInMachine())),
          joined(std::move(joinedIn))
    {
        cpu_ops::useThreads(threads);
        pointViews();
        if (!backend->onHost())
            prepareOps();
        // One after the other, so that the host never holds more than one of a device's weights.
        for (const WeightView &weight : weights) {
            communicator.reportProgress("initialising the weights");
            initialiseWeights({&weight, 1}, model.layers, options.seed);
            if (weight.average)
                std::copy_n(weight.master, weight.count, weight.average);
            if (hostCopies)
                uploadCopy(weight, Upload::Weights);
            giveCopiesBack();
        }
        spreadAll();
    }

    [[nodiscard]] std::byte *address(const Use &use, int slotIndex, int microBatch) const
    {
        return backend->arena().data() + live.offset(use, slotIndex, microBatch);
    }

    [[nodiscard]] std::byte *placeOf(const WeightState &state, const WeightView &weight) const
    {
        return address(state.place, weight.layer, 0);
    }

    void pointViews()
    {
        float *copy = hostCopies ? reinterpret_cast<float *>(hostCopies->data()) : nullptr;
        for (WeightView &weight : weights) {
            for (const WeightState &state : weightStates(plan, weight)) {
                weight.*state.values = copy ? copy : reinterpret_cast<float *>(placeOf(state, weight));
                copy += copy ? weight.count : 0;
            }
        }
    }

    enum class Upload { Weights, All }; // a new arena is zero, as the first states of an optimizer are

    void uploadCopy(const WeightView &weight, Upload what)
    {
        std::vector<float> laidOut;
        for (const WeightState &state : weightStates(plan, weight)) {
            if (what == Upload::Weights && state.values != &WeightView::master && state.values != &WeightView::average)
                continue;
            const float *const values = weight.*state.values;
            std::span<const float> source(values, static_cast<std::size_t>(weight.count));
            if (weight.extent() != weight.count) {
                laidOut.assign(static_cast<std::size_t>(weight.extent()), 0.0f); // what fills up widths stays 0
                weight.forEachRun([&](std::int64_t first, std::int64_t place, std::int64_t count) {
                    std::copy_n(values + first, count, laidOut.begin() + place);
                });
                source = laidOut;
            }
            backend->write(std::as_bytes(source), placeOf(state, weight));
        }
    }

    // What the host held of them takes no memory afterwards.
    void upload()
    {
        waitForDownload();
        for (const WeightView &weight : weights) {
            communicator.reportProgress("bringing the weights to the device");
            if (hostCopies)
                uploadCopy(weight, Upload::All);
        }
        giveCopiesBack();
        spreadAll();
    }

    void giveCopiesBack() const
    {
        if (hostCopies)
            hostCopies->giveBack();
    }

    void spreadAll()
    {
        communicator.barrier(); // what is spread is gathered: nobody waits on its device for one that is not there yet
        for (const ParameterUnit &unit : plan.units) {
            for (int layer = 0; layer < (unit.perLayer ? plan.layers : 1); ++layer)
                spread(unit, layer);
        }
    }

    // From this rank's masters to the parameters that its ops read.
    void spread(const ParameterUnit &unit, int layer)
    {
        const Use part = ownPart(plan, unit, unit.parameter);
        if (unit.master != unit.parameter)
            backend->castToBf16(address({.buffer = unit.master}, layer, 0), address(part, layer, 0), unit.part);
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
        call.reads[0] = address(part, layer, 0);
        call.writes[0] = address({.buffer = unit.parameter}, layer, 0);
        backend->run(call, context());
    }

    // Masters and their averages change places, and what ops read follows.
    void exchangeAverages()
    {
        waitForDownload();
        for (const ParameterUnit &unit : plan.units) {
            const Kernel kernel{.kind = OpKind::Exchange, .type = DType::Fp32, .m = 1, .n = unit.part};
            for (int layer = 0; unit.average && layer < (unit.perLayer ? plan.layers : 1); ++layer) {
                OpCall call{.kernel = kernel};
                call.writes[0] = address(ownPart(plan, unit, unit.master), layer, 0);
                call.writes[1] = address({.buffer = *unit.average}, layer, 0);
                backend->run(call, context());
            }
        }
        spreadAll();
    }

    void beginDownload()
    {
        if (!hostCopies)
            return;
        waitForDownload();
        downloaded = {};
        downloading = downloaded.get_future();
        backend->beginCopies();
    }

    void finishDownload()
    {
        if (!hostCopies)
            return;
        const std::unique_ptr<std::promise<void>, void (*)(std::promise<void> *)> whateverHappens(
            &downloaded, [](std::promise<void> *done) { done->set_value(); });
        std::vector<std::span<const std::byte>> sources;
        std::vector<std::pair<const WeightView *, float *>> targets;
        for (const WeightView &weight : weights) {
            for (const WeightState &state : weightStates(plan, weight)) {
                sources.emplace_back(placeOf(state, weight), static_cast<std::size_t>(weight.extent()) * sizeof(float));
                targets.emplace_back(&weight, weight.*state.values);
            }
        }
        backend->finishCopies(sources, [&](std::size_t number, Bytes offset, std::span<const std::byte> bytes) {
            const auto [weight, values] = targets[number];
            takeRuns(*weight, values, offset / sizeOf(DType::Fp32),
                {reinterpret_cast<const float *>(bytes.data()), bytes.size() / sizeof(float)});
        });
    }

    // What of a part's runs lies in `laidOut`, which begins at `place`.
    static void takeRuns(const WeightView &weight, float *values, std::int64_t place, std::span<const float> laidOut)
    {
        const std::int64_t end = place + std::ssize(laidOut);
        weight.forEachRun([&](std::int64_t first, std::int64_t runPlace, std::int64_t count) {
            const std::int64_t from = std::max(place, runPlace), to = std::min(end, runPlace + count);
            if (from < to)
                std::copy(laidOut.begin() + (from - place), laidOut.begin() + (to - place),
                    values + first + (from - runPlace));
        });
    }

    // Before anything of what is being brought over changes.
    void waitForDownload()
    {
        if (downloading.valid())
            downloading.get();
    }

    // Where not every target counts, ranks agree on how many do.
    [[nodiscard]] double countedTokens(const StepInput &input) const
    {
        if (input.documentStarts.empty())
            return static_cast<double>(tokensPerStep()) * plan.dataRanks;
        auto counted = static_cast<float>(
            std::count_if(input.targets.begin(), input.targets.end(), [](std::int32_t target) { return target >= 0; }));
        communicator.allReduceSum({&counted, 1});
        counted /= static_cast<float>(communicator.size() / plan.dataRanks); // so many ranks see the same data
        return std::max(1.0, static_cast<double>(counted));
    }

    // A device has no vanilla attention and no learned positions that do, and its ops read where documents are.
    [[nodiscard]] bool keepsDocumentsApart() const
    {
        const auto cannot = [](const Kernel &k) {
            return k.kind == OpKind::VanillaAttention || k.kind == OpKind::AddPositions;
        };
        return backend->onHost() || (hasDocumentTables(plan) && std::ranges::none_of(plan.kernels, cannot));
    }

    [[nodiscard]] StepContext context(double tokens = 1) const
    {
        return {.groups = joined.all,
            .shard = meshPlace.shard,
            .model = model,
            .ropeTables = ropes,
            .alibiSlopes = slopes,
            .normEps = static_cast<float>(model.norm.eps),
            .zLoss = zLoss,
            .lossScale = static_cast<float>(1.0 / tokens),
            .part = {plan.contextRanks, meshPlace.context},
            .unitRuns = runsOfUnits,
            .shardsPerPart = shardsOfUnits,
            .microBatchShare = 1.0f / (static_cast<float>(plan.gradAccum) * static_cast<float>(plan.dataRanks))};
    }
    [[nodiscard]] std::int64_t tokensPerStep() const { return plan.gradAccum * batch.tokens(); }

    void begin()
    {
        cpu_ops::useThreads(threads);
        backend->beginStep();
    }

    // A step that the device runs by itself does not wait in the middle.
    bool replay()
    {
        if (backend->hasGraph())
            waitForDownload();
        return backend->replays(!observer);
    }

    // Each op of a step once for each shape, before there are weights, on a micro-batch of zeros. Kernels that a
    // library loads when they are first started come from a disk that may be slow, and shapes are prepared and timed
    // when they are first met: nobody waits for this rank meanwhile.
    void prepareOps()
    {
        const std::vector<std::int32_t> ids(static_cast<std::size_t>(tokensPerStep()));
        StepContext prepared = context(static_cast<double>(tokensPerStep()) * plan.dataRanks);
        const StagedInput input = backend->stage({ids, ids}, {});
        std::set<std::pair<KernelId, bool>> met;
        beginWalk();
        forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
            const Kernel &kernel = plan.at(visit.op.kernel);
            allocate(visit);
            const bool isNew = met.emplace(visit.op.kernel, visit.op.accumulate).second;
            // Ids are read by index: they are there for every micro-batch.
            if (kernel.cost != CostClass::Communication && (isNew || kernel.kind == OpKind::LoadBatch)) {
                communicator.reportLoading("preparing its kernels");
                backend->prepare(callOf(visit, prepared, input), prepared);
            }
            for (const Use &use : visit.op.frees)
                live.free(use, visit.slot.index, visit.microBatch);
        });
        backend->clear();
    }

    void beginWalk()
    {
        live.freeTransient();
        live.arena().resetPeak();
    }

    // While the newest op's operands are there.
    void countMemory()
    {
        const ExtraMemory extra = backend->extraMemory();
        walkPeak = std::max(walkPeak, live.arena().allocated() + extra.allocatedPeak);
        reservedPeak = std::max(reservedPeak, live.arena().reserved() + extra.reserved);
    }

    // All ops of a step, on the lanes that the backend has.
    void walk(StepContext &context, const StagedInput &input)
    {
        StepStreams *const streams = observer ? nullptr : backend->streams();
        beginWalk();
        walkPeak = 0;
        backend->extraMemory();
        if (streams)
            streams->begin(order.size());
        Part part = nullptr;
        const auto enter = [&](Part now) {
            if (now != part)
                backend->enter(part = now);
        };
        std::size_t number = 0;
        forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
            const OrderedOp &place = order[number];
            if (streams)
                follow(*streams, place, enter);
            if (!streams || place.lane == Lane::Compute)
                enter(partOf(visit.op, plan.at(visit.op.kernel).cost));
            allocate(visit);
            execute(visit, context, input);
            countMemory();
            if (streams && place.signals)
                streams->signal(static_cast<int>(number));
            for (const Use &use : visit.op.frees)
                live.free(use, visit.slot.index, visit.microBatch);
            ++number;
        });
        if (streams) {
            streams->enter(Lane::Compute);
            enter(&PhaseSeconds::communication);
            streams->join();
        }
        if (!backend->endWalk()) {
            backend->beginStep();
            return walk(context, input);
        }
        lossAt = addressOf("loss");
        norm2At = addressOf("gradient_norm2");
    }

    // What the computation waits for collectives is their time that shows.
    template<typename Enter>
    static void follow(StepStreams &streams, const OrderedOp &place, const Enter &enter)
    {
        streams.enter(place.lane);
        if (place.waitsFor < 0)
            return;
        if (place.lane == Lane::Compute)
            enter(&PhaseSeconds::communication);
        streams.wait(place.waitsFor);
    }

    void allocate(const Visit &visit)
    {
        for (const Use &use : visit.op.allocations)
            live.allocate(use, visit.slot.index, visit.microBatch);
    }

    void tell(const Visit &visit, bool before)
    {
        if (observer)
            observer({visit.op, visit.slot, visit.microBatch, before, live.aliveBytes()});
    }

    // The op with its operands, and in `context` what of the input it reads.
    [[nodiscard]] OpCall callOf(const Visit &visit, StepContext &context, const StagedInput &input) const
    {
        const Kernel &kernel = plan.at(visit.op.kernel);
        const auto tokens = static_cast<std::size_t>(batch.tokens()),
                   at = static_cast<std::size_t>(visit.microBatch) * tokens;
        OpCall call{.kernel = kernel, .accumulate = visit.op.accumulate, .readCount = visit.op.reads.size()};
        const auto operand = [&](const Use &use) { return address(use, visit.slot.index, visit.microBatch); };
        std::transform(visit.op.reads.begin(), visit.op.reads.end(), call.reads.begin(), operand);
        std::transform(visit.op.writes.begin(), visit.op.writes.end(), call.writes.begin(), operand);
        if (kernel.kind == OpKind::LoadBatch) {
            context.tokens = input.ids.tokens.subspan(at, tokens);
            context.targets = input.ids.targets.subspan(at, tokens);
        }
        if (kernel.seq > 0 && !input.ids.documentStarts.empty())
            context.documentStarts = input.ids.documentStarts.subspan(at, tokens);
        if (!input.documents.empty())
            context.documents = input.documents[static_cast<std::size_t>(visit.microBatch)];
        return call;
    }

    void execute(const Visit &visit, StepContext &context, const StagedInput &input)
    {
        const OpCall call = callOf(visit, context, input);
        if (call.kernel.kind == OpKind::AdamW || call.kernel.kind == OpKind::MuonMomentum)
            waitForDownload();
        tell(visit, true);
        communicator.reportProgress("running a step");
        backend->run(call, context);
        tell(visit, false);
    }

    [[nodiscard]] std::byte *addressOf(std::string_view name) const
    {
        const auto buffer =
            std::find_if(plan.buffers.begin(), plan.buffers.end(), [&](const Buffer &b) { return b.name == name; });
        const Use use{.buffer = static_cast<BufferId>(buffer - plan.buffers.begin())};
        return address(use, 0, 0);
    }

    // Rows that each expert has got so far; empty where the model has none.
    [[nodiscard]] std::vector<std::int64_t> expertLoad() const
    {
        std::vector<std::int64_t> load(static_cast<std::size_t>(model.experts.count));
        if (!load.empty())
            backend->read(addressOf("expert_load"), std::as_writable_bytes(std::span(load)));
        return load;
    }

    // Each expert's part of all rows since then, on all ranks.
    [[nodiscard]] std::vector<double> expertShares(const std::vector<std::int64_t> &before) const
    {
        const std::vector<std::int64_t> now = expertLoad();
        std::vector<float> rows(now.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i] = static_cast<float>(now[i] - before[i]);
        if (!rows.empty())
            communicator.allReduceSum(rows);
        const double all = std::max(1.0, std::accumulate(rows.begin(), rows.end(), 0.0));
        std::vector<double> shares(rows.size());
        std::transform(
            rows.begin(), rows.end(), shares.begin(), [all](float own) { return static_cast<double>(own) / all; });
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
    std::unique_ptr<Backend> backend;
    std::optional<Slab> hostCopies; // where the host cannot see the arena
    std::promise<void> downloaded;  // by finishDownload
    std::future<void> downloading;
    std::vector<std::byte> seen; // what bytesOf copied last
    MeshPlace meshPlace;
    LiveBuffers live;
    std::vector<OrderedOp> order;                    // of the step's ops
    std::byte *lossAt = nullptr, *norm2At = nullptr; // of the newest step that was walked
    Bytes walkPeak = 0, reservedPeak = 0; // of the arena and of what ops allocated beside it at the same time
    std::vector<cpu_ops::RopeTable> ropes;
    std::vector<float> slopes; // ALiBi's
    float zLoss;
    std::vector<UnitRuns> runsOfUnits;
    std::vector<int> shardsOfUnits; // shardsPerPart
    std::vector<WeightView> weights;
    int threads;
    JoinedGroups joined;
    std::function<void(const OpEvent &)> observer;
};

Executor::Executor(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Executor::~Executor() = default;

Result<std::unique_ptr<Executor>> Executor::create(
    const StepPlan &plan, const ModelSpec &model, Communicator &communicator, ExecutorOptions options)
{
    if (const Result<void> executable = checkExecutable(plan, communicator.size(), options.backend); !executable)
        return executable.error();
    JoinedGroups joined(plan, communicator);
    Result<std::unique_ptr<Backend>> backend = makeBackend(options.backend, plan, model, arenaReach(plan),
        {.place = communicator.placeInMachine(),
            .ranksInProcess = communicator.ranksInProcess(),
            .deterministic = options.deterministic,
            .ownKernels = options.ownKernels,
            .products = options.products,
            .productChoices = options.productChoices,
            .graphs = options.graphs,
            .firstUse = firstCollectives(plan, joined.all),
            .rehearsal = options.rehearsal,
            .reportProgress = [&communicator](const char *doing) { communicator.reportLoading(doing); },
            .awaitsDevice = [&communicator] { communicator.awaitsDevice(); },
            .onAnyRank =
                [&communicator](bool own) {
                    float any = own ? 1 : 0;
                    communicator.allReduceMax({&any, 1});
                    return any > 0;
                }});
    if (!backend)
        return backend.error();
    std::vector<WeightView> weights = weightViews(plan, model, placeOf(plan, communicator.rank()));
    std::optional<Slab> hostCopies;
    // Views are copies where the host cannot see the weights, or where they do not lie without gaps.
    const bool hasGaps =
        std::any_of(weights.begin(), weights.end(), [](const WeightView &view) { return view.extent() != view.count; });
    if (!(*backend)->onHost() || hasGaps) {
        std::int64_t values = 0;
        for (const WeightView &weight : weights)
            values += std::ssize(weightStates(plan, weight)) * weight.count;
        Result<Slab> slab = Slab::map(values * sizeOf(DType::Fp32));
        if (!slab)
            return slab.error();
        hostCopies.emplace(std::move(*slab));
    }
    return std::unique_ptr<Executor>(new Executor(std::make_unique<State>(plan, model, communicator, std::move(joined),
        std::move(*backend), std::move(hostCopies), std::move(weights), options)));
}

Result<StepOutcome> Executor::step(
    StepInput input, const OptimizerStep &optimizer, const std::function<void()> &meanwhile)
{
    State &s = *m_state;
    if (const Result<void> valid =
            checkInput(input, s.batch, s.tokensPerStep(), s.model.vocab, s.keepsDocumentsApart());
        !valid)
        return valid.error();
    StepContext context = s.context(s.countedTokens(input));
    context.optimizer = optimizer;
    const StagedInput staged = s.backend->stage(input, optimizer);
    s.begin();
    const std::vector<std::int64_t> load = s.expertLoad();
    StepOutcome outcome{.replayed = s.replay()};
    if (!outcome.replayed)
        s.walk(context, staged);
    s.backend->fetch({s.lossAt, s.norm2At});
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
    outcome.allocatedPeak = s.walkPeak;
    outcome.reservedPeak = s.reservedPeak;
    return outcome;
}

// Backward ops are passed over, but what they would have freed is freed.
Result<double> Executor::evaluate(StepInput input)
{
    State &s = *m_state;
    if (const Result<void> valid =
            checkInput(input, s.batch, s.tokensPerStep(), s.model.vocab, s.keepsDocumentsApart());
        !valid)
        return valid.error();
    StepContext context = s.context(s.countedTokens(input));
    const StagedInput staged = s.backend->stage(input, {});
    s.begin();
    s.beginWalk();
    forEachOp(s.plan, Repetitions::All, [&](const Visit &visit) {
        if (visit.op.phase == Phase::Forward) {
            s.allocate(visit);
            s.execute(visit, context, staged);
        }
        for (const Use &use : visit.op.frees) {
            if (s.plan.at(use.buffer).scope != Scope::Run && s.live.alive(use, visit.slot.index, visit.microBatch))
                s.live.free(use, visit.slot.index, visit.microBatch);
        }
    });
    const double loss = s.valueAt(s.addressOf("loss"));
    s.live.freeTransient();
    return loss;
}

const std::vector<WeightView> &Executor::weights() const { return m_state->weights; }
void Executor::uploadWeights() { m_state->upload(); }
void Executor::exchangeAverages() { m_state->exchangeAverages(); }
void Executor::releaseCopies() { m_state->giveCopiesBack(); }
void Executor::beginDownload() { m_state->beginDownload(); }
void Executor::finishDownload() { m_state->finishDownload(); }
bool Executor::weightsAreCopies() const { return m_state->hostCopies.has_value(); }

void Executor::downloadWeights()
{
    beginDownload();
    finishDownload();
}

std::optional<OutsideMemory> Executor::outsideMemory() const { return m_state->backend->outsideMemory(); }
std::string Executor::productChoices() const { return m_state->backend->productChoices(); }
std::vector<std::string> Executor::warnings() const { return m_state->backend->warnings(); }
std::string Executor::description() const { return m_state->backend->description(); }
std::int64_t Executor::microBatch() const { return m_state->batch.sequences; }
std::int64_t Executor::seqLen() const { return m_state->batch.seqLen; }
std::int64_t Executor::tokensPerStep() const { return m_state->tokensPerStep(); }
void Executor::setObserver(std::function<void(const OpEvent &)> observer) { m_state->observer = std::move(observer); }

std::span<const std::byte> Executor::arenaBytes() const
{
    return m_state->backend->onHost() ? m_state->backend->arena() : std::span<const std::byte>();
}

std::span<std::byte> Executor::bytesOf(const Use &use, const Slot &slot, int microBatch)
{
    State &s = *m_state;
    const auto size = static_cast<std::size_t>(s.live.bytesFrom(use, slot.index));
    if (s.backend->onHost())
        return {s.address(use, slot.index, microBatch), size};
    s.seen.resize(size);
    s.backend->read(s.address(use, slot.index, microBatch), s.seen);
    return s.seen;
}

} // namespace slipway
