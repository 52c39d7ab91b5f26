// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <random>

#include "memory/caching_allocator.h"

namespace slipway {
namespace {

constexpr Bytes kMiB = Bytes{1} << 20;

TEST(CachingAllocator, roundsSizesTo512Bytes)
{
    CachingAllocator a;
    a.allocate(1);
    a.allocate(0);
    a.allocate(513);
    EXPECT_EQ(a.allocated(), 512 + 512 + 1024);
    EXPECT_EQ(a.reserved(), 2 * kMiB); // all of them in one segment for small ones
}

TEST(CachingAllocator, takesSegmentsOf2And20MiBAndOneOfItsOwnFromTen)
{
    CachingAllocator small, middle, large;
    small.allocate(kMiB);
    middle.allocate(kMiB + 512);
    large.allocate(10 * kMiB + 1);
    EXPECT_EQ(small.reserved(), 2 * kMiB);
    EXPECT_EQ(middle.reserved(), 20 * kMiB);
    EXPECT_EQ(large.reserved(), 12 * kMiB); // rounded up to 2 MiB
}

TEST(CachingAllocator, keepsARestOfUpTo1MiBInTheBlock)
{
    CachingAllocator a;
    const auto whole = a.allocate(12 * kMiB);
    a.free(*whole);
    const auto part = a.allocate(11 * kMiB); // the rest, 1 MiB, is not split off
    EXPECT_EQ(a.allocated(), 12 * kMiB);
    a.free(*part);
    a.allocate(10 * kMiB); // 2 MiB are
    EXPECT_EQ(a.allocated(), 10 * kMiB);
}

TEST(CachingAllocator, reusesTheSmallestBlockThatIsLargeEnough)
{
    CachingAllocator a;
    const auto large = a.allocate(40 * kMiB), middle = a.allocate(20 * kMiB);
    a.free(*large);
    a.free(*middle);
    a.allocate(18 * kMiB);
    a.allocate(40 * kMiB); // still there whole
    EXPECT_EQ(a.reserved(), 60 * kMiB);
}

TEST(CachingAllocator, joinsFreeNeighbours)
{
    CachingAllocator a;
    const auto all = a.allocate(40 * kMiB);
    a.free(*all);
    const auto first = a.allocate(20 * kMiB), second = a.allocate(20 * kMiB);
    EXPECT_EQ(a.reserved(), 40 * kMiB);
    a.free(*first);
    a.free(*second);
    a.allocate(40 * kMiB);
    EXPECT_EQ(a.reserved(), 40 * kMiB);
}

TEST(CachingAllocator, doesNotLendBlocksToOtherStreams)
{
    CachingAllocator a;
    const auto block = a.allocate(40 * kMiB, 0);
    a.free(*block);
    a.allocate(40 * kMiB, 1);
    EXPECT_EQ(a.reserved(), 80 * kMiB);
}

TEST(CachingAllocator, givesFreeSegmentsBackBeforeItFails)
{
    CachingAllocator a({.limit = 100 * kMiB});
    const auto block = a.allocate(60 * kMiB);
    a.free(*block);
    EXPECT_TRUE(a.allocate(80 * kMiB)); // not beside the free one
    EXPECT_EQ(a.retries(), 1);
    EXPECT_EQ(a.reserved(), 80 * kMiB);
    EXPECT_FALSE(a.allocate(40 * kMiB));
    EXPECT_EQ(a.allocated(), 80 * kMiB);
}

TEST(CachingAllocator, cannotGiveBackASegmentThatIsPartlyInUse)
{
    CachingAllocator a({.limit = 100 * kMiB});
    const auto all = a.allocate(60 * kMiB);
    a.free(*all);
    a.allocate(20 * kMiB);
    EXPECT_FALSE(a.allocate(50 * kMiB)); // 40 MiB are free, 40 MiB are left: neither is enough
}

TEST(CachingAllocator, growsExpandableSegmentsInPlace)
{
    CachingAllocator fixed, expandable({.expandable = true});
    for (CachingAllocator *a : {&fixed, &expandable}) {
        const auto block = a->allocate(40 * kMiB);
        a->free(*block);
        a->allocate(60 * kMiB);
    }
    EXPECT_EQ(fixed.reserved(), 100 * kMiB);
    EXPECT_EQ(expandable.reserved(), 60 * kMiB);
}

TEST(CachingAllocator, neverHandsOutMoreThanItReserves)
{
    std::mt19937 random(7);
    for (const bool expandable : {false, true}) {
        CachingAllocator a({.expandable = expandable});
        std::vector<CachingAllocator::BlockId> live;
        for (int i = 0; i < 20000; ++i) {
            if (!live.empty() && random() % 2 == 0) {
                const std::size_t at = random() % live.size();
                a.free(live[at]);
                live[at] = live.back();
                live.pop_back();
            } else {
                live.push_back(*a.allocate(Bytes{1} << (random() % 26), int(random() % CachingAllocator::kStreams)));
            }
            ASSERT_LE(a.allocated(), a.reserved());
        }
        for (const auto block : live)
            a.free(block);
        EXPECT_EQ(a.allocated(), 0);
        EXPECT_GE(a.peakReserved(), a.peakAllocated());
    }
}

} // namespace
} // namespace slipway
