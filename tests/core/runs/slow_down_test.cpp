// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/slow_down.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "run_examples.h"

namespace slipway {
namespace {

constexpr double kFactor = 1.2;
constexpr Seconds kLasting = 60; // blocks of 20 steps of a second

struct Series {
    StepTable steps;
    std::mt19937 random{7};

    Series &add(int count, double seconds, double spread = 0)
    {
        std::normal_distribution<double> noise(0, 1);
        for (int i = 0; i < count; ++i) {
            StepMetrics step = exampleStep(static_cast<std::int64_t>(steps.size()) + 1);
            step.stepSeconds = seconds * std::exp(spread * noise(random));
            steps.push_back(step);
        }
        return *this;
    }
    [[nodiscard]] std::optional<SlowDown> now() const { return slowDownOf(steps, kFactor, kLasting); }
    // How often the verdict would have changed, had it been asked after each step.
    [[nodiscard]] int changes() const
    {
        StepTable grown;
        bool slow = false;
        int count = 0;
        for (const StepMetrics &step : steps) {
            grown.push_back(step);
            if (const bool is = slowDownOf(grown, kFactor, kLasting).has_value(); is != slow) {
                slow = is;
                ++count;
            }
        }
        return count;
    }
};

TEST(SlowDown, IsToldAfterItHasLastedAndNamesWhereItBegan)
{
    Series series;
    series.add(99, 1).add(59, 1.5);
    EXPECT_FALSE(series.now());
    series.add(1, 1.5);
    EXPECT_EQ(series.now(), (SlowDown{.usual = 1, .recent = 1.5, .since = 100}));
}

TEST(SlowDown, IsNoneForOneSlowStepASlowMinuteOrTheFirstSteps)
{
    EXPECT_FALSE(Series().add(19, 9).add(300, 1).now());
    Series series;
    series.add(99, 1);
    for (int i = 0; i < 20; ++i)
        series.add(1, 100).add(19, 1);
    EXPECT_FALSE(series.now());
    EXPECT_EQ(Series().add(99, 1).add(40, 1.5).add(100, 1).add(40, 1.5).add(100, 1).changes(), 0);
}

TEST(SlowDown, IsOverOnceTheRunHasBeenFastForAsLong)
{
    Series series;
    series.add(199, 1).add(100, 1.5).add(40, 1);
    EXPECT_TRUE(series.now());
    series.add(20, 1);
    EXPECT_FALSE(series.now());
}

TEST(SlowDown, DoesNotComeAndGoAroundItsLimit)
{
    Series series;
    series.add(199, 1);
    for (int i = 0; i < 20; ++i)
        series.add(60, 1.25).add(60, 1.15); // above the limit and below it, never as fast as before
    EXPECT_EQ(series.changes(), 1);
    EXPECT_TRUE(series.now());
}

TEST(SlowDown, IsJudgedByTheRunsOwnSpread)
{
    // A machine whose steps swing between two speeds every few minutes, as where others use it too.
    Series series;
    for (int i = 0; i < 12; ++i)
        series.add(40, 1).add(40, 1.6);
    EXPECT_EQ(series.changes(), 0);
    series.add(60, 5);
    EXPECT_TRUE(series.now()); // beyond anything that it did
}

TEST(SlowDown, IsNoNewsWhenTheRunHasBeenThereBefore)
{
    Series series;
    for (int i = 0; i < 10; ++i)
        series.add(200, 1).add(200, 1.6);
    EXPECT_EQ(series.changes(), 2); // the first time, and its end
}

TEST(SlowDown, IsNotSeenInNoise)
{
    EXPECT_EQ(Series().add(1500, 1, 0.5).changes(), 0);
    EXPECT_EQ(Series().add(600, 1, 0.3).add(300, 1.8, 0.3).changes(), 1);
}

TEST(SlowDown, ThatComesOverHoursIsSeenToo)
{
    Series series;
    for (int i = 0; i < 100; ++i)
        series.add(20, 1 + 0.01 * i);
    const auto slow = series.now();
    ASSERT_TRUE(slow);
    EXPECT_LT(slow->usual * kFactor, slow->recent);
    EXPECT_EQ(series.changes(), 1);
}

TEST(SlowDown, TakesFewerStepsWhereEachIsLong)
{
    Series series;
    series.add(39, 45).add(15, 90);
    EXPECT_EQ(series.now(), (SlowDown{.usual = 45, .recent = 90, .since = 40}));
}

TEST(SlowDown, IsFoundInAVeryLongRunAndWhereStepsCarryNoTime)
{
    EXPECT_TRUE(Series().add(100'000, 0.01).add(60'000, 0.02).now());
    EXPECT_FALSE(Series().add(1000, std::nan("")).now());
    EXPECT_FALSE(Series().add(1000, 0).now());
    EXPECT_FALSE(Series().now());
}

} // namespace
} // namespace slipway
