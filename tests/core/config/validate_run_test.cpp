// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <functional>
#include <gtest/gtest.h>

#include "config/resolve_model.h"
#include "config/trainer_mesh.h"

namespace slipway {
namespace {

ModelSpec model()
{
    return {.layers = 8,
        .hidden = 512,
        .attention = {.heads = 8, .kvHeads = 4, .headDim = 64},
        .mlp = {.width = 1024},
        .vocab = 1000};
}

TEST(ValidateRun, AcceptsWorkingMeshes)
{
    EXPECT_TRUE(validate({}, model()));
    RunConfig config;
    config.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 16, .tp = 2, .pp = 2};
    EXPECT_TRUE(validate(config, model()));
    config.parallel = {.kind = ParallelKind::None, .gpus = 4, .tp = 4};
    EXPECT_TRUE(validate(config, model()));
}

TEST(ValidateRun, NamesTheFlagOfWhatDoesNotFitTogether)
{
    const std::pair<const char *, std::function<void(RunConfig &)>> cases[] = {
        {"--parallel", [](RunConfig &c) { c.parallel.gpus = 8; }},
        {"--gpus", [](RunConfig &c) { c.parallel = {.kind = ParallelKind::Ddp, .gpus = 6, .tp = 4}; }},
        {"--gpus", [](RunConfig &c) { c.parallel = {.kind = ParallelKind::Ddp, .gpus = 2, .tp = 4}; }},
        {"--gpus", [](RunConfig &c) { c.parallel.gpus = 0; }},
        {"--gpus", [](RunConfig &c) { c.parallel.tp = 0; }},
        {"--gpus",
            [](RunConfig &c) {
                c.parallel = {.kind = ParallelKind::Ddp, .gpus = 65536, .tp = 65536, .pp = 65536, .cp = 65536};
            }},
        {"--tp", [](RunConfig &c) { c.parallel = {.kind = ParallelKind::None, .gpus = 3, .tp = 3}; }},
        {"--pp", [](RunConfig &c) { c.parallel = {.kind = ParallelKind::None, .gpus = 9, .pp = 9}; }},
        {"--ep", [](RunConfig &c) { c.parallel = {.kind = ParallelKind::Ddp, .gpus = 2, .ep = 2}; }},
        {"--cp", [](RunConfig &c) { c.parallel = {.kind = ParallelKind::None, .gpus = 3, .cp = 3}; }},
        {"--micro-batch",
            [](RunConfig &c) {
                c.microBatch = 65536;
                c.seqLen = 1 << 20;
                c.attention = Attention::Vanilla;
            }},
        {"--grad-accum",
            [](RunConfig &c) {
                c.gradAccum = 1'000'000;
                c.microBatch = 65536;
                c.seqLen = 65536;
                c.parallel.kind = ParallelKind::Ddp;
                c.parallel.gpus = 65536;
            }},
        {"--min-learning-rate", [](RunConfig &c) { c.training.minLearningRate = 1; }},
        {"--no-decay", [](RunConfig &c) { c.training.noDecay = {"norms"}; }},
        {"--no-decay", [](RunConfig &c) { c.training.noDecay = {"matrix"}; }},
        {"--learning-rate",
            [](RunConfig &c) {
                c.training.learningRate = c.training.minLearningRate = 0;
                c.training.embeddingLearningRate = 1e-3;
            }},
        {"--balance-loss", [](RunConfig &c) { c.balanceLoss = true; }},
        {"--data", [](RunConfig &c) { c.training.data = {{.path = "a.bin", .name = "wiki"}}; }},
        {"--eval-data",
            [](RunConfig &c) {
                for (int set = 0; set < 33; ++set)
                    c.training.evalData.push_back({.path = "a.bin", .name = std::to_string(set)});
            }},
    };
    for (const auto &[flag, breakIt] : cases) {
        RunConfig config;
        breakIt(config);
        const auto checked = validate(config, model());
        ASSERT_FALSE(checked) << flag;
        EXPECT_EQ(checked.error().where, flag) << checked.error().message();
        EXPECT_FALSE(checked.error().accepted.empty());
    }
}

TEST(ValidateRun, TheLeastLearningRateMayBeThePeak)
{
    RunConfig config;
    config.training.learningRate = config.training.minLearningRate = 1e-3;
    EXPECT_TRUE(validate(config, model()));
}

TEST(ValidateRun, HasNoRatesOrDecayOfAHeadThatIsTied)
{
    ModelSpec tied = model();
    tied.head.tied = true;
    RunConfig config;
    config.training.headLearningRate = 1e-3;
    EXPECT_TRUE(validate(config, model()));
    EXPECT_EQ(validate(config, tied).error().where, "--head-learning-rate");
    config.training.headLearningRate.reset();
    config.training.noDecay = {"embedding", "head"};
    EXPECT_TRUE(validate(config, model()));
    EXPECT_EQ(validate(config, tied).error().where, "--no-decay");
}

TEST(ValidateRun, BalancesExpertsByTheModelsFactors)
{
    ModelSpec experts = model();
    experts.experts = {.count = 4, .perToken = 2};
    RunConfig config;
    config.balanceLoss = true;
    EXPECT_EQ(validate(config, experts).error().where, "--balance-loss");
    experts.experts.auxLoss = 0.001;
    EXPECT_TRUE(validate(config, experts));
}

// What our trainer needs of a mesh is checked in the same place as what every framework needs.
TEST(ValidateRun, ChecksTheMeshesOfOurTrainer)
{
    const auto flagOf = [](const std::function<void(RunConfig &)> &change, Framework framework) {
        RunConfig config;
        config.framework = framework;
        config.seqLen = 1020;
        change(config);
        const auto checked = validate(config, model());
        return checked ? std::string() : checked.error().where;
    };
    const std::pair<const char *, std::function<void(RunConfig &)>> cases[] = {
        {"--cp", [](RunConfig &c) { c.parallel = {.gpus = 4, .cp = 4}; }}, // 1,020 is no multiple of 2 x 4
        {"--gpus", [](RunConfig &c) { c.parallel = {.kind = ParallelKind::Hsdp, .gpus = 12}; }}, // half a node
    };
    for (const auto &[flag, change] : cases) {
        EXPECT_EQ(flagOf(change, Framework::Slipway), flag);
        EXPECT_EQ(flagOf(change, Framework::Megatron), "");
    }
    EXPECT_EQ(flagOf(
                  [](RunConfig &c) {
                      c.gradAccum = 257;
                      c.parallel = {.gpus = 2, .pp = 2, .schedule = PipelineSchedule::GPipe};
                  },
                  Framework::Slipway),
        "--grad-accum");
}

TEST(WithRanks, KeepsTheGlobalBatch)
{
    RunConfig config;
    config.gradAccum = 3;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 8, .tp = 2};
    const RunConfig fewer = withRanks(config, 4).value();
    EXPECT_EQ(fewer.gradAccum, 6);
    EXPECT_EQ(fewer.parallel.gpus, 4);
    EXPECT_EQ(withRanks(config, 2).value().parallel.kind, ParallelKind::None);
    EXPECT_EQ(withRanks(config, 5).error().accepted, "4 or 6, or another tp, pp and cp in run.yaml");
    EXPECT_EQ(withRanks(config, 10).error().accepted, "8 or 12") << "12 micro-batches on five ranks";
}

TEST(ValidateRun, DividesExpertsOverDataAndContextParallelRanks)
{
    ModelSpec experts = model();
    experts.experts.count = 12;
    experts.experts.perToken = 2;
    const auto errorOf = [&](const Parallelism &mesh) {
        RunConfig config;
        config.parallel = mesh;
        const auto checked = validate(config, experts);
        return checked ? std::string() : checked.error().message();
    };
    EXPECT_EQ(errorOf({.kind = ParallelKind::Ddp, .gpus = 8, .ep = 4}), "");
    EXPECT_EQ(errorOf({.kind = ParallelKind::Zero1, .gpus = 8, .cp = 4, .ep = 4}), ""); // context-parallel ranks count
    EXPECT_EQ(errorOf({.kind = ParallelKind::Ddp, .gpus = 8, .ep = 8}),
        "--ep: the expert-parallel size 8 does not divide the 12 experts (accepted: 4)"); // of 8 ranks
    EXPECT_EQ(errorOf({.kind = ParallelKind::Ddp, .gpus = 8, .ep = 3}),
        "--ep: the expert-parallel size 3 does not divide the 8 data- and context-parallel ranks (accepted: 2 or "
        "4)");
    EXPECT_EQ(errorOf({.kind = ParallelKind::Hsdp, .gpus = 16, .gpusPerNode = 2, .ep = 4}),
        "--ep: the expert-parallel size 4 does not divide the 2 ranks of a sharding group (accepted: 2, or "
        "--parallel fsdp-full)");
    RunConfig dense;
    dense.parallel = {.kind = ParallelKind::Ddp, .gpus = 2, .ep = 2};
    EXPECT_EQ(validate(dense, model()).error().message(), "--ep: expert-parallel size 2 is given for a model without "
                                                          "experts (accepted: 1, or a model with experts (--experts))");
}

// Our own trainer cuts a sequence into two chunks per rank.
TEST(ValidateRun, NamesContextParallelSizesThatTheFrameworkRuns)
{
    RunConfig config;
    config.seqLen = 6;
    config.parallel = {.gpus = 4, .cp = 4};
    EXPECT_EQ(validate(config, model()).error().message(),
        "--cp: the context-parallel size 4 does not divide the sequence length 6 (accepted: 1 with --parallel ddp, "
        "or 3 with --gpus 3)");
    config.framework = Framework::Megatron;
    EXPECT_EQ(validate(config, model()).error().message(),
        "--cp: the context-parallel size 4 does not divide the sequence length 6 (accepted: 2 with --parallel "
        "ddp, or 3 with --gpus 3)");
}

// What a message proposes is accepted.
TEST(ValidateRun, NamesMeshesThatPassAllChecks)
{
    struct Refused {
        Framework framework;
        int layers;
        std::int64_t seqLen;
        const char *axis;
        Parallelism mesh;
        std::string accepted;
    };
    for (const Refused &r :
        {Refused{Framework::Slipway, 12, 1020, "--cp", {.kind = ParallelKind::Ddp, .gpus = 8, .cp = 8}, "2"},
            {Framework::Slipway, 12, 1020, "--cp", {.gpus = 8, .cp = 8}, "2 with --parallel ddp, or 6 with --gpus 6"},
            {Framework::Slipway, 6, 1024, "--pp", {.gpus = 8, .pp = 8}, "4 with --parallel ddp, or 6 with --gpus 6"},
            {Framework::Slipway, 6, 1024, "--pp", {.kind = ParallelKind::FsdpFull, .gpus = 16, .pp = 8}, "4"},
            {Framework::Megatron, 12, 1024, "--tp", {.gpus = 6, .tp = 6},
                "2 with --parallel ddp, or 4 with --gpus 4"}}) {
        ModelSpec m = model();
        m.layers = r.layers;
        m.attention.kvHeads = 8;
        RunConfig config;
        config.framework = r.framework;
        config.seqLen = r.seqLen;
        config.parallel = r.mesh;
        const Result<void> checked = validate(config, m);
        ASSERT_FALSE(checked) << r.accepted;
        EXPECT_EQ(checked.error().where, r.axis);
        EXPECT_EQ(checked.error().accepted, r.accepted) << checked.error().message();
    }
}

TEST(ValidateRun, HoldsSequencesToALearnedPositionTable)
{
    ModelSpec learned = model();
    learned.position = Position::Learned;
    learned.embedding.positions = 512;
    const auto checked = validate({}, learned);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message(),
        "--seq-len: sequence length 1024 exceeds the 512 positions of the model (accepted: 1 to 512)");
}

TEST(ValidateMesh, AsksForLayersThatAllModelChunksDivide)
{
    const Parallelism mesh{.gpus = 4, .pp = 4, .virtualStages = 3, .schedule = PipelineSchedule::Interleaved};
    RunConfig config;
    config.parallel = mesh;
    ModelSpec model;
    model.layers = 5; // no number of chunks above one divides them into 4 stages
    model.hidden = 64;
    model.vocab = 128;
    model.attention = {.heads = 4, .kvHeads = 4, .headDim = 16};
    model.mlp.width = 128;
    const Result<void> checked = validate(config, model);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().accepted, "1, or a number of layers that 12 divides") << checked.error().message();
}

} // namespace
} // namespace slipway
