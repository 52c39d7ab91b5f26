// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "mesh_steps.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "exec/live_buffers.h"
#include "memory/memory_walk.h"
#include "plan/mesh.h"
#include "rank_groups.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

constexpr const char *modelName(Variant variant)
{
    switch (variant) {
    case Variant::Llama:
        return "LLaMA";
    case Variant::Tied:
        return "LLaMA, tied";
    case Variant::LearnedPositions:
        return "GPT-2";
    case Variant::NormsBehind:
        return "OLMo 2";
    case Variant::Parallel:
        return "parallel branches";
    case Variant::Caps:
        return "Gemma 2";
    case Variant::Alibi:
        return "ALiBi";
    case Variant::Grouped:
        return "grouped keys";
    case Variant::Windows:
        return "windows";
    case Variant::Experts:
        return "experts";
    case Variant::SharedExpert:
        return "experts, one shared";
    case Variant::NormsOverHeads:
        return "norms over all heads";
    }
    return "";
}

// The vocabulary and the MLP divide by no number of ranks.
ModelSpec modelOf(Variant variant)
{
    ModelSpec m{.name = "mesh",
        .layers = 4,
        .hidden = 32,
        .attention = {.heads = 4, .kvHeads = 4, .headDim = 8},
        .mlp = {.width = 45},
        .vocab = 61};
    m.head.tied = variant == Variant::Tied || variant == Variant::LearnedPositions || variant == Variant::Caps;
    if (variant == Variant::LearnedPositions) { // GPT-2
        m.position = Position::Learned;
        m.embedding.positions = 40;
        m.norm.kind = NormKind::LayerNorm;
        m.norm.bias = true;
        m.attention.qkvBias = m.attention.outBias = true;
        m.mlp.gated = false;
        m.mlp.activation = Activation::GeluTanh;
        m.mlp.bias = true;
    }
    if (variant == Variant::NormsBehind) { // OLMo 2, with norms of each head
        m.block.norms = NormPlacement::After;
        m.attention.qkNorm = QkNorm::Head;
    }
    if (variant == Variant::NormsOverHeads) { // OLMoE; four tensor-parallel ranks share two key heads
        m.attention.qkNorm = QkNorm::Full;
        m.attention.kvHeads = 2;
    }
    if (variant == Variant::Parallel) // Phi
        m.block.parallel = true;
    if (variant == Variant::Caps) { // Gemma 2
        m.block.norms = NormPlacement::Both;
        m.head.softCap = 5;
        m.attention.softCap = 3;
        m.embedding.scale = 2.5;
    }
    if (variant == Variant::Alibi)
        m.position = Position::Alibi;
    if (variant == Variant::Grouped) { // fewer key heads than tensor-parallel ranks, with biases as in Qwen 2
        m.attention.kvHeads = 2;
        m.attention.qkvBias = true;
    }
    if (variant == Variant::Experts || variant == Variant::SharedExpert) {
        m.mlp.width = 20;
        m.experts = {.count = 4, .perToken = 2, .auxLoss = 0.5, .zLoss = 0.25}; // so large that they are seen
    }
    if (variant == Variant::SharedExpert) { // Qwen 2 MoE; more choices than the experts of a rank
        m.experts.perToken = 3;
        m.experts.sharedWidth = 24;
        m.experts.sharedGate = true;
    }
    if (variant == Variant::Windows) { // a layer in two sees 7 keys
        m.attention.kvHeads = 2;
        m.pattern = {{.window = 7}, {}};
    }
    return m;
}

} // namespace

RunConfig configOf(const MeshCase &mesh)
{
    RunConfig config;
    config.precision = mesh.precision;
    config.microBatch = 2;
    config.seqLen = mesh.seqLen;
    config.gradAccum = mesh.gradAccum;
    config.recompute = mesh.recompute;
    config.attention = mesh.attention;
    config.contextExchange = mesh.exchange;
    config.balanceLoss = mesh.balanceLoss;
    config.optimizer = mesh.optimizer;
    config.training.documents = mesh.separateDocuments ? Documents::Separate : Documents::Packed;
    config.parallel = {.kind = mesh.kind,
        .gpus = mesh.ranks(),
        .gpusPerNode = mesh.gpusPerNode,
        .tp = mesh.tp,
        .pp = mesh.pp,
        .cp = mesh.cp,
        .ep = mesh.ep,
        .virtualStages = mesh.virtualStages,
        .schedule = mesh.schedule};
    return config;
}

namespace {

// Whole tensors by name, put together from what each rank has.
class Whole {
public:
    void put(const WeightView &view, const std::vector<float> &values)
    {
        const std::lock_guard lock(m_mutex);
        std::vector<float> &all = m_all[view.name];
        all.resize(static_cast<std::size_t>(view.elements()));
        forEachWholeRun(view.slice, wholeSlice(view.shape).columns, view.first, view.count,
            [&](std::int64_t first, std::int64_t offset, std::int64_t length) {
                std::copy_n(values.begin() + offset, length, all.begin() + first);
            });
    }
    [[nodiscard]] const Gradients &all() const { return m_all; }

private:
    std::mutex m_mutex;
    Gradients m_all;
};

struct Trained {
    std::vector<double> losses, norms;
    std::vector<double> evaluated;
    Whole gradients; // of the first step
    Whole weights;
    std::vector<std::string> faults; // bytes that are not the plan's
};

// Documents of 5 and 8 tokens, and one of the rest; in each second sequence the first begins later.
std::vector<std::int32_t> documentStarts(std::int64_t sequences, std::int64_t seqLen)
{
    std::vector<std::int32_t> starts;
    for (std::int64_t i = 0; i < sequences * seqLen; ++i) {
        const auto at = static_cast<std::int32_t>(i % seqLen), first = static_cast<std::int32_t>(5 + i / seqLen % 2);
        starts.push_back(at < first ? 0 : at < first + 8 ? first : first + 8);
    }
    return starts;
}

// What an op's instances take beside what was alive must be what the plan says.
void watchBytes(Executor &executor, const StepPlan &plan, std::vector<std::string> &faults, int shard)
{
    const auto live = std::make_shared<LiveBuffers>(plan, shard);
    executor.setObserver([&, live](const OpEvent &event) {
        if (!event.before)
            return;
        for (const Use &use : event.op.allocations)
            live->allocate(use, event.slot.index, event.microBatch);
        if (live->aliveBytes() != event.alive)
            faults.push_back(fmt::format("{}: {} bytes, planned {}", event.op.name, event.alive, live->aliveBytes()));
        for (const Use &use : event.op.frees)
            live->free(use, event.slot.index, event.microBatch);
    });
}

void train(
    const MeshCase &mesh, const ModelSpec &model, std::int64_t sequences, const RankRunner &run, Trained &trained)
{
    const RunConfig config = configOf(mesh);
    ASSERT_EQ(sequences, config.microBatch * config.gradAccum * mesh.dp);
    const Result<RunPlan> planned = buildPlan(config, model);
    ASSERT_TRUE(planned) << planned.error().message();
    std::mutex mutex;
    run(mesh.ranks(), [&](Communicator &communicator) {
        const int rank = communicator.rank();
        const StepPlan plan = buildStage(config, model, stageOf(config.parallel, rank));
        const MeshCoordinate coordinate = coordinateOf(plan, rank);
        Result<std::unique_ptr<Executor>> made = Executor::create(plan, model, communicator,
            {.backend = mesh.backend, .seed = 1, .threads = 1, .emulatedStreams = mesh.emulatedStreams});
        ASSERT_TRUE(made) << made.error().message();
        const std::unique_ptr<Executor> executor = std::move(*made);
        const auto count = static_cast<std::size_t>(executor->tokensPerStep());
        const std::size_t from = count * static_cast<std::size_t>(coordinate.data);
        const std::vector<std::int32_t> starts =
            mesh.separateDocuments ? documentStarts(sequences, config.seqLen) : std::vector<std::int32_t>();
        const auto inputOf = [&](const Batch &batch) {
            const auto own = [&](const std::vector<std::int32_t> &all) { return std::span(all).subspan(from, count); };
            return StepInput{
                own(batch.tokens), own(batch.targets), starts.empty() ? std::span<const std::int32_t>() : own(starts)};
        };
        Gradients gradients;
        std::vector<std::string> faults;
        for (int step = 1; step <= kMeshSteps; ++step) {
            const Batch batch = randomBatch(
                sequences * config.seqLen, static_cast<int>(model.vocab), static_cast<std::uint64_t>(step % 3));
            executor->setObserver({});
            const Result<double> evaluated = executor->evaluate(inputOf(batch));
            if (step == 1)
                collectGradients(*executor, gradients);
            else if (step == 2)
                watchBytes(*executor, plan, faults, coordinate.shard);
            const Result<StepOutcome> outcome =
                executor->step(inputOf(batch), {.learningRate = 3e-3, .gradClip = 0.5, .step = step});
            ASSERT_TRUE(outcome) << outcome.error().message();
            if (mesh.backend == BackendKind::Host) { // elsewhere, LibTorch's ops allocate beside the arena
                EXPECT_EQ(outcome->allocatedPeak, peakMemory(plan).allocated) << "rank " << rank;
            }
            ASSERT_TRUE(evaluated) << evaluated.error().message();
            const std::lock_guard lock(mutex);
            if (rank == 0) {
                trained.losses.push_back(outcome->loss);
                trained.norms.push_back(outcome->gradNorm);
                trained.evaluated.push_back(*evaluated);
            } else if (trained.losses.size() >= static_cast<std::size_t>(step)) {
                EXPECT_EQ(trained.losses[static_cast<std::size_t>(step - 1)], outcome->loss) << "rank " << rank;
            }
        }
        executor->downloadWeights();
        for (const WeightView &view : executor->weights()) {
            trained.weights.put(view, {view.master, view.master + view.count});
            trained.gradients.put(view, gradients.at(view.name));
        }
        const std::lock_guard lock(mutex);
        trained.faults.insert(trained.faults.end(), faults.begin(), faults.end());
    });
}

std::string scheduleName(const MeshCase &mesh)
{
    const PipelineSchedule schedule = configOf(mesh).parallel.pipelineSchedule();
    if (mesh.pp == 1)
        return "-";
    return std::string(enumName(schedule)) + (mesh.virtualStages > 1 ? fmt::format(" x{}", mesh.virtualStages) : "");
}

std::string contextName(const MeshCase &mesh)
{
    return std::to_string(mesh.cp) + (mesh.exchange == ContextExchange::Ring ? " ring" : "");
}

std::string tableName(const MeshCase &mesh)
{
    return std::string(modelName(mesh.variant)) + (mesh.attention == Attention::Vanilla ? ", vanilla attention" : "") +
           (mesh.balanceLoss ? ", balance loss" : "") + (mesh.optimizer == OptimizerKind::Muon ? ", Muon" : "");
}

// For the tables of docs/guide/parallelism.md: one of fp32, and one of lower precision with the code for GPUs.
void record(const MeshCase &mesh, double lossError, double gradientError)
{
    if (mesh.backend != BackendKind::Host && mesh.precision == Precision::Fp32)
        return;
    const bool narrow = mesh.precision != Precision::Fp32;
    ::testing::Test::RecordProperty(narrow ? "narrow_mesh" : "mesh",
        fmt::format("|{} {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1e} | {:.1e} |",
            narrow ? fmt::format(" {} |", enumName(mesh.precision)) : "", mesh.ranks(), mesh.tp, contextName(mesh),
            mesh.ep, mesh.pp, scheduleName(mesh), mesh.dp > 1 ? enumName(mesh.kind) : "-", mesh.gradAccum,
            enumName(mesh.recompute), tableName(mesh), lossError, gradientError));
}

// What rounding alone changes: one rank's losses in fp32, or none if the mesh computes in fp32.
void trainInFp32(MeshCase alone, const ModelSpec &model, std::int64_t sequences, Trained &exact)
{
    if (alone.precision == Precision::Fp32)
        return;
    alone.precision = Precision::Fp32;
    train(alone, model, sequences, runOverThreads, exact);
}

} // namespace

void expectOneRanksStep(const MeshCase &mesh, const RankRunner &run, MeshTolerance tolerance)
{
    const ModelSpec model = modelOf(mesh.variant);
    const std::int64_t sequences = configOf(mesh).microBatch * mesh.gradAccum * mesh.dp;
    Trained one, all, exact;
    const MeshCase alone{.gradAccum = mesh.gradAccum * mesh.dp,
        .variant = mesh.variant,
        .seqLen = mesh.seqLen,
        .separateDocuments = mesh.separateDocuments,
        .backend = mesh.backend,
        .precision = mesh.precision,
        .balanceLoss = mesh.balanceLoss,
        .optimizer = mesh.optimizer};
    ASSERT_NO_FATAL_FAILURE(train(alone, model, sequences, runOverThreads, one));
    ASSERT_NO_FATAL_FAILURE(trainInFp32(alone, model, sequences, exact));
    ASSERT_NO_FATAL_FAILURE(train(mesh, model, sequences, run, all));
    ASSERT_EQ(one.losses.size(), std::size_t{kMeshSteps});
    ASSERT_EQ(all.losses.size(), one.losses.size());
    double lossError = 0;
    for (std::size_t i = 0; i < one.losses.size(); ++i) {
        lossError = std::max(lossError, std::abs(all.losses[i] - one.losses[i]) / one.losses[i]);
        // Both may be as far from fp32 as one rank is, on either side. A processor's bf16 instructions decide how far.
        const double rounding = exact.losses.empty() ? 0 : 2 * std::abs(one.losses[i] - exact.losses[i]);
        EXPECT_NEAR(all.losses[i], one.losses[i], std::max(rounding, tolerance.loss * one.losses[i]))
            << "step " << i + 1;
        EXPECT_NEAR(all.evaluated[i], one.evaluated[i], std::max(rounding, tolerance.loss * one.evaluated[i]))
            << "step " << i + 1;
    }
    EXPECT_NEAR(all.norms.front(), one.norms.front(), tolerance.gradient * one.norms.front());
    const double gradientError = distanceOfAll(all.gradients.all(), one.gradients.all());
    EXPECT_LT(gradientError, tolerance.gradient);
    record(mesh, lossError, gradientError);
    for (const auto &[name, values] : one.gradients.all())
        EXPECT_EQ(all.gradients.all().at(name).size(), values.size()) << name;
    EXPECT_THAT(all.faults, ::testing::IsEmpty());
}

std::string nameOf(const ::testing::TestParamInfo<MeshCase> &info)
{
    const MeshCase &m = info.param;
    std::string name = fmt::format("{:02}_tp{}_cp{}_ep{}_pp{}_dp{}_{}_accum{}_{}_model{}_{}{}{}{}{}", info.index, m.tp,
        m.cp, m.ep, m.pp, m.dp, enumName(m.kind), m.gradAccum, enumName(m.recompute), static_cast<int>(m.variant),
        m.pp > 1 ? enumName(configOf(m).parallel.pipelineSchedule()) : "",
        m.exchange == ContextExchange::Ring ? "_ring" : "", m.balanceLoss ? "_balanced" : "",
        m.optimizer == OptimizerKind::Muon ? "_muon" : "", m.precision == Precision::Fp8Mixed ? "_fp8" : "");
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

} // namespace slipway::testing
