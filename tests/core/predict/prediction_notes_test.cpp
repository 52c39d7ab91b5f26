// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a prediction says about what it rests on.
#include <gtest/gtest.h>

#include <algorithm>

#include "one_billion.h"

namespace slipway {
namespace {

using testing::hasNote;
using testing::oneBillion;
using testing::predicted;

TEST(Predict, saysWhetherPublishedRunsStandBehindIt)
{
    RunConfig config = oneBillion();
    config.gpu = "a100-sxm-80gb";
    EXPECT_EQ(predicted(config).speedOrigin, Origin::Datasheet) << "nobody published a run of our own trainer";
    config.framework = Framework::Megatron;
    const Prediction megatron = predicted(config);
    EXPECT_EQ(megatron.speedOrigin, Origin::Published);
    EXPECT_EQ(megatron.memoryOrigin, Origin::Datasheet);
    EXPECT_TRUE(hasNote(megatron, "published runs on the A100 80GB SXM4 with megatron"));
    config.gpu = "l4-24gb";
    EXPECT_EQ(predicted(config).speedOrigin, Origin::Datasheet);
}

TEST(Predict, saysWhereACardHasNoGemmsInBf16)
{
    RunConfig c = oneBillion();
    c.gpu = "v100-sxm2-16gb";
    c.framework = Framework::PytorchEager;
    const auto says = [&] { return hasNote(predicted(c), "does not support bf16 GEMMs"); };
    EXPECT_TRUE(says());
    c.precision = Precision::Fp16Mixed;
    EXPECT_FALSE(says());
    c = oneBillion();
    c.gpu = "b200";
    EXPECT_FALSE(says()) << "compute capability 10.0";
}

TEST(Predict, saysWhichNetworkItAssumesBetweenNodes)
{
    const auto note = [](const RunConfig &c) {
        const Prediction p = predicted(c);
        const auto found = std::find_if(p.notes.begin(), p.notes.end(),
            [](const std::string &n) { return n.find("network bandwidth per node") != std::string::npos; });
        return found == p.notes.end() ? std::string() : *found;
    };
    RunConfig c = oneBillion();
    c.gpu = "a100-sxm-80gb";
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 16};
    EXPECT_EQ(note(c), "Assumed: 400 Gbit/s of network bandwidth per node (as on aws-p4de.24xlarge); --network-gbps "
                       "sets another value.");
    c.parallel.gpusPerNode = 2;
    EXPECT_EQ(note(c), "Assumed: 400 Gbit/s of network bandwidth per node (usual for nodes with this GPU); "
                       "--network-gbps sets another value.")
        << "200 a card";
    c.networkGbps = 100;
    EXPECT_EQ(note(c), "");
    c = oneBillion();
    EXPECT_EQ(note(c), "") << "one node";
}

TEST(Predict, saysOfLongRunsOnRentedGpusAloneThatTheyTakeMoreThanSteps)
{
    const auto says = [](const std::string &gpu, Tokens tokens) {
        RunConfig c{.model = "100M", .gpu = gpu, .precision = Precision::Bf16Mixed, .tokens = tokens};
        if (gpu == "cpu")
            c.precision = Precision::Fp32;
        return std::ranges::any_of(predicted(c).notes,
            [](const std::string &note) { return note.starts_with("Hours and cost cover training steps only"); });
    };
    EXPECT_TRUE(says("h100-sxm-80gb", 1'000'000'000'000));
    EXPECT_FALSE(says("h100-sxm-80gb", 1'000'000));
    EXPECT_FALSE(says("cpu", 1'000'000'000'000));
}

TEST(Predict, saysThatASequenceExceedsTheContextLengthOfTheModel)
{
    const auto says = [](const std::string &model, std::int64_t seqLen) {
        return hasNote(predicted({.model = {.name = model}, .gpu = "h100-sxm-80gb", .seqLen = seqLen}),
            "exceeds the context length of smollm2-135m (8192 tokens)");
    };
    EXPECT_TRUE(says("smollm2-135m", 8193));
    EXPECT_FALSE(says("smollm2-135m", 8192));
    EXPECT_FALSE(says("100M", 16384)) << "a model without a context length";
}

TEST(Predict, saysThatTheTokenBudgetOfAdaptersIsThatOfTrainingFromScratch)
{
    RunConfig config{.model = {.name = "1B"}, .gpu = "h100-sxm-80gb"};
    config.framework = Framework::PytorchEager;
    const auto says = [&] { return hasNote(predicted(config), "20 tokens per parameter"); };
    EXPECT_FALSE(says());
    config.loraRank = 16;
    EXPECT_TRUE(says());
    config.tokens = 10'000'000;
    EXPECT_FALSE(says()) << "the user's own";
}

TEST(Predict, saysThatAFewHoppersWithoutTheirFormAreOftenPcieCards)
{
    const auto says = [](const std::string &gpu, int gpus) {
        return hasNote(predicted({.model = {.name = "100M"},
                           .gpu = gpu,
                           .parallel = {.kind = gpus > 1 ? ParallelKind::Ddp : ParallelKind::None, .gpus = gpus}}),
            "--gpu h100-pcie-80gb");
    };
    EXPECT_TRUE(says("H100", 1));
    EXPECT_TRUE(says("h100-80gb", 4));
    EXPECT_FALSE(says("H100", 8));
    EXPECT_FALSE(says("H100 SXM", 1));
    EXPECT_FALSE(says("h100-sxm-80gb", 1));
    EXPECT_FALSE(says("A100", 1));
}

TEST(Predict, saysThatAVersionIsNewerThanTheNewestKnown)
{
    RunConfig c = oneBillion();
    c.framework = Framework::PytorchEager;
    c.software = "llama-factory@99";
    EXPECT_TRUE(hasNote(predicted(c), "llama-factory 99 is newer than the newest known version"));
    c.software = "llama-factory";
    EXPECT_FALSE(hasNote(predicted(c), "newer than the newest"));
}

} // namespace
} // namespace slipway
