// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <map>

#include <gtest/gtest.h>

#include "plain_rates.h"
#include "speed/graph_choice.h"
#include "speed/simulate_step.h"
#include "support/plan_fixtures.h"
#include "support/torch_version.h"

namespace slipway {
namespace {

using testing::plainRates;
using testing::planOf;
using testing::smallConfig;
using testing::smallModel;

TEST(PlayStep, slowsKernelsOnlyWhileACollectiveRunsBesideThem)
{
    RunConfig config = smallConfig();
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 4};
    const StepPlan plan = planOf(config);
    DeviceRates rates = plainRates();
    const StepTimes alone = simulateStep(plan, rates);
    rates.nodeLink.contention = 0.5;
    const StepTimes contended = simulateStep(plan, rates);
    EXPECT_GT(contended.step, alone.step);
    const double hidden =
        alone.byClass[static_cast<std::size_t>(CostClass::Communication)] - alone.communicationExposed;
    EXPECT_LE(contended.step, alone.step + 0.5 * hidden * 1.0001);
}

TEST(PlayStep, isTheSumOfItsKernelsOnOneStream)
{
    const StepTimes times = simulateStep(planOf(smallConfig()), plainRates());
    double sum = 0;
    for (const Seconds seconds : times.byClass)
        sum += seconds;
    EXPECT_NEAR(times.step, sum, 1e-12);
    EXPECT_FALSE(times.launchBound);
}

TEST(PlayStep, growsByTheSameTimeWithEveryMicroBatchAfterTheSecond)
{
    const auto step = [](std::int64_t gradAccum) {
        RunConfig config = smallConfig();
        config.gradAccum = gradAccum;
        return simulateStep(planOf(config), plainRates()).step;
    };
    EXPECT_NEAR(step(5) - step(4), step(4) - step(3), 1e-12);
    EXPECT_NEAR(step(40) - step(4), 36 * (step(4) - step(3)), 1e-10);
}

TEST(PlayStep, phasesSumToTheStep)
{
    RunConfig config = smallConfig();
    config.recompute = Recompute::Full;
    const StepTimes times = simulateStep(planOf(config), plainRates());
    double sum = 0;
    for (const Seconds seconds : times.byPhase)
        sum += seconds;
    EXPECT_NEAR(sum, times.step, 0.01 * times.step) << "all but the copy of the first micro-batch";
    EXPECT_GT(times.recompute, 0);
}

TEST(PlayStep, hidesReductionBehindBackwardOnFastLinksAndShowsItOnSlowOnes)
{
    RunConfig config = smallConfig();
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 4};
    const StepPlan plan = planOf(config);
    DeviceRates fast = plainRates(), slow = plainRates();
    fast.nodeLink.bandwidth = 1e15;
    fast.nodeLink.latency = 0;
    slow.nodeLink.bandwidth = 1e8;
    const double alone = simulateStep(planOf(smallConfig()), plainRates()).step;
    EXPECT_NEAR(simulateStep(plan, fast).step, alone, 0.02 * alone);
    const StepTimes exposed = simulateStep(plan, slow);
    EXPECT_GT(exposed.communicationExposed, 0.5 * exposed.byClass[static_cast<std::size_t>(CostClass::Communication)]);
    EXPECT_GT(exposed.step, alone);
}

// On fast links without a limit, all layers' weights would be there before the first layer is through.
TEST(PlayStep, gathersNoLayerBeforeTheOneTwoBeforeItIsThrough)
{
    RunConfig config = smallConfig();
    config.framework = Framework::PytorchEager;
    config.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 4};
    DeviceRates fast = plainRates();
    fast.nodeLink = {.bandwidth = 1e15};
    const auto early = [&](const char *torch, Sharder sharder) {
        testing::setTorch(config, torch);
        config.simulated.sharder = sharder;
        const StepPlan plan = planOf(config);
        std::map<std::pair<Phase, int>, std::pair<Seconds, Seconds>> layers; // begin of its gather, end of its kernels
        simulateStep(plan, fast, [&](const SimulatedOp &o) {
            if (plan.at(o.slot.block).layered && o.op.name == "gather")
                layers[{o.op.phase, o.slot.index + o.op.writes.front().layerShift}].first = o.start;
            else if (plan.at(o.slot.block).layered && o.op.stream == Stream::Compute &&
                     o.op.name != "reduce_input") // which nobody further down waits for
                layers[{o.op.phase, o.slot.index}].second = std::max(o.end, layers[{o.op.phase, o.slot.index}].second);
        });
        return (layers[{Phase::Forward, 2}].first < layers[{Phase::Forward, 0}].second) +
               (layers[{Phase::Backward, 0}].first < layers[{Phase::Backward, 2}].second);
    };
    EXPECT_EQ(early("2.5", Sharder::Fsdp1), 0);
    EXPECT_EQ(early("2.5", Sharder::Fsdp2), 0);
    EXPECT_EQ(early("2.0", Sharder::Fsdp1), 1)
        << "its limit was off, but in backward a gather stands behind the reduction before it";
}

// Zhao et al. 2023, arXiv 2304.11277, section 3.3.2.
TEST(PlayStep, gathersALayerAfterTheReductionBeforeItWithoutBackwardPrefetch)
{
    RunConfig config = smallConfig();
    config.framework = Framework::PytorchEager;
    config.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 4};
    config.simulated.sharder = Sharder::Fsdp1;
    DeviceRates slow = plainRates();
    slow.nodeLink.bandwidth = 1e8;
    const auto waits = [&](bool prefetch) {
        config.simulated.backwardPrefetch = prefetch;
        const StepPlan plan = planOf(config);
        std::map<int, Seconds> gathers, reductions; // by layer: begin of its gather, end of its reduction
        const StepTimes times = simulateStep(plan, slow, [&](const SimulatedOp &o) {
            if (o.op.phase == Phase::Backward && o.op.name == "gather")
                gathers[o.slot.index + o.op.writes.front().layerShift] = o.start;
            else if (plan.at(o.slot.block).layered && o.op.name == "reduce_scatter")
                reductions[o.slot.index] = o.end;
        });
        int late = 0;
        for (int layer = 0; layer + 1 < plan.layers; ++layer)
            late += gathers.at(layer) >= reductions.at(layer + 1);
        EXPECT_EQ(static_cast<int>(gathers.size()), plan.layers);
        return std::pair(late == plan.layers - 1, times.step);
    };
    EXPECT_FALSE(waits(true).first);
    EXPECT_TRUE(waits(false).first);
    EXPECT_GT(waits(false).second, waits(true).second) << "computation waits for both";
    config.simulated.sharder = Sharder::Fsdp2;
    EXPECT_EQ(waits(false), waits(true)) << "it has no such option";
}

TEST(PlayStep, runsTheCollectivesOfACommunicatorOneAfterAnotherOnWhateverStreams)
{
    RunConfig config = smallConfig();
    config.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 4};
    DeviceRates slow = plainRates();
    slow.nodeLink.bandwidth = 1e8;
    for (const Framework framework : {Framework::Slipway, Framework::PytorchEager}) {
        config.framework = framework;
        const StepPlan plan = planOf(config);
        std::map<Stream, int> collectives;
        std::map<Seconds, Seconds> times; // begin, end
        simulateStep(plan, slow, [&](const SimulatedOp &o) {
            if (plan.at(o.op.kernel).group != GroupId::None && o.end > o.start)
                ++collectives[o.op.stream], times[o.start] = o.end;
        });
        EXPECT_GT(collectives[Stream::Gather], 0);
        EXPECT_GT(collectives[Stream::Reduce], 0);
        Seconds last = 0;
        for (const auto &[start, end] : times) {
            EXPECT_GE(start, last);
            last = end;
        }
    }
}

// Of several groups as well: of shards and replicas, of tensor-parallel and data-parallel ranks.
TEST(PlayStep, runsAllCollectivesOfOurTrainerOneAfterAnother)
{
    DeviceRates slow = plainRates();
    slow.nodeLink.bandwidth = slow.networkLink.bandwidth = 1e8;
    slow.gpusPerNode = 2;
    for (const Parallelism &mesh : {Parallelism{.kind = ParallelKind::Hsdp, .gpus = 4, .gpusPerNode = 2},
             Parallelism{.kind = ParallelKind::FsdpFull, .gpus = 4, .tp = 2}}) {
        RunConfig config = smallConfig();
        config.parallel = mesh;
        config.gradAccum = 2;
        StepPlan plan = planOf(config);
        const auto together = [&] { // how often two run at the same time
            std::map<Seconds, Seconds> times;
            simulateStep(plan, slow, [&](const SimulatedOp &o) {
                if (plan.at(o.op.kernel).cost == CostClass::Communication && o.end > o.start) {
                    EXPECT_TRUE(isCommunication(o.op.stream)) << o.op.name;
                    times[o.start] = std::max(times[o.start], o.end);
                }
            });
            Seconds last = 0;
            int count = 0;
            for (const auto &[start, end] : times) {
                count += start < last - 1e-12;
                last = end;
            }
            return count;
        };
        EXPECT_EQ(together(), 0);
        plan.oneCommunicationLane = false;
        EXPECT_GT(together(), 0) << "the plan alone says so";
    }
}

// On a CPU, our trainer has no lane beside the one of the kernels.
TEST(PlayStep, hidesNoCollectiveOfOurTrainerOnACpu)
{
    DeviceRates rates = plainRates();
    rates.nodeLink.bandwidth = 1e8;
    RunConfig config = smallConfig();
    for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::FsdpFull}) {
        config.parallel = {.kind = kind, .gpus = 4};
        const StepPlan plan = planOf(config);
        rates.oneLane = false;
        const Seconds beside = simulateStep(plan, rates).step;
        rates.oneLane = true;
        const StepTimes times = simulateStep(plan, rates);
        EXPECT_GT(times.step, beside);
        EXPECT_NEAR(
            times.communicationExposed, times.byClass[static_cast<std::size_t>(CostClass::Communication)], 1e-9);
    }
}

TEST(PlayStep, ofOneRankExposesNoCommunicationWhileItWaitsForCopies)
{
    RunConfig config = smallConfig();
    config.gradAccum = 3;
    EXPECT_EQ(simulateStep(planOf(config), plainRates()).communicationExposed, 0)
        << "each micro-batch waits for its tokens";
    config.framework = Framework::PytorchEager;
    config.offloadActivations = true;
    DeviceRates slow = plainRates();
    slow.hostBandwidth = 1e6;
    EXPECT_EQ(simulateStep(planOf(config), slow).communicationExposed, 0) << "activations come back from the host";
}

TEST(PlayStep, launchesBackwardAtItsOwnPace)
{
    DeviceRates rates = plainRates();
    rates.launch = 1e-3;
    const Seconds forward = simulateStep(planOf(smallConfig()), rates).host;
    rates.backwardLaunch = 1e-3;
    const Seconds both = simulateStep(planOf(smallConfig()), rates).host;
    rates.launch = 0;
    EXPECT_NEAR(simulateStep(planOf(smallConfig()), rates).host, both - forward, 1e-9);
    EXPECT_GT(both, 1.5 * forward);
}

TEST(PlayStep, hidesNoBackwardBehindTheNextForwardsLaunchesWhereTheHostWaitsBetweenThem)
{
    RunConfig config = smallConfig();
    config.gradAccum = 8;
    DeviceRates rates = plainRates();
    const Seconds kernels = simulateStep(planOf(config), rates).step;
    rates.launch = 100 * kernels; // forward waits for the host, backward for the GPU
    const StepTimes free = simulateStep(planOf(config), rates);
    rates.waitsBetweenPasses = true;
    const StepTimes waiting = simulateStep(planOf(config), rates);
    const Seconds backward = waiting.byPhase[static_cast<std::size_t>(Phase::Backward)];
    EXPECT_NEAR(waiting.step - free.step, backward, 0.1 * backward);
    EXPECT_DOUBLE_EQ(waiting.host, free.host);
    rates.launch = 0;
    EXPECT_NEAR(simulateStep(planOf(config), rates).step / kernels, 1, 1e-9)
        << "a card that is never waited for loses nothing";
}

TEST(PlayStep, countsAsExposedWhatTheHostStandsStillForACollective)
{
    RunConfig config = smallConfig();
    config.framework = Framework::PytorchEager;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 2};
    DeviceRates rates = plainRates();
    rates.nodeLink.bandwidth = 1e6; // most of the step
    rates.waitsBetweenPasses = true;
    const StepTimes times = simulateStep(planOf(config), rates);
    const Seconds communication = times.byClass[static_cast<std::size_t>(CostClass::Communication)];
    Seconds kernels = 0;
    for (const Seconds seconds : times.byClass)
        kernels += seconds;
    EXPECT_GT(communication, 0.9 * kernels);
    EXPECT_NEAR(times.communicationExposed + kernels - communication, times.step, 1e-9 * times.step)
        << "the step is what computes and what waits";
}

// On slow links, ZeRO-1's gathers of the updated weights end long after the last kernel. Nothing is left to hide them.
TEST(PlayStep, countsAsExposedTheCollectivesThatEndTheStep)
{
    RunConfig config = smallConfig();
    config.parallel = {.kind = ParallelKind::Zero1, .gpus = 4};
    DeviceRates slow = plainRates();
    slow.nodeLink.bandwidth = 1e8;
    const StepTimes times = simulateStep(planOf(config), slow);
    Seconds busy = times.communicationExposed - times.byClass[static_cast<std::size_t>(CostClass::Communication)];
    for (const Seconds seconds : times.byClass)
        busy += seconds;
    EXPECT_NEAR(busy, times.step, 0.01 * times.step) << "all but the copy of the first micro-batch";
}

// A tensor-parallel message may wait for one of the same ranks that runs behind a reduction of gradients.
TEST(PlayStep, countsAllExposedCommunicationForAGroup)
{
    RunConfig config = smallConfig();
    config.parallel = {.kind = ParallelKind::Zero1, .gpus = 4, .tp = 2};
    DeviceRates slow = plainRates();
    slow.nodeLink.bandwidth = 1e8;
    const StepTimes times = simulateStep(planOf(config), slow);
    Seconds sum = 0;
    for (const Seconds exposed : times.exposedByGroup)
        sum += exposed;
    EXPECT_GT(times.communicationExposed, 0);
    EXPECT_NEAR(sum, times.communicationExposed, 1e-9 * times.step);
}

TEST(PlayStep, launchesASingleRanksTinyKernelsAsOneGraphWhereOneIsRecorded)
{
    DeviceRates rates = plainRates();
    rates.launch = rates.backwardLaunch = 1e-3;
    rates.graphLaunch = 1e-9;
    StepPlan plan = planOf(smallConfig());
    EXPECT_TRUE(choosesGraph(plan, rates));
    EXPECT_TRUE(simulateStep(plan, rates).launchBound) << "the plan does not say that it is a graph";
    plan.cudaGraph = true;
    EXPECT_TRUE(simulateStep(plan, rates).cudaGraph);
    EXPECT_FALSE(simulateStep(plan, rates).launchBound);
    rates.launch = rates.backwardLaunch = 1e-12;
    EXPECT_FALSE(choosesGraph(plan, rates)) << "the kernels take longer";
    rates.launch = rates.backwardLaunch = 1e-3;
    RunConfig ranks = smallConfig();
    ranks.parallel = {.kind = ParallelKind::Ddp, .gpus = 2};
    EXPECT_FALSE(choosesGraph(planOf(ranks), rates)) << "of several ranks none is recorded";
    rates.graphLaunch = 0;
    EXPECT_FALSE(choosesGraph(plan, rates)) << "the framework records none";
}

TEST(PlayStep, hasTheGapsOfAGraphWhereOneIsRecorded)
{
    DeviceRates rates = plainRates();
    rates.launch = rates.backwardLaunch = 1e-3;
    rates.graphLaunch = 1e-9;
    StepPlan plan = planOf(smallConfig());
    plan.cudaGraph = true;
    const Seconds step = simulateStep(plan, rates).step;
    rates.kernelGap = 1e-6; // of a stream
    EXPECT_DOUBLE_EQ(simulateStep(plan, rates).step, step);
    plan.cudaGraph = false;
    rates.launch = rates.backwardLaunch = 1e-12;
    EXPECT_GT(simulateStep(plan, rates).step, 2 * step);
}

TEST(PlayStep, asksTheHostForEachCollectiveOfAShardedUnitAndForNoBucket)
{
    DeviceRates rates = plainRates();
    const auto host = [&](ParallelKind kind) {
        RunConfig config = smallConfig();
        config.framework = Framework::PytorchEager;
        config.parallel = {.kind = kind, .gpus = 4};
        return simulateStep(planOf(config), rates).host;
    };
    rates.shardCollectiveLaunch = 1e-3;
    const int units = smallModel().layers + 1;
    EXPECT_NEAR(host(ParallelKind::FsdpGradOp), 2e-3 * units, 1e-9) << "gathered once, reduced once";
    EXPECT_NEAR(host(ParallelKind::FsdpFull), 1e-3 * (2 * units + smallModel().layers), 1e-9)
        << "layers gathered again for backward";
    EXPECT_EQ(host(ParallelKind::Ddp), 0);
}

TEST(PlayStep, ofTinyKernelsIsBoundByTheHostsLaunches)
{
    DeviceRates rates = plainRates();
    rates.launch = rates.backwardLaunch = 1e-3;
    const StepTimes times = simulateStep(planOf(smallConfig()), rates);
    EXPECT_TRUE(times.launchBound);
    EXPECT_NEAR(times.step, times.host, 0.01 * times.host);
}

TEST(PlayStep, ofATracedGraphHidesNoCollectiveOfItsShards)
{
    RunConfig c = smallConfig();
    c.framework = Framework::PytorchCompile;
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 8};
    const StepTimes beside = simulateStep(planOf(c), plainRates());
    c.simulated.sharder = Sharder::Traced;
    const StepTimes traced = simulateStep(planOf(c), plainRates());
    EXPECT_GT(traced.step, beside.step);
    EXPECT_NEAR(traced.communicationExposed, traced.byClass[static_cast<std::size_t>(CostClass::Communication)], 1e-9);
}

TEST(PlayedStep, takesAsMuchLongerAsTheSlowestRank)
{
    const StepPlan plan = planOf(smallConfig());
    DeviceRates rates = plainRates();
    const Seconds alone = simulateStep(plan, rates).step;
    rates.slowestRankFactor = 1.25;
    EXPECT_NEAR(simulateStep(plan, rates).step / alone, 1.25, 1e-12);
}

} // namespace
} // namespace slipway
