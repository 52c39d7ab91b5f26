// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <map>

#include <gtest/gtest.h>

#include "speed/device_rates.h"

#include "plan/kernel_work.h"
#include "speed/collective_time.h"
#include "speed/kernel_time.h"
#include "speed/simulate_step.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using testing::planOf;
using testing::smallConfig;
using testing::smallModel;

DeviceRates plainRates()
{
    return {.gemmFlops = 1e12,
        .attentionFlops = 5e11,
        .attentionBackwardFlops = 5e11,
        .memoryBandwidth = 1e11,
        .peakFlops = 2e12,
        .nodeLink = {.bandwidth = 1e10, .latency = 1e-6}};
}

Kernel withWork(Kernel kernel)
{
    addWork(kernel);
    return kernel;
}

TEST(KernelTime, isTheLongerOfArithmeticAndBytes)
{
    const Kernel large = withWork({.kind = OpKind::Gemm, .m = 1000, .n = 1000, .k = 1000});
    EXPECT_DOUBLE_EQ(kernelTime(large, plainRates()), 2e9 / 1e12);
    const Kernel thin = withWork({.kind = OpKind::Gemm, .m = 1000, .n = 1, .k = 1000});
    EXPECT_DOUBLE_EQ(kernelTime(thin, plainRates()), 4.0 * (1000 * 1000 + 1000 + 1000) / 1e11);
    const Kernel add = withWork({.kind = OpKind::Add, .type = DType::Bf16, .m = 1000, .n = 1000});
    EXPECT_DOUBLE_EQ(kernelTime(add, plainRates()), 3 * 2e6 / 1e11);
}

TEST(KernelTime, isNeverUnderTheFloor)
{
    DeviceRates rates = plainRates();
    rates.minKernelTime = 1e-3;
    EXPECT_DOUBLE_EQ(kernelTime(withWork({.kind = OpKind::Add, .m = 1, .n = 1}), rates), 1e-3);
}

TEST(KernelTime, ofAProductIsQuantisedToWavesOfTiles)
{
    DeviceRates rates = plainRates();
    rates.multiprocessors = 10;
    rates.tileOverhead = 1e-5;
    const auto seconds = [&](std::int64_t m) {
        return kernelTime(withWork({.kind = OpKind::Gemm, .type = DType::Bf16, .m = m, .n = 2560, .k = 1024}), rates);
    };
    const double wave = 10 * 2.0 * 128 * 256 * 1024 / 1e12 + 1e-5;
    EXPECT_DOUBLE_EQ(seconds(128), wave) << "10 tiles: one wave";
    EXPECT_DOUBLE_EQ(seconds(129), 2 * wave) << "20 tiles";
}

TEST(KernelTime, ofAProductIsThatOfTheTileAndTheSplitOfKThatLeaveLeastIdleWhereLibrariesChoose)
{
    DeviceRates rates = plainRates();
    rates.multiprocessors = 10;
    rates.tileOverhead = 1e-5;
    const auto seconds = [&](std::int64_t m, std::int64_t n, std::int64_t k, bool fits) {
        rates.choosesTileShape = fits;
        return kernelTime(withWork({.kind = OpKind::Gemm, .type = DType::Bf16, .m = m, .n = n, .k = k}), rates);
    };
    const double wave = 10 * 2.0 * 128 * 256 * 1024 / 1e12 + 1e-5;
    EXPECT_DOUBLE_EQ(seconds(2560, 128, 1024, false), 2 * wave) << "20 tiles of 128 x 256, half of each outside";
    EXPECT_DOUBLE_EQ(seconds(2560, 128, 1024, true), wave) << "ten of 256 x 128";
    EXPECT_DOUBLE_EQ(seconds(1280, 256, 1024, true), wave) << "one wave of the usual tile";
    const double parts = 10 * 2.0 * 128 * 128 * 4096 / 1e12 + 1e-5 + 2 * 2.0 * 4 * 128 * 640 / 1e11;
    EXPECT_DOUBLE_EQ(seconds(128, 640, 8192, true), parts)
        << "five of 128 x 128, K in two: the parts are added up in fp32";
}

TEST(KernelTime, ofAProductIsHeldBackByThePowerLimitAndElseByItsTiles)
{
    DeviceRates rates = plainRates();
    rates.multiprocessors = 10;
    rates.choosesTileShape = true;
    rates.gemmBurst = 1.5;
    rates.tileOverhead = 1e-4;
    const auto flops = [&](std::int64_t k) {
        const Kernel gemm = withWork({.kind = OpKind::Gemm, .type = DType::Bf16, .m = 12800, .n = 2560, .k = k});
        return gemm.flops / kernelTime(gemm, rates);
    };
    EXPECT_DOUBLE_EQ(flops(8192), 1e12) << "its tiles would be faster";
    EXPECT_LT(flops(128), 1e12);
    EXPECT_GT(flops(1024), 2.0 * 12800 * 2560 * 1024 / (100 * (10 * 2.0 * 128 * 256 * 1024 / 1e12 + 1e-4)))
        << "at more than the sustained rate within its tiles";
}

TEST(KernelTime, ofCallsOneAfterAnotherIsTheirSum)
{
    DeviceRates rates = plainRates();
    rates.multiprocessors = 10;
    const auto seconds = [&](std::int32_t batch, std::int32_t calls) {
        return kernelTime(withWork({.kind = OpKind::Gemm,
                              .type = DType::Bf16,
                              .m = 128,
                              .n = 256,
                              .k = 512,
                              .batch = batch,
                              .calls = calls}),
            rates);
    };
    EXPECT_DOUBLE_EQ(seconds(0, 10), 10 * seconds(0, 1));
    EXPECT_DOUBLE_EQ(seconds(10, 1), seconds(0, 1)) << "a grouped product of ten tiles: one wave";
    rates.gemmFp32Flops = rates.gemmFlops / 8;
    const Kernel wide{.kind = OpKind::Gemm, .type = DType::Fp32, .m = 128, .n = 256, .k = 512, .batch = 10};
    EXPECT_DOUBLE_EQ(kernelTime(withWork(wide), rates), 8 * seconds(10, 1)) << "operands that stay fp32";
    const Kernel move{.kind = OpKind::Elementwise, .calls = 4, .bytesRead = 1'000'000, .bytesWritten = 1'000'000};
    EXPECT_DOUBLE_EQ(kernelTime(move, rates), 2e6 / 1e11) << "bytes are those of all calls";
}

TEST(CollectiveTime, ofAllToAllCrossesTheNodesLinksAndTheNetworkAtOnce)
{
    DeviceRates rates = plainRates();
    rates.networkLink = {.bandwidth = 8e9, .latency = 2e-6};
    rates.gpusPerNode = 8;
    const Kernel exchange = withWork({.kind = OpKind::AllToAll, .messageBytes = 800'000'000, .group = GroupId{0}});
    EXPECT_DOUBLE_EQ(collectiveOf(exchange, {.axis = "ep", .size = 1}, rates).seconds, 0);
    // Within a node each rank sends 7 of 8 parts over its own link.
    EXPECT_DOUBLE_EQ(collectiveOf(exchange, {.axis = "ep", .size = 8}, rates).seconds, 700e6 / 1e10 + 1e-6);
    // On two nodes half of all that 8 ranks send leaves over what the node has.
    EXPECT_DOUBLE_EQ(collectiveOf(exchange, {.axis = "ep", .size = 16}, rates).seconds, 8 * 400e6 / 8e9 + 2e-6);
    // Ranks 4 apart: two of a node are in the group, and three other groups send beside it.
    EXPECT_DOUBLE_EQ(
        collectiveOf(exchange, {.axis = "ep", .size = 4, .stride = 4}, rates).seconds, 8 * 400e6 / 8e9 + 2e-6);
}

TEST(KernelTime, ofFlashAttentionGrowsByItsLastTilesWhereThereAreFew)
{
    DeviceRates rates = plainRates();
    rates.multiprocessors = 16;
    rates.attentionTail = 2;
    const auto part = [&](std::int32_t heads) {
        const Kernel kernel = withWork({.kind = OpKind::FlashAttention,
            .type = DType::Bf16,
            .m = 4096,
            .n = heads * 64,
            .batch = 1,
            .seq = 4096,
            .heads = heads,
            .kvHeads = heads,
            .headDim = 64});
        return kernelTime(kernel, rates) / (kernel.flops / rates.attentionFlops);
    };
    EXPECT_DOUBLE_EQ(part(1), 1 + 2.0 * 16 / 32) << "32 tiles of 128 queries";
    EXPECT_DOUBLE_EQ(part(64), 1 + 2.0 * 16 / 2048);
}

TEST(KernelTime, ofFlashAttentionGrowsByTheDiagonalOfShortSequencesAndByHeadsThatAKernelSuitsLess)
{
    DeviceRates rates = plainRates();
    rates.attentionHead64Speedup = 0.8;
    const auto part = [&](std::int32_t seq, std::int32_t headDim) {
        const Kernel kernel = withWork({.kind = OpKind::FlashAttention,
            .type = DType::Bf16,
            .m = seq,
            .n = 16 * headDim,
            .k = seq,
            .batch = 1,
            .seq = seq,
            .heads = 16,
            .kvHeads = 16,
            .headDim = headDim});
        return kernelTime(kernel, rates) / (kernel.flops / rates.attentionFlops);
    };
    EXPECT_DOUBLE_EQ(part(4096, 128), 1) << "where rates were measured";
    EXPECT_DOUBLE_EQ(part(1024, 128), 1.125 / 1.03125) << "eight tiles a row and half of one more";
    EXPECT_DOUBLE_EQ(part(4096, 64), 1.25);
    EXPECT_DOUBLE_EQ(part(4096, 96), 1.125);
    rates.attentionHead64Speedup = 1;
    rates.attentionRowOverheadKeys = 512;
    EXPECT_DOUBLE_EQ(part(4096, 128), 1.125) << "a row takes as much longer as 512 more keys";
    EXPECT_DOUBLE_EQ(part(1024, 128), 1.5);
    EXPECT_DOUBLE_EQ(part(1024, 64), 2) << "and as long with narrow heads, of which keys take half";
}

TEST(CollectiveTime, isWhatIsNotHiddenAndWhatThatTakesFromTheGemm)
{
    Kernel gather = withWork({.kind = OpKind::AllGather, .messageBytes = 1'000'000'000, .group = GroupId{0}});
    DeviceRates rates = plainRates();
    rates.nodeLink.contention = 0.1;
    const double whole = collectiveOf(gather, {.axis = "tp", .size = 4}, rates).seconds;
    gather.overlapFraction = 0.75;
    EXPECT_DOUBLE_EQ(collectiveOf(gather, {.axis = "tp", .size = 4}, rates).seconds, whole * (0.25 + 0.75 * 0.1));
}

TEST(CollectiveTime, ofManyInPlaceOfOneIsLongerByTheirLatencies)
{
    Kernel gather = withWork({.kind = OpKind::AllGather, .messageBytes = 1'000'000, .group = GroupId{0}});
    const double one = collectiveOf(gather, {.axis = "dp", .size = 4}, plainRates()).seconds;
    gather.calls = 10;
    EXPECT_NEAR(collectiveOf(gather, {.axis = "dp", .size = 4}, plainRates()).seconds,
        one + 9 * plainRates().nodeLink.latency, 1e-12);
}

DeviceRates switchedRates()
{
    DeviceRates rates = plainRates();
    rates.nodeLink.latencyPerRank = 1e-6;
    rates.nodeSwitch = {.bandwidth = 1.5e10, .latency = 1e-5};
    rates.networkLink = {.bandwidth = 8e9, .latency = 1e-5, .latencyPerRank = 1e-5};
    rates.treeHopLatency = 1e-5;
    rates.treeEfficiency = 0.9;
    return rates;
}

TEST(CollectiveOf, letsTheSwitchAddWhereMoreThanFourRanksOfANodeDo)
{
    const Kernel reduce = withWork({.kind = OpKind::AllReduce, .messageBytes = 1'000'000'000, .group = GroupId{0}});
    const Collective eight = collectiveOf(reduce, {.axis = "dp", .size = 8}, switchedRates());
    EXPECT_EQ(eight.algorithm, CollectiveAlgorithm::Nvls);
    EXPECT_DOUBLE_EQ(eight.seconds, 1e-5 + 2.0 * 7 / 8 * 1e9 / 1.5e10);
    EXPECT_EQ(collectiveOf(reduce, {.axis = "dp", .size = 4}, switchedRates()).algorithm, CollectiveAlgorithm::Ring);
    const Kernel gather = withWork({.kind = OpKind::AllGather, .messageBytes = 1'000'000'000, .group = GroupId{0}});
    EXPECT_EQ(collectiveOf(gather, {.axis = "dp", .size = 8}, switchedRates()).algorithm, CollectiveAlgorithm::Ring);
}

TEST(CollectiveOf, climbsATreeBetweenManyNodesAndARingWithLargeMessages)
{
    const auto of = [](Bytes bytes) {
        return collectiveOf(withWork({.kind = OpKind::AllReduce, .messageBytes = bytes, .group = GroupId{0}}),
            {.axis = "dp", .size = 512}, switchedRates());
    };
    const Collective small = of(1'000'000), large = of(1'000'000'000'000);
    EXPECT_EQ(small.algorithm, CollectiveAlgorithm::Tree);
    EXPECT_DOUBLE_EQ(small.seconds, 1e-5 + 2 * (6 * 1e-5 + 7 * 1e-6) + 2e6 / (8e9 * 0.9))
        << "64 nodes: six levels up, six down";
    EXPECT_EQ(large.algorithm, CollectiveAlgorithm::Ring);
}

TEST(CollectiveOf, passesEveryNodeOfARingAndSharesThatAmongTheLayersOfABucket)
{
    DeviceRates rates = switchedRates();
    const Kernel gather =
        withWork({.kind = OpKind::AllGather, .type = DType::Bf16, .messageBytes = 64'000'000, .group = GroupId{0}});
    const auto seconds = [&](int ranks) { return collectiveOf(gather, {.axis = "dp", .size = ranks}, rates).seconds; };
    const auto moving = [](double ranks) { return 64e6 * (ranks - 1) / ranks / 8e9; };
    EXPECT_NEAR(seconds(512), moving(512) + 1e-5 + 512 * 1e-5 + 64 * 1e-5, 1e-12) << "512 ranks on 64 nodes";
    // A bucket of 1e6 numbers a rank, 40e6 at least: 32e6 numbers are a sixteenth of one, or 32 of 40 parts.
    rates.bucketElements = 1e6;
    EXPECT_NEAR(seconds(512), moving(512) + 1e-5 + (512 * 1e-5 + 64 * 1e-5) / 16, 1e-12);
    EXPECT_NEAR(seconds(16), moving(16) + 1e-5 + (16 * 1e-5 + 2 * 1e-5) * 32 / 40, 1e-12);
    EXPECT_NEAR(collectiveOf(gather, {.axis = "tp", .size = 16}, rates).seconds, moving(16) + 1e-5 + 18e-5, 1e-12)
        << "nothing else has buckets";
}

TEST(CollectiveOf, sendsToAnotherStageByOneStep)
{
    const Kernel send = withWork({.kind = OpKind::SendReceive, .messageBytes = 8'000'000, .group = GroupId{0}});
    EXPECT_NEAR(collectiveOf(send, {.axis = "pp", .size = 16, .stride = 8}, switchedRates()).seconds,
        8 * 8e6 / 8e9 + 1e-5 + 2e-5, 1e-12);
}

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

TEST(CollectiveTime, followsTheRing)
{
    const Kernel reduce = withWork({.kind = OpKind::AllReduce, .messageBytes = 1'000'000'000, .group = GroupId{0}});
    EXPECT_DOUBLE_EQ(collectiveOf(reduce, {.axis = "dp", .size = 4}, plainRates()).seconds, 2 * 0.75 * 0.1 + 1e-6);
    EXPECT_DOUBLE_EQ(collectiveOf(reduce, {.axis = "dp", .size = 1}, plainRates()).seconds, 0);
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
        config.torch = torch, config.sharder = sharder;
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
    rates.launch = 100 * kernels; // forward waits for the host, backward for the card
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

TEST(PlayStep, launchesASingleRanksTinyKernelsAsOneGraphWhereOneIsRecorded)
{
    DeviceRates rates = plainRates();
    rates.launch = rates.backwardLaunch = 1e-3;
    rates.graphLaunch = 1e-9;
    EXPECT_TRUE(simulateStep(planOf(smallConfig()), rates).cudaGraph);
    EXPECT_FALSE(simulateStep(planOf(smallConfig()), rates).launchBound);
    rates.launch = rates.backwardLaunch = 1e-12;
    EXPECT_FALSE(simulateStep(planOf(smallConfig()), rates).cudaGraph) << "the kernels take longer";
    rates.launch = rates.backwardLaunch = 1e-3;
    RunConfig ranks = smallConfig();
    ranks.parallel = {.kind = ParallelKind::Ddp, .gpus = 2};
    EXPECT_FALSE(simulateStep(planOf(ranks), rates).cudaGraph) << "of several ranks none is recorded";
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
    rates.unitLaunch = 1e-3;
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

TEST(KernelTime, isLongerOverOperandsOfTwoTypes)
{
    const Catalogue catalogue = loadCatalogue().value();
    RunConfig c;
    c.framework = Framework::PytorchEager;
    c.torch = "1.12";
    const DeviceRates rates = deviceRates(catalogue.gpu("a100-sxm-40gb").value(), catalogue, c);
    Kernel kernel{.kind = OpKind::Elementwise, .bytesRead = Bytes{1} << 30, .bytesWritten = Bytes{1} << 29};
    const Seconds one = kernelTime(kernel, rates);
    kernel.mixed = true;
    EXPECT_GT(kernelTime(kernel, rates), 1.2 * one);
}

TEST(PlayStep, ofATracedGraphHidesNoCollectiveOfItsShards)
{
    RunConfig c = smallConfig();
    c.framework = Framework::PytorchCompile;
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 8};
    const StepTimes beside = simulateStep(planOf(c), plainRates());
    c.sharder = Sharder::Traced;
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
