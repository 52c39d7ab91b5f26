// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/lr_schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace slipway {
namespace {

TrainingChoice choice(LrSchedule schedule)
{
    TrainingChoice training;
    training.learningRate = 1.0;
    training.minLearningRate = 0.2;
    training.warmupSteps = 10;
    training.schedule = schedule;
    return training;
}

TEST(LrSchedule, RisesLinearlyAndReachesItsPeakAtTheEndOfTheWarmUp)
{
    for (const LrSchedule schedule :
        {LrSchedule::Cosine, LrSchedule::Linear, LrSchedule::Constant, LrSchedule::Wsd, LrSchedule::InverseSqrt}) {
        EXPECT_DOUBLE_EQ(learningRateAt(1, 110, choice(schedule)), 0.1);
        EXPECT_DOUBLE_EQ(learningRateAt(5, 110, choice(schedule)), 0.5);
        EXPECT_DOUBLE_EQ(learningRateAt(10, 110, choice(schedule)), 1.0);
    }
}

TEST(LrSchedule, FallsToItsFloorAtTheLastStep)
{
    EXPECT_DOUBLE_EQ(learningRateAt(60, 110, choice(LrSchedule::Cosine)), 0.6);
    EXPECT_NEAR(learningRateAt(35, 110, choice(LrSchedule::Cosine)), 0.2 + 0.8 * 0.5 * (1 + std::sqrt(0.5)), 1e-12);
    EXPECT_DOUBLE_EQ(learningRateAt(110, 110, choice(LrSchedule::Cosine)), 0.2);
    EXPECT_DOUBLE_EQ(learningRateAt(60, 110, choice(LrSchedule::Linear)), 0.6);
    EXPECT_DOUBLE_EQ(learningRateAt(110, 110, choice(LrSchedule::Linear)), 0.2);
    EXPECT_DOUBLE_EQ(learningRateAt(110, 110, choice(LrSchedule::Constant)), 1.0);
}

TEST(LrSchedule, OfWarmUpStableDecayStaysUntilItsLastStepsAndFallsLinearlyOverThem)
{
    TrainingChoice wsd = choice(LrSchedule::Wsd);
    EXPECT_DOUBLE_EQ(learningRateAt(99, 110, wsd), 1.0) << "a tenth of all steps are 11";
    EXPECT_DOUBLE_EQ(learningRateAt(110, 110, wsd), 0.2);
    wsd.decaySteps = 40;
    EXPECT_DOUBLE_EQ(learningRateAt(70, 110, wsd), 1.0);
    EXPECT_DOUBLE_EQ(learningRateAt(80, 110, wsd), 0.8);
    EXPECT_DOUBLE_EQ(learningRateAt(90, 110, wsd), 0.6);
    EXPECT_DOUBLE_EQ(learningRateAt(110, 110, wsd), 0.2);
    wsd.decaySteps = 1000; // no longer than what the warm-up leaves
    EXPECT_DOUBLE_EQ(learningRateAt(60, 110, wsd), 0.6);
}

TEST(LrSchedule, OfTheInverseRootHalvesWhenTheStepsGrowFourfold)
{
    const TrainingChoice inverse = choice(LrSchedule::InverseSqrt);
    EXPECT_DOUBLE_EQ(learningRateAt(40, 110, inverse), 0.5);
    EXPECT_DOUBLE_EQ(learningRateAt(90, 110, inverse), 1.0 / 3);
    EXPECT_DOUBLE_EQ(learningRateAt(1000, 2000, inverse), 0.2) << "the floor";
}

TEST(LrSchedule, NeverFallsBelowItsFloorPastTheEnd)
{
    EXPECT_DOUBLE_EQ(learningRateAt(500, 110, choice(LrSchedule::Wsd)), 0.2);
    EXPECT_DOUBLE_EQ(learningRateAt(500, 110, choice(LrSchedule::Cosine)), 0.2);
}

TEST(LrSchedule, OfARunShorterThanItsWarmUpOnlyRises)
{
    EXPECT_DOUBLE_EQ(learningRateAt(5, 5, choice(LrSchedule::Cosine)), 0.5);
    TrainingChoice none = choice(LrSchedule::Cosine);
    none.warmupSteps = 0;
    EXPECT_DOUBLE_EQ(learningRateAt(1, 1, none), 0.2);
}

} // namespace
} // namespace slipway
