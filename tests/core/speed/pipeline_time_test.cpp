// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Stages that play together: bubbles are those of the schedules' papers.
#include "speed/pipeline_time.h"

#include <gtest/gtest.h>
#include <numeric>

#include "plan/build_plan.h"
#include "speed/simulate_step.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using enum PipelineSchedule;

struct Ideal {
    Seconds forward = 1, backward = 2, weights = 0; // of all of a stage
};

// Idle over busy, of stages that are alike, without messages.
double bubble(PipelineSchedule schedule, int stages, int parts, std::int64_t microBatches, const Ideal &ideal)
{
    const Parallelism mesh{.gpus = stages, .pp = stages, .virtualStages = parts, .schedule = schedule};
    const auto each = [&](Seconds all) { return std::vector<Seconds>(static_cast<std::size_t>(parts), all / parts); };
    const PassTimes times{
        .forward = each(ideal.forward), .backward = each(ideal.backward), .weights = each(ideal.weights)};
    const std::vector<PassTimes> all(static_cast<std::size_t>(stages), times);
    const PipelineTime played = simulatePipeline(mesh, microBatches, all);
    const Seconds busy = static_cast<double>(microBatches) * (ideal.forward + ideal.backward + ideal.weights);
    for (const Seconds idle : played.idle)
        EXPECT_NEAR(idle, played.step - busy, 1e-9 * busy);
    return (played.step - busy) / busy;
}

// Huang et al. 2019 (arXiv 1811.06965), section 2.3; Narayanan et al. 2021 (arXiv 2104.04473), section 2.2.
TEST(PipelineTime, GPipeAndOneForwardOneBackwardWaitForAMicroBatchOfEveryOtherStage)
{
    for (const int stages : {2, 3, 4, 8}) {
        for (const int microBatches : {1, 2, 5, 8, 64}) {
            const double formula = double(stages - 1) / microBatches;
            EXPECT_NEAR(bubble(GPipe, stages, 1, microBatches, {}), formula, 1e-9);
            EXPECT_NEAR(bubble(OneForwardOneBackward, stages, 1, microBatches, {}), formula, 1e-9)
                << stages << " stages, " << microBatches << " micro-batches";
        }
    }
}

// Narayanan et al. 2021, section 2.2: (p - 1) / (m v).
TEST(PipelineTime, InterleavedPartsDivideTheBubble)
{
    for (const int stages : {2, 4, 8}) {
        for (const int parts : {2, 3, 4}) {
            for (const int rounds : {1, 2, 5})
                EXPECT_NEAR(bubble(Interleaved, stages, parts, rounds * stages, {}),
                    (stages - 1.0) / (rounds * stages * parts), 1e-9)
                    << stages << " stages, " << parts << " parts, " << rounds << " rounds";
        }
    }
}

// Qi et al. 2023 (arXiv 2401.10241), table 1: (p - 1) (F + B - W).
TEST(PipelineTime, ZeroBubbleLeavesAThirdOfTheBubble)
{
    for (const Ideal &ideal : {Ideal{1, 1, 1}, Ideal{1, 1.2, 0.9}, Ideal{2, 2, 1.5}}) {
        for (const int stages : {2, 4, 8}) {
            for (const int microBatches : {8, 9, 16, 64})
                EXPECT_NEAR(bubble(ZeroBubble, stages, 1, microBatches, ideal),
                    (stages - 1) * (ideal.forward + ideal.backward - ideal.weights) /
                        (microBatches * (ideal.forward + ideal.backward + ideal.weights)),
                    1e-9)
                    << stages << " stages, " << microBatches << " micro-batches";
        }
    }
}

TEST(PipelineTime, OfManyMicroBatchesIsWhatEachOneAdds)
{
    const Parallelism mesh{.gpus = 4, .pp = 4, .schedule = ZeroBubble};
    const std::vector<PassTimes> stages(4, {.forward = {1}, .backward = {1.5}, .weights = {0.5}, .end = 2});
    const PipelineTime million = simulatePipeline(mesh, 1'000'000, stages),
                       more = simulatePipeline(mesh, 1'000'100, stages);
    EXPECT_NEAR(more.step - million.step, 300, 1e-6);
    EXPECT_NEAR(million.step, 3e6 + 3 * (1 + 1.5 - 0.5) + 2, 1e-6);
    EXPECT_NEAR(million.idle.front(), 6, 1e-6);
}

// A message keeps both stages busy; the next one goes on when it is there.
TEST(PipelineTime, AMessageIsPartOfBothPasses)
{
    const Parallelism mesh{.gpus = 2, .pp = 2};
    const PassTimes first{.forward = {3}, .backward = {5}, .message = 1};
    const PassTimes last{.forward = {4}, .backward = {6}, .message = 1};
    // Forward: 3, of it 1 to send; the last stage receives meanwhile: begins at 2, ends at 6, then 12; the first one
    // begins backward at 11.
    EXPECT_DOUBLE_EQ(simulatePipeline(mesh, 1, {first, last}).step, 16);
}

DeviceRates someRates()
{
    return {.gemmFlops = 1e12,
        .attentionFlops = 5e11,
        .attentionBackwardFlops = 5e11,
        .memoryBandwidth = 1e11,
        .peakFlops = 2e12,
        .nodeLink = {.bandwidth = 1e10, .latency = 1e-6}};
}

// Seven layers on five stages: 2, 2, 1, 1 and 1; nine: 2, 2, 2, 2 and 1. A single micro-batch passes all stages, while
// the others wait. Each of the eight messages keeps two stages busy.
TEST(PipelineTime, EachStageTakesTheTimeOfItsOwnLayers)
{
    for (const int layers : {7, 9, 10}) {
        ModelSpec model = testing::smallModel();
        model.layers = layers;
        RunConfig config = testing::smallConfig();
        config.parallel = {.gpus = 5, .pp = 5};
        config.gradAccum = 1;
        const PipelineTime played = simulateStages(buildPlan(config, model).value(), someRates(), config, model);
        Seconds all = 0, message = 0;
        std::vector<Seconds> busy;
        for (int stage = 0; stage < 5; ++stage) {
            const PassTimes times = passTimes(buildStage(config, model, stage), someRates());
            busy.push_back(times.forward.front() + times.backward.front());
            all += busy.back();
            message = times.message;
        }
        ASSERT_EQ(played.idle.size(), 5U);
        for (std::size_t stage = 0; stage < 5; ++stage)
            EXPECT_NEAR(played.idle[stage], all - 8 * message - busy[stage], 1e-9 * all) << layers << ", " << stage;
        if (layers == 7)
            EXPECT_GT(played.idle[2], played.idle[1]);
        else
            EXPECT_DOUBLE_EQ(played.idle[2], played.idle[1]);
    }
}

// The reductions of a rank run beside its kernels. Only the gradient that it sends to the stage before waits for them,
// because collectives and messages are one lane (StepPlan::oneCommunicationLane). The first stage sends none.
TEST(PassTimes, ContainReductionsOnlyWhereAMessageFollowsThem)
{
    ModelSpec model = testing::smallModel();
    model.layers = 4;
    RunConfig config = testing::smallConfig();
    config.parallel = {.gpus = 2, .pp = 2};
    for (const int stage : {0, 1}) {
        const PassTimes alone = passTimes(buildStage(config, model, stage), someRates());
        RunConfig replicas = config;
        replicas.parallel = {.kind = ParallelKind::Ddp, .gpus = 8, .pp = 2};
        const PassTimes reduced = passTimes(buildStage(replicas, model, stage), someRates());
        EXPECT_NEAR(reduced.forward.front(), alone.forward.front(), 1e-9 * alone.forward.front());
        if (stage == 0)
            EXPECT_NEAR(reduced.backward.front(), alone.backward.front(), 1e-9 * alone.backward.front());
        else
            EXPECT_GT(reduced.backward.front(), alone.backward.front());
        EXPECT_GT(reduced.end, alone.end);
    }
}

// Whatever the schedule, its passes and the end of the step are all of a stage's time.
TEST(PassTimes, AddUpToTheStep)
{
    ModelSpec model = testing::smallModel();
    model.layers = 4;
    RunConfig config = testing::smallConfig();
    config.gradAccum = 8;
    config.parallel = {.gpus = 2, .pp = 2};
    for (const PipelineSchedule schedule : {GPipe, OneForwardOneBackward, Interleaved, ZeroBubble}) {
        config.parallel.schedule = schedule;
        config.parallel.virtualStages = schedule == Interleaved ? 2 : 1;
        for (const int stage : {0, 1}) {
            const StepPlan plan = buildStage(config, model, stage);
            const PassTimes times = passTimes(plan, someRates());
            ASSERT_EQ(std::ssize(times.forward), config.parallel.virtualStages);
            ASSERT_EQ(std::ssize(times.backward), config.parallel.virtualStages);
            EXPECT_EQ(times.weights.empty(), schedule != ZeroBubble);
            EXPECT_GT(times.message, 0);
            Seconds all = 0;
            for (const std::vector<Seconds> &list : {times.forward, times.backward, times.weights})
                all += std::accumulate(list.begin(), list.end(), Seconds(0));
            const Seconds step = simulateStep(plan, someRates()).step;
            EXPECT_NEAR(8 * all + times.end, step, 1e-9 * step) << enumName(schedule) << " stage " << stage;
        }
    }
}

} // namespace
} // namespace slipway
