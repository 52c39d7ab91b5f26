// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/first_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "config/settings.h"
#include "predict/live_buffers.h"
#include "predict/predict.h"
#include "predict/timeline.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

RunConfig configOf(const std::vector<std::pair<std::string, std::string>> &choices)
{
    RunConfig config;
    for (const auto &[key, value] : choices)
        config = applySetting(config, key, value).value();
    return config;
}

Bytes sumOf(const FirstSteps::Point &point)
{
    return std::accumulate(point.bytes.begin(), point.bytes.end(), Bytes{0});
}

Bytes highest(const FirstSteps &first, int step, Bytes FirstSteps::Point::*what)
{
    Bytes most = 0;
    for (const FirstSteps::Point &point : first.points)
        most = point.step == step ? std::max(most, point.*what) : most;
    return most;
}

const RunConfig kEager =
    configOf({{"model", "500M"}, {"gpu", "a100-sxm-80gb"}, {"framework", "pytorch-eager"}, {"micro_batch", "4"}});

TEST(FirstSteps, reachThePeaksThatThePlanTells)
{
    const FirstSteps first = firstSteps(kEager, catalogue()).value();
    const MemoryPrediction memory =
        predict(kEager, catalogue(), {.suggestions = false, .maxMicroBatch = false})->memory;
    Bytes reserved = 0;
    for (int step = 1; step <= kFirstSteps; ++step)
        reserved = std::max(reserved, highest(first, step, &FirstSteps::Point::reserved));
    EXPECT_EQ(reserved, memory.peakReserved);
    EXPECT_FALSE(first.outOfMemory);
    EXPECT_EQ(first.usable, memory.capacity - memory.outsideAllocator);
}

TEST(FirstSteps, makeAdamsStatesInTheFirstStepAndRepeatThemselvesAfterTheSecond)
{
    const FirstSteps first = firstSteps(kEager, catalogue()).value();
    constexpr auto states = static_cast<std::size_t>(Role::OptimizerState);
    EXPECT_EQ(first.points.front().bytes[states], 0);
    EXPECT_GT(first.points.back().bytes[states], 0);
    EXPECT_LT(highest(first, 1, &FirstSteps::Point::allocated), highest(first, 2, &FirstSteps::Point::allocated));
    EXPECT_EQ(highest(first, 3, &FirstSteps::Point::allocated), highest(first, 4, &FirstSteps::Point::allocated));
    for (const FirstSteps::Point &point : first.points) {
        ASSERT_LE(sumOf(point), point.allocated) << point.op << ": the allocator rounds up";
        ASSERT_LE(point.allocated, point.reserved) << point.op;
    }
}

TEST(FirstSteps, ofOurOwnTrainerTakeTheArenaAtOnce)
{
    const FirstSteps first = firstSteps(configOf({{"model", "100M"}, {"gpu", "a100-sxm-80gb"}}), catalogue()).value();
    EXPECT_EQ(first.points.front().reserved, first.points.back().reserved);
    EXPECT_EQ(first.points.size() % kFirstSteps, 0U);
}

TEST(FirstSteps, sayWhereNothingFits)
{
    RunConfig config = kEager;
    config.memoryGib = 4;
    const FirstSteps first = firstSteps(config, catalogue()).value();
    EXPECT_TRUE(first.outOfMemory);
    EXPECT_EQ(first.points.back().step, kFirstSteps) << "what would be needed is shown whole";
    EXPECT_FALSE(firstSteps(configOf({{"gpu", "cpu"}}), catalogue())) << "errors of the plan are passed on";
}

TEST(Stages, ofAPipelineHaveTheirOwnMemoryAndTimeline)
{
    const RunConfig config = configOf({{"model", "1B"}, {"gpu", "a100-sxm-80gb"}, {"framework", "megatron"},
        {"gpus", "4"}, {"pp", "4"}, {"micro_batch", "2"}, {"grad_accum", "8"}});
    const auto peak = [&](std::size_t stage) {
        Bytes most = 0;
        const MemoryOverStep over = memoryOverStep(config, catalogue(), stage).value();
        for (const MemoryOverStep::Point &point : over.points)
            most = std::max(most, point.bytes[static_cast<std::size_t>(Role::Activation)]);
        return most;
    };
    EXPECT_GT(peak(0), peak(3)) << "the first stage holds four micro-batches in flight, the last one";
    EXPECT_EQ(peak(3), peak(17)) << "the last one counts beyond the end";
    const auto hasLoss = [&](std::size_t stage) {
        const Timeline timeline = timelineOf(config, catalogue(), stage).value();
        return std::any_of(
            timeline.ops.begin(), timeline.ops.end(), [](const TimelineOp &op) { return op.cost == CostClass::Loss; });
    };
    EXPECT_FALSE(hasLoss(0));
    EXPECT_TRUE(hasLoss(3));
    EXPECT_NE(buffersAt(config, catalogue(), 0, 0)->size(), 0U);
}

} // namespace
} // namespace slipway
