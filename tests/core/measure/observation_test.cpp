// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a calibration takes from runs, logs and rows of a table.
#include <gtest/gtest.h>

#include "calibration_fixture.h"

namespace slipway {
namespace {

TEST(Observation, takesARowOfAWholeRunsHoursAsItIsValidated)
{
    MeasuredRow steps{.id = "steps"}, hours{.id = "hours"};
    steps.measured.tokensPerSecondPerGpu = hours.measured.tokensPerSecondPerGpu = 4500;
    hours.measured.fromHours = true;
    const std::vector<Observation> observed = observationsOf({steps, hours}, 0.9);
    ASSERT_EQ(observed.size(), 2U);
    EXPECT_DOUBLE_EQ(*observed[0].tokensPerSecondPerGpu, 4500);
    EXPECT_DOUBLE_EQ(*observed[1].tokensPerSecondPerGpu, 5000) << "in its steps it was faster";
}

TEST(Observation, takesNoSpeedFromTimesWithoutTheOptimizer)
{
    MeasuredRow row{.id = "passes"};
    row.measured.tokensPerSecondPerGpu = 4500;
    row.measured.onlyPasses = true;
    EXPECT_TRUE(observationsOf({row}, 0.9).empty());
    row.measured.peakGib = 40;
    const std::vector<Observation> observed = observationsOf({row}, 0.9);
    ASSERT_EQ(observed.size(), 1U);
    EXPECT_EQ(observed[0].tokensPerSecondPerGpu, std::nullopt);
    EXPECT_TRUE(observed[0].reserved || observed[0].allocated || observed[0].device) << "its peak is one of its own";
}

RunData measuredRun(int steps, double tokensPerSecond)
{
    RunData run;
    run.name = "mine";
    run.config = resolvedOf({{"model", "100M"}, {"gpu", "a100-sxm-80gb"}, {"gpus", "2"}, {"parallel", "ddp"}}).config;
    run.config->calibration = "an earlier one";
    for (int step = 1; step <= steps; ++step)
        run.metrics.push_back({.step = step,
            .stepSeconds = 1,
            .tokensPerSecond = step == 1 ? 1 : tokensPerSecond,
            .allocatedPeak = 5 * kGiB,
            .reservedPeak = 6 * kGiB,
            .deviceUsed = 8 * kGiB});
    return run;
}

TEST(Observation, ofARunTakesItsSteadySpeedOfOneGpuAndItsPeaks)
{
    const Observation o = observationOf(measuredRun(20, 30'000), catalogue()).value();
    EXPECT_EQ(o.id, "mine");
    EXPECT_DOUBLE_EQ(*o.tokensPerSecondPerGpu, 15'000);
    EXPECT_EQ(*o.allocated, 5 * kGiB);
    EXPECT_EQ(*o.device, 8 * kGiB);
    EXPECT_TRUE(o.resolved.config.calibration.empty())
        << "what was measured is explained without an earlier calibration";
}

TEST(Observation, ofAShortOrEmptyRunIsRefused)
{
    EXPECT_NE(observationOf(measuredRun(4, 30'000), catalogue()).error().message().find("4 steps, too few"),
        std::string::npos);
    EXPECT_NE(
        observationOf(measuredRun(20, -1), catalogue()).error().message().find("has no speed"), std::string::npos);
    RunData imported = measuredRun(20, 30'000);
    imported.config.reset();
    EXPECT_NE(observationOf(imported, catalogue()).error().message().find("no configuration"), std::string::npos);
}

TEST(Observation, ofALogCountsAsItsUnitSays)
{
    const RunConfig config =
        resolvedOf({{"model", "100M"}, {"gpu", "a100-sxm-80gb"}, {"gpus", "2"}, {"parallel", "ddp"},
                       {"micro_batch", "4"}, {"seq_len", "1024"}, {"grad_accum", "2"}})
            .config;
    const auto perGpu = [&](LogUnit unit, double speed) {
        return *observationOf({.unit = unit, .speed = speed}, "log", config, catalogue())->tokensPerSecondPerGpu;
    };
    EXPECT_DOUBLE_EQ(perGpu(LogUnit::TokensPerGpu, 7000), 7000);
    EXPECT_DOUBLE_EQ(perGpu(LogUnit::AllTokens, 7000), 3500);
    EXPECT_DOUBLE_EQ(perGpu(LogUnit::StepSeconds, 2), 4 * 1024 * 2 / 2.0);
    EXPECT_DOUBLE_EQ(perGpu(LogUnit::StepsPerSecond, 0.5), 4 * 1024 * 2 / 2.0);
    EXPECT_DOUBLE_EQ(perGpu(LogUnit::Sequences, 10), 5 * 1024);
}

} // namespace
} // namespace slipway
