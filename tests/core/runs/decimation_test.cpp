// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/decimation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace slipway {
namespace {

struct NoisyCurve {
    std::vector<double> x, y;
};

NoisyCurve noise(std::size_t count, unsigned seed)
{
    NoisyCurve curve;
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < count; ++i) {
        curve.x.push_back(static_cast<double>(i + 1));
        curve.y.push_back(normal(random));
    }
    return curve;
}

TEST(Envelope, OfNothingIsEmpty)
{
    EXPECT_TRUE(envelope({}, {}, 100).empty());
    const NoisyCurve curve = noise(10, 1);
    EXPECT_TRUE(envelope(curve.x, curve.y, 100, 50, 60).empty());
}

TEST(Envelope, OfFewPointsKeepsEachOfThem)
{
    const NoisyCurve curve = noise(10, 1);
    const auto buckets = envelope(curve.x, curve.y, 100);
    ASSERT_EQ(buckets.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i)
        EXPECT_EQ(buckets[i],
            (EnvelopeBucket{.x = curve.x[i], .last = curve.y[i], .min = curve.y[i], .max = curve.y[i], .points = 1}));
}

TEST(Envelope, EqualsTheFullDataBucketByBucket)
{
    const NoisyCurve curve = noise(100'003, 7);
    const auto buckets = envelope(curve.x, curve.y, 2000);
    ASSERT_LE(buckets.size(), 2002U);
    std::size_t at = 0;
    for (const EnvelopeBucket &bucket : buckets) {
        const auto first = curve.y.begin() + static_cast<std::ptrdiff_t>(at);
        const auto end = first + bucket.points;
        EXPECT_EQ(bucket.min, *std::min_element(first, end));
        EXPECT_EQ(bucket.max, *std::max_element(first, end));
        EXPECT_EQ(bucket.last, *(end - 1));
        at += static_cast<std::size_t>(bucket.points);
        EXPECT_EQ(bucket.x, curve.x[at - 1]);
    }
    EXPECT_EQ(at, curve.x.size());
}

TEST(Envelope, KeepsASingleSpikeInAMillionPoints)
{
    NoisyCurve curve = noise(1'000'000, 3);
    curve.y[654'321] = 1e6;
    const auto buckets = envelope(curve.x, curve.y, 1000);
    EXPECT_EQ(
        std::max_element(buckets.begin(), buckets.end(), [](auto &a, auto &b) { return a.max < b.max; })->max, 1e6);
}

TEST(Envelope, LeavesFinishedBucketsAsTheyWereWhenPointsArrive)
{
    const NoisyCurve curve = noise(3000, 5);
    const auto part = [&](std::size_t count) {
        return envelope(std::span(curve.x).first(count), std::span(curve.y).first(count), 1000);
    };
    const auto before = part(2500), after = part(3000); // buckets of 4 both times
    for (std::size_t i = 0; i + 1 < before.size(); ++i)
        EXPECT_EQ(before[i], after[i]);
}

TEST(Envelope, CountsWhatIsNotFiniteAndLeavesAGap)
{
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    const std::vector<double> x{1, 2, 3, 4}, y{1.5, nan, inf, -2};
    const auto buckets = envelope(x, y, 100);
    ASSERT_EQ(buckets.size(), 4U);
    EXPECT_EQ(buckets[1], (EnvelopeBucket{.x = 2, .notFinite = 1}));
    EXPECT_EQ(buckets[2], (EnvelopeBucket{.x = 3, .notFinite = 1}));
    EXPECT_EQ(buckets[3].last, -2);
}

TEST(Envelope, OfARangeHasThePointsOfThatRangeOnly)
{
    const NoisyCurve curve = noise(1000, 9);
    const auto buckets = envelope(curve.x, curve.y, 2000, 100, 199);
    ASSERT_EQ(buckets.size(), 100U);
    EXPECT_EQ(buckets.front().x, 100);
    EXPECT_EQ(buckets.back().x, 199);
}

} // namespace
} // namespace slipway
