// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cost/goodput.h"

#include <cmath>
#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(Goodput, LosesOnlyCheckpointsWhereNothingFails)
{
    EXPECT_DOUBLE_EQ(
        goodput({.failuresPerHour = 0, .restart = 600, .checkpointInterval = 970, .checkpoint = 30}), 0.97);
    EXPECT_DOUBLE_EQ(goodput({.checkpointInterval = 1000}), 1.0);
}

TEST(Goodput, IsDalysFormula)
{
    // One failure in an hour, 10 min to restart, 30 min between checkpoints that take none: 1800 / (4200 (e^0.5 - 1))
    EXPECT_NEAR(goodput({.failuresPerHour = 1, .restart = 600, .checkpointInterval = 1800}),
        1800 / (4200 * 0.6487212707001282), 1e-12);
}

TEST(Goodput, FallsWithEachOfItsCauses)
{
    const GoodputAssumptions base{.failuresPerHour = 0.1, .restart = 300, .checkpointInterval = 1800, .checkpoint = 20};
    GoodputAssumptions worse = base;
    worse.failuresPerHour = 0.2;
    EXPECT_LT(goodput(worse), goodput(base));
    worse = base;
    worse.restart = 600;
    EXPECT_LT(goodput(worse), goodput(base));
    worse = base;
    worse.checkpoint = 40;
    EXPECT_LT(goodput(worse), goodput(base));
    EXPECT_GT(goodput(base), 0);
}

TEST(Goodput, IsBestNearYoungsInterval)
{
    GoodputAssumptions a{.failuresPerHour = 0.05, .restart = 300, .checkpoint = 20};
    a.checkpointInterval = optimalCheckpointInterval(a);
    EXPECT_DOUBLE_EQ(a.checkpointInterval, std::sqrt(2 * 20 * 3600 / 0.05));
    const double best = goodput(a);
    for (const double factor : {0.5, 2.0}) {
        GoodputAssumptions other = a;
        other.checkpointInterval *= factor;
        EXPECT_LT(goodput(other), best);
    }
    EXPECT_EQ(optimalCheckpointInterval({.checkpoint = 20}), 0) << "nothing fails: the longer the better";
}

} // namespace
} // namespace slipway
