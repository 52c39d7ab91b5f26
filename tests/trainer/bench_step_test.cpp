// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cmath>

#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "exec/bench_step.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

TEST(BenchStep, CountsWhatItTimes)
{
    const ModelSpec model = smallModel();
    SingleCommunicator single;
    const Result<StepBench> bench = benchStep(planOf(smallConfig(), model), model, single, {.steps = 3, .warmup = 1});
    ASSERT_TRUE(bench);
    EXPECT_EQ(bench->params, 2 * 97 * 48 + 3 * (48 * 48 * 2 + 24 * 48 * 2 + 3 * 48 * 80 + 2 * 48) + 48);
    EXPECT_GT(bench->stepMin, 0);
    EXPECT_LE(bench->stepMin, bench->stepMedian);
    EXPECT_NEAR(bench->tokensPerSecond * bench->stepMedian, 160, 1e-6);
    EXPECT_NEAR(bench->lossFirst, std::log(97.0), 0.1);
    EXPECT_LT(bench->lossLast, bench->lossFirst);
    EXPECT_EQ(bench->peakAllocated, bench->plannedPeakAllocated);
}

TEST(BenchStep, OfSeveralRanksCountsTheTokensOfAll)
{
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    config.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 2};
    const StepPlan plan = planOf(config, model);
    ThreadGroup(2).run([&](Communicator &communicator) {
        const Result<StepBench> bench = benchStep(plan, model, communicator, {.steps = 2, .warmup = 0, .threads = 1});
        ASSERT_TRUE(bench);
        EXPECT_NEAR(bench->tokensPerSecond * bench->stepMedian, 2 * 160, 1e-6);
        EXPECT_GT(bench->phases.communication, 0);
        EXPECT_EQ(bench->peakAllocated, bench->plannedPeakAllocated);
    });
}

// Ranks that split a model see the same tokens.
TEST(BenchStep, OfRanksThatSplitTheModelCountsTheirTokensOnce)
{
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    config.parallel = {.gpus = 2, .tp = 2};
    const StepPlan plan = planOf(config, model);
    ThreadGroup(2).run([&](Communicator &communicator) {
        const Result<StepBench> bench = benchStep(plan, model, communicator, {.steps = 2, .warmup = 0, .threads = 1});
        ASSERT_TRUE(bench);
        EXPECT_NEAR(bench->tokensPerSecond * bench->stepMedian, 160, 1e-6);
    });
}

TEST(BenchStep, RefusesToTimeNothing)
{
    const ModelSpec model = smallModel();
    SingleCommunicator single;
    const StepPlan plan = planOf(smallConfig(), model);
    EXPECT_EQ(benchStep(plan, model, single, {.steps = 0}).error().message(),
        "--steps: nothing to time (accepted: 1 or more)");
    EXPECT_EQ(benchStep(plan, model, single, {.warmup = -1}).error().message(),
        "--warmup: nothing to time (accepted: 0 or more)");
}

} // namespace
} // namespace slipway::testing
