// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/sample_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace slipway {
namespace {

TEST(Permutation, IsOneForEverySizeNearPowersOfTwo)
{
    for (const std::uint64_t size : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000, 4096, 4097}) {
        const Permutation permutation(size, 42);
        std::set<std::uint64_t> seen;
        for (std::uint64_t i = 0; i < size; ++i)
            seen.insert(permutation(i));
        EXPECT_EQ(seen.size(), size);
        EXPECT_EQ(*seen.rbegin(), size - 1);
    }
}

TEST(Permutation, StaysInsideSizesThatNoMemoryHolds)
{
    const std::uint64_t size = (std::uint64_t{1} << 40) + 12345;
    const Permutation permutation(size, 7);
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        EXPECT_LT(permutation(i), size);
        seen.insert(permutation(i));
    }
    EXPECT_EQ(seen.size(), 1000);
}

TEST(Permutation, DependsOnItsKey)
{
    int same = 0;
    const Permutation a(1000, 1), b(1000, 2);
    for (std::uint64_t i = 0; i < 1000; ++i)
        same += a(i) == b(i);
    EXPECT_LT(same, 20); // one is expected by chance
}

TEST(Permutation, LeavesNeighboursApart)
{
    const Permutation permutation(1 << 16, 3);
    int near = 0;
    for (std::uint64_t i = 1; i < 1 << 16; ++i) {
        const auto a = static_cast<std::int64_t>(permutation(i)), b = static_cast<std::int64_t>(permutation(i - 1));
        near += std::abs(a - b) < 16;
    }
    EXPECT_LT(near, 100); // 32 are expected by chance
}

TEST(SampleOrder, GivesEveryWindowOnceAnEpoch)
{
    const SampleOrder order({{.windows = 100, .weight = 1.0}}, 5);
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
        std::set<std::uint64_t> windows;
        for (std::uint64_t i = 0; i < 100; ++i) {
            const SampleId id = order(epoch * 100 + i);
            EXPECT_EQ(id.epoch, epoch);
            windows.insert(id.window);
        }
        EXPECT_EQ(windows.size(), 100);
    }
}

TEST(SampleOrder, ShufflesEachEpochAnew)
{
    const SampleOrder order({{.windows = 100, .weight = 1.0}}, 5);
    int same = 0;
    for (std::uint64_t i = 0; i < 100; ++i)
        same += order(i).window == order(100 + i).window;
    EXPECT_LT(same, 10);
}

TEST(SampleOrder, IsAFunctionOfSeedAndNumberAlone)
{
    const std::vector<SampleOrder::Source> sources{{.windows = 1000, .weight = 2.0}, {.windows = 50, .weight = 1.0}};
    const SampleOrder a(sources, 9), b(sources, 9);
    for (std::uint64_t i = 5000; i > 0; --i)
        EXPECT_EQ(a(i), b(i));
}

TEST(SampleOrder, HoldsEachSourcesShareInEveryBlock)
{
    const SampleOrder order({{.windows = 1000, .weight = 3.0}, {.windows = 1000, .weight = 1.0}}, 1);
    for (std::uint64_t block = 0; block < 3; ++block) {
        std::map<std::size_t, int> drawn;
        for (std::uint64_t i = 0; i < SampleOrder::kMixBlock; ++i)
            ++drawn[order(block * SampleOrder::kMixBlock + i).source];
        EXPECT_EQ(drawn[0], 3072);
        EXPECT_EQ(drawn[1], 1024);
    }
}

TEST(SampleOrder, GivesEveryWindowOfEachMixedSourceOnceAnEpoch)
{
    const SampleOrder order({{.windows = 300, .weight = 1.0}, {.windows = 77, .weight = 2.5}}, 1);
    std::map<std::pair<std::size_t, std::uint64_t>, std::set<std::uint64_t>> windows;
    std::uint64_t drawn = 0;
    for (std::uint64_t i = 0; i < 2 * SampleOrder::kMixBlock; ++i) {
        const SampleId id = order(i);
        EXPECT_TRUE(windows[std::pair(id.source, id.epoch)].insert(id.window).second);
        ++drawn;
    }
    EXPECT_EQ(windows[std::pair(0U, 0U)].size(), 300);
    EXPECT_EQ(windows[std::pair(1U, 0U)].size(), 77);
    EXPECT_EQ(drawn, 2 * SampleOrder::kMixBlock);
}

TEST(SampleOrder, DrawsFromASourceOfVanishingWeight)
{
    const SampleOrder order({{.windows = 10, .weight = 1.0}, {.windows = 10, .weight = 1e-9}}, 1);
    int rare = 0;
    for (std::uint64_t i = 0; i < SampleOrder::kMixBlock; ++i)
        rare += order(i).source == 1;
    EXPECT_EQ(rare, 1);
}

} // namespace
} // namespace slipway
