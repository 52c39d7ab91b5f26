// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include "plain_rates.h"
#include "speed/collective_time.h"
#include "speed/kernel_time.h"

namespace slipway {
namespace {

using testing::plainRates;
using testing::withWork;

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
    rates.fewestBucketElements = 40e6;
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

TEST(CollectiveTime, followsTheRing)
{
    const Kernel reduce = withWork({.kind = OpKind::AllReduce, .messageBytes = 1'000'000'000, .group = GroupId{0}});
    EXPECT_DOUBLE_EQ(collectiveOf(reduce, {.axis = "dp", .size = 4}, plainRates()).seconds, 2 * 0.75 * 0.1 + 1e-6);
    EXPECT_DOUBLE_EQ(collectiveOf(reduce, {.axis = "dp", .size = 1}, plainRates()).seconds, 0);
}

} // namespace
} // namespace slipway
