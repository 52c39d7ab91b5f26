// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/run_series.h"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_examples.h"

namespace slipway {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

std::shared_ptr<RunSeries> seriesOf(const std::vector<StepMetrics> &metrics)
{
    auto series = std::make_shared<RunSeries>();
    series->replaceFrom(0, metrics);
    return series;
}

std::vector<double> xOf(const RunSeries &series, XAxis axis)
{
    std::vector<double> x;
    for (const EnvelopeBucket &bucket : series.curve({Quantity::Loss}, axis)->buckets(1000, {0, 1e12}, 0))
        x.push_back(bucket.x);
    return x;
}

TEST(RunSeries, DrawsOverStepsTokensTimeAndDollars)
{
    const auto series = seriesOf({exampleStep(1), exampleStep(2), exampleStep(4)});
    series->setUsdPerHour(7200.0);
    EXPECT_THAT(xOf(*series, XAxis::Step), ElementsAre(1, 2, 4));
    EXPECT_THAT(xOf(*series, XAxis::TokensSeen), ElementsAre(1000, 2000, 4000));
    EXPECT_THAT(xOf(*series, XAxis::Time), ElementsAre(1, 2, 4)); // the first step itself took a second
    EXPECT_THAT(xOf(*series, XAxis::Cost), ElementsAre(DoubleEq(2), DoubleEq(4), DoubleEq(8)));
    EXPECT_EQ(series->xOfStep(XAxis::TokensSeen, 3), 4000);
}

TEST(RunSeries, HasNoDollarsWithoutAPrice)
{
    EXPECT_EQ(seriesOf({exampleStep(1)})->curve({Quantity::Loss}, XAxis::Cost), nullptr);
}

TEST(RunSeries, TakesBackWhatALaterAttemptRepeats)
{
    const auto series = seriesOf({exampleStep(1), exampleStep(2), exampleStep(3)});
    StepMetrics again = exampleStep(2, 1);
    again.loss = 99;
    series->replaceFrom(1, std::vector{again});
    EXPECT_EQ(series->size(), 2U);
    EXPECT_EQ(series->curve({Quantity::Loss}, XAxis::Step)->nearest(2, 0)->y, 99);
    EXPECT_THAT(series->restarts(), ElementsAre(2));
    series->replaceFrom(1, std::vector{exampleStep(2, 2)});
    EXPECT_THAT(series->restarts(), ElementsAre(2)) << "the attempt that was taken back left its mark";
}

TEST(RunSeries, AClockThatWasSetBackDoesNotFoldTheCurve)
{
    StepMetrics late = exampleStep(3);
    late.time = exampleStep(1).time;
    EXPECT_THAT(xOf(*seriesOf({exampleStep(1), exampleStep(2), late}), XAxis::Time),
        ::testing::SizeIs(2)); // two points at one instant share a bucket
}

TEST(RunSeries, KeepsEachGpuApartAndLeavesGapsWhereOneIsSilent)
{
    StepMetrics one = exampleStep(1), two = exampleStep(2), three = exampleStep(3);
    one.gpus = {{.utilisation = 90}, {.utilisation = 80}};
    two.gpus = {{.utilisation = 91}};
    three.gpus = {{.utilisation = 92}, {.utilisation = 82}};
    const auto series = seriesOf({one, two, three});
    const auto second = series->curve({Quantity::GpuUse, 1}, XAxis::Step);
    EXPECT_EQ(second->nearest(1, 0)->y, 80);
    EXPECT_TRUE(std::isnan(second->nearest(2, 0)->y));
    EXPECT_EQ(second->nearest(3, 0)->y, 82);
}

TEST(RunSeries, NamesOnlyWhatWasMeasured)
{
    StepMetrics step = exampleStep(1);
    step.mfu = 0.4;
    const std::vector<SeriesKey> keys = seriesOf({step})->keys();
    EXPECT_THAT(keys, ::testing::Contains(SeriesKey{Quantity::Mfu}));
    EXPECT_THAT(keys, ::testing::Not(::testing::Contains(SeriesKey{Quantity::Reserved})));
}

TEST(RunSeries, SmoothsAsItGrowsLikeOneThatWasThereFromTheStart)
{
    std::vector<StepMetrics> all;
    for (int step = 1; step <= 200; ++step)
        all.push_back(exampleStep(step));
    all[57].loss = std::nan("");
    const auto whole = seriesOf(all);
    const auto grown = seriesOf({all.begin(), all.begin() + 50});
    const auto curve = grown->curve({Quantity::Loss}, XAxis::Step);
    EXPECT_TRUE(curve->nearest(50, 8)->smoothed);
    grown->replaceFrom(50, std::span(all).subspan(50));
    for (const double step : {10.0, 57.0, 60.0, 200.0})
        EXPECT_DOUBLE_EQ(*curve->nearest(step, 8)->smoothed,
            *whole->curve({Quantity::Loss}, XAxis::Step)->nearest(step, 8)->smoothed);
    EXPECT_TRUE(std::isnan(*curve->nearest(58, 8)->smoothed));
}

TEST(RunSeries, MeansAreThoseOfAddingEveryValueInTurn)
{
    std::vector<StepMetrics> all;
    for (int step = 1; step <= 1500; ++step) {
        all.push_back(exampleStep(step));
        all.back().loss = step % 97 == 0 ? std::nan("") : std::sin(step * 0.1) + 1.0 / step;
    }
    const auto series = seriesOf(all);
    // Some steps are taken again, and then more follow.
    (void)series->curve({Quantity::Loss}, XAxis::Step)->nearest(1500, 32);
    for (std::size_t i = 700; i < all.size(); ++i)
        all[i].loss += 1;
    series->replaceFrom(700, std::span(all).subspan(700));
    for (const double halfLife : {32.0, 8.0}) {
        RunningMean mean(halfLife);
        std::map<double, double> expected;
        for (const StepMetrics &step : all)
            expected[static_cast<double>(step.step)] = mean.add(step.loss);
        for (const std::size_t most : {10U, 5000U}) {
            for (const EnvelopeBucket &bucket :
                series->curve({Quantity::Loss}, XAxis::Step)->buckets(most, {1, 1500}, halfLife)) {
                ASSERT_EQ(bucket.mean.has_value(), bucket.points > 0);
                if (bucket.mean) {
                    EXPECT_EQ(*bucket.mean, expected.at(bucket.x)) << bucket.x;
                }
            }
        }
    }
    EXPECT_FALSE(series->curve({Quantity::Loss}, XAxis::Step)->buckets(10, {1, 1500}, 0).front().mean);
}

TEST(RunSeries, OfStepsThatWereTakenAgainStandsOnTheAxesOfTheRun)
{
    const auto run = seriesOf({exampleStep(1), exampleStep(2, 1), exampleStep(3, 1)});
    run->setUsdPerHour(3600.0);
    const auto superseded = supersededSeries(std::vector{exampleStep(2), exampleStep(3), exampleStep(4)}, *run);
    ASSERT_EQ(superseded.size(), 1U);
    EXPECT_THAT(xOf(*superseded[0], XAxis::Step), ElementsAre(2, 3, 4));
    EXPECT_THAT(xOf(*superseded[0], XAxis::Time), ElementsAre(2, 3, 4));
    EXPECT_THAT(xOf(*superseded[0], XAxis::Cost), ElementsAre(DoubleEq(2), DoubleEq(3), DoubleEq(4)));
    EXPECT_TRUE(supersededSeries({}, *run).empty());
}

} // namespace
} // namespace slipway
