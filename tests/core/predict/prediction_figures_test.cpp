// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Figures of one answer must agree with one another: parts with their sum, ranges with what lies in them, rates with
// what they are rates of.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "predict/predict.h"

#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

// Dense, experts, an interleaved pipeline, fp8, tensor and context parallelism, launches that the GPU waits for, out
// of memory.
std::vector<RunConfig> diverse()
{
    const auto with = [](const char *model, Framework framework, Parallelism parallel, auto change) {
        RunConfig c;
        c.model.name = model;
        c.framework = framework;
        c.parallel = parallel;
        change(c);
        return c;
    };
    const auto asItIs = [](RunConfig &) {};
    return {
        with("1B", Framework::Slipway, {.kind = ParallelKind::FsdpFull, .gpus = 8}, asItIs),
        with("100M", Framework::PytorchEager, {.kind = ParallelKind::Ddp, .gpus = 2},
            [](RunConfig &c) { c.microBatch = 1; }),
        with("mixtral-8x7b", Framework::Megatron, {.kind = ParallelKind::Zero1, .gpus = 64, .tp = 2, .ep = 8}, asItIs),
        with("llama-2-13b", Framework::Megatron,
            {.kind = ParallelKind::Ddp, .gpus = 16, .tp = 2, .pp = 4, .virtualStages = 2},
            [](RunConfig &c) { c.gradAccum = 8; }),
        with("llama-3.1-8b", Framework::PytorchCompile, {.kind = ParallelKind::FsdpFull, .gpus = 16},
            [](RunConfig &c) {
                c.precision = Precision::Fp8Mixed;
                c.recompute = Recompute::Selective;
            }),
        with("llama-3.1-8b", Framework::Megatron, {.kind = ParallelKind::None, .gpus = 4, .tp = 2, .cp = 2},
            [](RunConfig &c) {
                c.gpu = "a100-sxm-40gb";
                c.recompute = Recompute::Full;
                c.gradAccum = 8;
                c.seqLen = 512;
            }),
        with("llama-2-70b", Framework::PytorchEager, {.kind = ParallelKind::FsdpFull, .gpus = 8},
            [](RunConfig &c) { c.prices = "aws"; }),
    };
}

TEST(PredictionFigures, OfTimeSumUpToTheStep)
{
    for (const RunConfig &config : diverse()) {
        const auto speed =
            toJson(predict(config, catalogue(), {.suggestions = false, .maxMicroBatch = false}).value())["speed"];
        const auto &seconds = speed["seconds"];
        double sum = seconds["communication_exposed"].get<double>() + seconds["idle"].get<double>(), phases = 0;
        for (const char *part : {"gemm", "attention", "elementwise", "loss", "optimizer"})
            sum += seconds[part].get<double>();
        for (const auto &[name, part] : speed["phases"].items())
            phases += part.get<double>();
        const double step = speed["step_s"];
        EXPECT_NEAR(sum, step, 0.01 * step) << config.model.name;
        EXPECT_LE(phases, 1.0001 * step) << config.model.name;
        EXPECT_GE(seconds["idle"], 0.0);
        EXPECT_LE(seconds["communication_exposed"].get<double>(), 1.0001 * seconds["communication"].get<double>())
            << config.model.name;
        EXPECT_LE(speed["step_p10_s"], speed["step_s"]);
        EXPECT_LE(speed["step_s"], speed["step_p90_s"]);
        EXPECT_NEAR(speed["tokens_per_s"].get<double>() * step, double(config.tokensPerStep()),
            1e-6 * double(config.tokensPerStep()));
    }
}

TEST(PredictionFigures, OfMemorySumUpToThePeakOfTheWorstStage)
{
    for (const RunConfig &config : diverse()) {
        const auto memory =
            toJson(predict(config, catalogue(), {.suggestions = false, .maxMicroBatch = false}).value())["memory"];
        Bytes atPeak = 0, worst = 0;
        for (const auto &[role, bytes] : memory["at_peak"].items())
            atPeak += bytes.get<Bytes>();
        for (const auto &stage : memory["stages"])
            worst = std::max(worst, stage["peak_bytes"].get<Bytes>());
        const Bytes allocated = memory["peak_allocated_bytes"], peak = memory["peak_bytes"];
        EXPECT_LE(atPeak, allocated);
        EXPECT_GT(double(atPeak), 0.98 * double(allocated)) << config.model.name;
        EXPECT_EQ(peak, memory["peak_reserved_bytes"].get<Bytes>() + memory["outside_allocator_bytes"].get<Bytes>());
        EXPECT_EQ(memory["headroom_bytes"].get<Bytes>(), memory["capacity_bytes"].get<Bytes>() - peak);
        EXPECT_EQ(memory["stages"].size(), std::size_t(config.parallel.pp));
        EXPECT_EQ(worst, peak) << config.model.name;
        EXPECT_LE(memory["peak_p10_bytes"].get<Bytes>(), peak);
        EXPECT_GE(memory["peak_p90_bytes"].get<Bytes>(), peak);
    }
}

TEST(PredictionFigures, OfCostFollowFromThePriceOfAnHour)
{
    for (const RunConfig &config : diverse()) {
        const auto p = toJson(predict(config, catalogue(), {.suggestions = false, .maxMicroBatch = false}).value());
        const auto &cost = p["cost"];
        const double hours = cost["hours"], perHour = cost["usd_per_hour"], usd = cost["usd"], tokens = cost["tokens"];
        EXPECT_NEAR(hours, tokens / p["speed"]["tokens_per_s"].get<double>() / 3600, 1e-9 * hours);
        EXPECT_NEAR(usd, perHour * hours, 1e-9 * usd);
        EXPECT_NEAR(cost["usd_per_billion_tokens"].get<double>() * cost["tokens_per_usd"].get<double>(), 1e9, 1);
        EXPECT_NEAR(usd, tokens / 1e9 * cost["usd_per_billion_tokens"].get<double>(), 1e-6 * usd);
        EXPECT_NEAR(cost["goodput"]["usd"].get<double>() * cost["goodput"]["fraction"].get<double>(), usd, 1e-6 * usd);
        EXPECT_TRUE(cost["assumed"].is_array());
    }
}

} // namespace
} // namespace slipway
