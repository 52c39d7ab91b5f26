// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a plan far beyond its GPU is answered.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/settings.h"
#include "predict/predict.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

RunConfig changed(RunConfig config, const Suggestion &s)
{
    for (const auto &[key, value] : s.change)
        config = applySetting(config, key, value).value();
    return config;
}

RunConfig farBeyondItsCard(const char *model, Framework framework, const char *gpu, Parallelism parallel,
    std::int64_t microBatch, std::int64_t seqLen)
{
    RunConfig c;
    c.model.name = model;
    c.framework = framework;
    c.gpu = gpu;
    c.parallel = parallel;
    c.microBatch = microBatch;
    c.seqLen = seqLen;
    return c;
}

TEST(SearchRoom, FindsAWayForPlansManyTimesBeyondTheirCardEachVerifiedByItsOwnPlan)
{
    const RunConfig cases[] = {
        farBeyondItsCard("llama-2-70b", Framework::PytorchEager, "v100-sxm2-16gb",
            {.kind = ParallelKind::FsdpFull, .gpus = 1}, 8, 4096),
        farBeyondItsCard(
            "llama-2-70b", Framework::Slipway, "rtx-4090-24gb", {.kind = ParallelKind::Ddp, .gpus = 16}, 2, 512),
        farBeyondItsCard(
            "llama-2-13b", Framework::Megatron, "l4-24gb", {.kind = ParallelKind::Hsdp, .gpus = 32, .pp = 2}, 2, 32768),
        farBeyondItsCard("mixtral-8x7b", Framework::Megatron, "rtx-4090-24gb",
            {.kind = ParallelKind::Hsdp, .gpus = 4, .tp = 2}, 8, 2048),
        farBeyondItsCard("700M", Framework::Slipway, "rtx-3090-24gb", {.gpus = 1}, 1, 131072),
        farBeyondItsCard("llama-3.1-8b", Framework::Slipway, "h100-sxm-80gb",
            {.kind = ParallelKind::FsdpFull, .gpus = 8}, 1, 1 << 20),
        farBeyondItsCard(
            "mixtral-8x7b", Framework::Slipway, "rtx-4090-24gb", {.kind = ParallelKind::FsdpFull, .gpus = 8}, 4, 4096),
    };
    for (const RunConfig &config : cases) {
        const Prediction p = predict(config, catalogue()).value();
        ASSERT_EQ(p.memory.verdict, Verdict::Oom) << config.model.name;
        ASSERT_FALSE(p.suggestions.empty()) << config.model.name << " " << config.gpu << ": " << nothingFitsText(p);
        EXPECT_FALSE(p.leastFound);
        double fastest = p.suggestions.front().tokensPerSecond;
        for (const Suggestion &s : p.suggestions) {
            const Prediction then =
                predict(changed(config, s), catalogue(), {.suggestions = false, .maxMicroBatch = false}).value();
            EXPECT_NE(then.memory.verdict, Verdict::Oom) << s.why;
            EXPECT_EQ(then.memory.peak, s.peak) << s.why;
            EXPECT_DOUBLE_EQ(then.speed.tokensPerSecond, s.tokensPerSecond) << s.why;
            EXPECT_LE(s.tokensPerSecond, fastest) << "ranked as the others";
            EXPECT_EQ(then.config.tokensPerStep() != config.tokensPerStep(),
                s.why.find("times as large") != std::string::npos)
                << s.why;
            fastest = s.tokensPerSecond;
        }
    }
}

TEST(SearchRoom, TakesNoMoreRanksThanHoldIt)
{
    const RunConfig config = farBeyondItsCard(
        "llama-2-70b", Framework::PytorchEager, "rtx-4090-24gb", {.kind = ParallelKind::Zero1, .gpus = 16}, 16, 8192);
    const Prediction p = predict(config, catalogue()).value();
    ASSERT_FALSE(p.suggestions.empty());
    int fewest = 1 << 20;
    for (const Suggestion &s : p.suggestions)
        fewest = std::min(fewest, changed(config, s).gpu == config.gpu ? changed(config, s).parallel.gpus : fewest);
    EXPECT_GT(fewest, 16) << "as many were asked for";
    for (const Suggestion &s : p.suggestions) {
        RunConfig half = changed(config, s);
        if (half.gpu != config.gpu)
            continue;
        EXPECT_EQ(half.parallel.gpus, fewest);
        half.parallel.gpus /= 2;
        half.parallel.cp = std::max(1, half.parallel.cp / 2);
        const Result<Prediction> then = predict(half, catalogue(), {.suggestions = false, .maxMicroBatch = false});
        EXPECT_TRUE(!then || then->memory.verdict == Verdict::Oom) << s.why;
    }
}

// A rank has 8192 tokens of the million, and an eighth of the heads.
TEST(SearchRoom, SplitsSequencesAndLayersForOurOwnTrainer)
{
    RunConfig config = farBeyondItsCard(
        "llama-3.1-8b", Framework::Slipway, "h100-sxm-80gb", {.kind = ParallelKind::FsdpFull, .gpus = 8}, 1, 1 << 20);
    config.memoryGib = 24;
    const Prediction p = predict(config, catalogue()).value();
    ASSERT_FALSE(p.suggestions.empty()) << nothingFitsText(p);
    for (const Suggestion &s : p.suggestions) {
        const Parallelism mesh = changed(config, s).parallel;
        EXPECT_GT(mesh.tp * mesh.cp * mesh.pp, 1) << s.why;
    }
}

// LibTorch's flash attention in bf16 does not keep documents apart over several ranks; fp8 needs heads of 16 per rank.
TEST(SearchRoom, SkipsMeshesThatOurOwnTrainerRefuses)
{
    RunConfig config = farBeyondItsCard(
        "llama-3.1-8b", Framework::Slipway, "h100-sxm-80gb", {.kind = ParallelKind::FsdpFull, .gpus = 8}, 1, 1 << 17);
    config.training.documents = Documents::Separate;
    const Prediction p = predict(config, catalogue()).value();
    ASSERT_EQ(p.memory.verdict, Verdict::Oom);
    ASSERT_FALSE(p.suggestions.empty()) << nothingFitsText(p);
    for (const Suggestion &s : p.suggestions)
        EXPECT_EQ(changed(config, s).parallel.cp, 1) << s.why;
}

TEST(SearchRoom, SaysTheLeastMemoryFoundWhereNothingFits)
{
    RunConfig config = farBeyondItsCard(
        "llama-2-70b", Framework::Slipway, "rtx-4090-24gb", {.kind = ParallelKind::Ddp, .gpus = 16}, 2, 512);
    config.precision = Precision::Fp32;
    config.memoryGib = 4;
    const Prediction p = predict(config, catalogue()).value();
    EXPECT_TRUE(p.suggestions.empty());
    ASSERT_TRUE(p.leastFound);
    const Prediction then =
        predict(changed(config, *p.leastFound), catalogue(), {.suggestions = false, .maxMicroBatch = false}).value();
    EXPECT_EQ(then.memory.verdict, Verdict::Oom);
    EXPECT_EQ(then.memory.peak, p.leastFound->peak);
    EXPECT_LT(then.memory.peak, p.memory.peak);
    const auto json = toJson(p);
    EXPECT_EQ(json["least_found"]["peak_bytes"], p.leastFound->peak);
    EXPECT_EQ(json["least_found"]["change"]["gpus"], 1024);
    EXPECT_NE(toText(p).find("No configuration was found that fits in 4.0 GiB. The lowest peak found is "),
        std::string::npos);
    EXPECT_NE(nothingFitsText(p).find("on 1024 GPUs"), std::string::npos) << nothingFitsText(p);
}

TEST(SearchRoom, WritesWhatItChangesInTheTypesOfTheConfiguration)
{
    RunConfig config = farBeyondItsCard(
        "llama-2-70b", Framework::Megatron, "l4-24gb", {.kind = ParallelKind::FsdpFull, .gpus = 64}, 4, 1024);
    config.memoryGib = 4;
    const auto json = toJson(predict(config, catalogue()).value());
    const auto &change = json["least_found"]["change"];
    ASSERT_TRUE(change.contains("offload_activations")) << change;
    for (const auto &[key, value] : change.items())
        EXPECT_EQ(value.type() == nlohmann::json::value_t::string, json["config"][key].is_string()) << key;
}

TEST(SearchRoom, IsSilentWhereThePlanFits)
{
    const Prediction p = predict(RunConfig{}, catalogue()).value();
    ASSERT_NE(p.memory.verdict, Verdict::Oom);
    EXPECT_TRUE(toJson(p)["least_found"].is_null());
    EXPECT_EQ(nothingFitsText(p), "");
}

// Ranks of a processor share its memory: more of them make no room.
TEST(SearchRoom, PutsNoMoreRanksOnAProcessor)
{
    RunConfig config;
    config.gpu = "cpu";
    config.precision = Precision::Fp32;
    config.memoryGib = 0.5;
    const Prediction p = predict(config, catalogue()).value();
    ASSERT_EQ(p.memory.verdict, Verdict::Oom);
    for (const Suggestion &s : p.suggestions)
        EXPECT_EQ(changed(config, s).parallel.gpus, 1) << s.why;
}

} // namespace
} // namespace slipway
