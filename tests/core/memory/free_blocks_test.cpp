// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "memory/free_blocks.h"

namespace slipway {
namespace {

TEST(FreeBlocks, giveTheSmallestThatIsLargeEnoughAndTheLowestAddressOfASize)
{
    FreeBlocks free;
    EXPECT_EQ(free.take(1), -1);
    for (const int id : {7, 3, 5})
        free.add(512, {100 - id, id});
    free.add(1024, {1, 1});
    EXPECT_EQ(free.take(100), 7);
    EXPECT_EQ(free.take(513), 1);
    free.remove(512, {95, 5});
    EXPECT_EQ(free.take(512), 3);
    EXPECT_EQ(free.take(0), -1);
}

TEST(FreeBlocks, behaveAsASortedSet)
{
    FreeBlocks free;
    std::set<std::pair<Bytes, int>> set;
    std::mt19937 random(1);
    for (int step = 0; step < 20000; ++step) {
        const Bytes size =
            512 * (1 + random() % (step % 4000 < 2000 ? 9 : 300)); // many blocks of few sizes, and few of many
        const auto what = random() % 5;
        if (what < 2) {
            const int id = (step * 7919) % 20011; // neither rising nor falling, and none twice
            free.add(size, {id, id});
            set.emplace(size, id);
        } else if (what == 2 && !set.empty()) {
            const auto any = std::next(set.begin(), std::ptrdiff_t(random() % set.size()));
            free.remove(any->first, {any->second, any->second});
            set.erase(any);
        } else if (const auto found = set.lower_bound({size, 0}); found != set.end()) {
            ASSERT_EQ(free.take(size), found->second);
            set.erase(found);
        } else {
            ASSERT_EQ(free.take(size), -1);
        }
        if (step % 1000 == 999) {
            std::vector<int> odd, seen;
            for (const auto &[bytes, id] : set)
                odd.push_back(id);
            free.removeIf([&](int id) {
                seen.push_back(id);
                return id % 2 == 1;
            });
            EXPECT_EQ(seen, odd) << "in order of size and address";
            std::erase_if(set, [](const auto &entry) { return entry.second % 2 == 1; });
        }
    }
}

} // namespace
} // namespace slipway
