// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Checkpoints of our own trainer's meshes: what one mesh wrote, any other one reads.
#include <map>
#include <mutex>

#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "plan/build_plan.h"
#include "plan/mesh.h"
#include "run/checkpointer.h"
#include "scratch_folder.h"

namespace slipway {
namespace {

using testing::ScratchFolder;

constexpr std::int64_t kSequences = 16;

RunConfig configOf(const Parallelism &mesh, OptimizerKind optimizer)
{
    RunConfig config;
    config.optimizer = optimizer;
    config.precision = Precision::Fp32;
    config.seqLen = 16;
    config.microBatch = 1;
    config.gradAccum = kSequences / mesh.dataParallel();
    config.parallel = mesh;
    return config;
}

// Whole weights and states by name, put together from what each rank has.
class Whole {
public:
    void put(const WeightView &view)
    {
        const std::lock_guard lock(m_mutex);
        for (const auto &[prefix, from] :
            {std::pair("w ", view.master), std::pair("m ", view.momentum), std::pair("v ", view.variance)}) {
            if (!from) // Muon has no variance
                continue;
            std::vector<float> &all = m_all[prefix + view.name];
            all.resize(static_cast<std::size_t>(view.elements()));
            forEachWholeRun(view.slice, wholeSlice(view.shape).columns, view.first, view.count,
                [&all, values = from](std::int64_t first, std::int64_t offset, std::int64_t length) {
                    std::copy_n(values + offset, length, all.begin() + first);
                });
        }
    }
    [[nodiscard]] const std::map<std::string, std::vector<float>> &all() const { return m_all; }

private:
    std::mutex m_mutex;
    std::map<std::string, std::vector<float>> m_all;
};

// Reads `from`, or makes a step of its own where that is empty, and writes `to`.
void pass(const Parallelism &mesh, const ModelSpec &model, const std::filesystem::path &from,
    const std::filesystem::path &to, Whole &seen, OptimizerKind optimizer = OptimizerKind::AdamW)
{
    const RunConfig config = configOf(mesh, optimizer);
    const Result<RunPlan> planned = buildPlan(config, model);
    ASSERT_TRUE(planned) << planned.error().message();
    ThreadGroup(mesh.gpus).run([&](Communicator &communicator) {
        const StepPlan plan = buildStage(config, model, stageOf(mesh, communicator.rank()));
        const auto executor =
            std::move(Executor::create(plan, model, communicator, {.seed = from.empty() ? 1u : 2u, .threads = 1}))
                .value();
        if (from.empty()) {
            std::vector<std::int32_t> ids(static_cast<std::size_t>(executor->tokensPerStep()));
            for (std::size_t i = 0; i < ids.size(); ++i)
                ids[i] = static_cast<std::int32_t>((i * 7 + 3) % static_cast<std::size_t>(model.vocab));
            ASSERT_TRUE(executor->step({.tokens = ids, .targets = ids}, {.learningRate = 1e-2, .step = 1}));
        } else {
            const Result<ChosenCheckpoint> read = CheckpointStore(from).restore(model, checkpointTensors(*executor));
            ASSERT_TRUE(read) << read.error().message();
            ASSERT_TRUE(read->saved);
            executor->uploadWeights();
        }
        executor->downloadWeights();
        for (const WeightView &view : executor->weights())
            seen.put(view);
        Checkpointer checkpointer(CheckpointStore(to), communicator, plan, 2);
        ASSERT_TRUE(checkpointer.start({.step = 1, .model = model}, *executor));
        const Result<std::optional<SavedCheckpoint>> saved = checkpointer.poll(true);
        ASSERT_TRUE(saved) << saved.error().message();
    });
}

void expectTheSameThroughAll(
    const std::vector<Parallelism> &meshes, const ModelSpec &model, OptimizerKind optimizer = OptimizerKind::AdamW)
{
    const ScratchFolder folder;
    Whole first;
    std::filesystem::path from;
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        const std::filesystem::path to = folder / ("mesh" + std::to_string(i));
        Whole later;
        ASSERT_NO_FATAL_FAILURE(pass(meshes[i], model, from, to, i == 0 ? first : later, optimizer));
        if (i > 0) {
            EXPECT_EQ(later.all(), first.all()) << "mesh " << i;
        }
        from = to;
    }
}

TEST(MeshCheckpoint, GoesThroughSplitHeadsSequencesAndLayersBitForBit)
{
    // Four tensor-parallel ranks share two key heads, and neither vocabulary nor MLP divides.
    const ModelSpec model{.name = "dense",
        .layers = 4,
        .hidden = 32,
        .attention = {.heads = 4, .kvHeads = 2, .headDim = 8, .qkvBias = true},
        .mlp = {.width = 45},
        .vocab = 61};
    using enum ParallelKind;
    expectTheSameThroughAll(
        {{.kind = None, .gpus = 4, .tp = 4}, {.kind = FsdpFull, .gpus = 8, .tp = 2, .cp = 2},
            {.kind = Zero1, .gpus = 16, .tp = 4, .pp = 2}, {.kind = Ddp, .gpus = 4, .pp = 2, .virtualStages = 2},
            {.kind = Ddp, .gpus = 8, .pp = 2, .cp = 2, .schedule = PipelineSchedule::ZeroBubble}, {.gpus = 1}},
        model);
}

TEST(MeshCheckpoint, GoesThroughNormsOverAllHeadsBitForBit)
{
    const ModelSpec model{.name = "norms",
        .layers = 2,
        .hidden = 32,
        .attention = {.heads = 4, .kvHeads = 2, .headDim = 8, .qkNorm = QkNorm::Full},
        .mlp = {.width = 45},
        .vocab = 61};
    using enum ParallelKind;
    expectTheSameThroughAll({{.kind = None, .gpus = 4, .tp = 4}, {.kind = FsdpFull, .gpus = 4, .tp = 2},
                                {.kind = Ddp, .gpus = 2}, {.kind = Zero1, .gpus = 8, .tp = 4}, {.gpus = 1}},
        model);
}

TEST(MeshCheckpoint, KeepsMuonsMomentumThroughEveryMesh)
{
    const ModelSpec model{.name = "experts",
        .layers = 4,
        .hidden = 32,
        .attention = {.heads = 4, .kvHeads = 2, .headDim = 8, .qkvBias = true},
        .mlp = {.width = 45},
        .vocab = 61,
        .experts = {.count = 4, .perToken = 2}};
    using enum ParallelKind;
    expectTheSameThroughAll({{.kind = FsdpFull, .gpus = 4, .tp = 2}, {.kind = None, .gpus = 4, .tp = 4},
                                {.kind = Zero1, .gpus = 4, .ep = 2}, {.kind = FsdpGradOp, .gpus = 8, .tp = 2, .ep = 2},
                                {.kind = Ddp, .gpus = 4, .pp = 2}, {.gpus = 1}},
        model, OptimizerKind::Muon);
}

// Each rank writes a file of its own; one that is gone is named before anything is read.
TEST(MeshCheckpoint, WithoutTheFileOfARankIsRefused)
{
    const ModelSpec model{.name = "dense",
        .layers = 2,
        .hidden = 32,
        .attention = {.heads = 4, .kvHeads = 2, .headDim = 8},
        .mlp = {.width = 45},
        .vocab = 61};
    const ScratchFolder folder;
    Whole weights;
    ASSERT_NO_FATAL_FAILURE(pass({.gpus = 4, .tp = 2, .pp = 2}, model, {}, folder / "saved", weights));
    const CheckpointStore store(folder / "saved");
    const Result<ChosenCheckpoint> whole = store.choose(model);
    ASSERT_TRUE(whole) << whole.error().message();
    std::filesystem::path gone;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(whole->saved->folder)) {
        if (entry.path().extension() == ".safetensors")
            gone = std::max(gone, entry.path());
    }
    ASSERT_TRUE(std::filesystem::remove(gone));
    const Result<ChosenCheckpoint> refused = store.choose(model);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find(gone.filename().string()), std::string::npos) << refused.error().message();
}

TEST(MeshCheckpoint, GoesThroughExpertsOnAnyRanksBitForBit)
{
    const ModelSpec model{.name = "experts",
        .layers = 2,
        .hidden = 32,
        .attention = {.heads = 4, .kvHeads = 2, .headDim = 8},
        .mlp = {.width = 20},
        .vocab = 61,
        .experts = {.count = 4, .perToken = 2}};
    using enum ParallelKind;
    expectTheSameThroughAll(
        {{.kind = Ddp, .gpus = 4, .ep = 4}, {.kind = FsdpFull, .gpus = 8, .tp = 2, .ep = 2}, {.gpus = 4, .tp = 4},
            {.kind = FsdpFull, .gpus = 8, .cp = 2, .ep = 2}, {.kind = Ddp, .gpus = 4, .pp = 2, .ep = 2},
            {.kind = Zero1, .gpus = 4, .ep = 4}, {.gpus = 1}},
        model);
}

} // namespace
} // namespace slipway
