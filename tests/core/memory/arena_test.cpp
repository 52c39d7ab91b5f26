// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

#include "memory/arena.h"

namespace slipway {
namespace {

TEST(Arena, takesTheFirstHoleThatIsLargeEnough)
{
    Arena arena;
    const Bytes a = arena.allocate(1000), b = arena.allocate(512), c = arena.allocate(600), d = arena.allocate(1);
    EXPECT_EQ(std::vector<Bytes>({a, b, c, d}), std::vector<Bytes>({0, 1024, 1536, 2560}));
    arena.free(a, 1000);
    arena.free(c, 600);
    EXPECT_EQ(arena.allocate(1025), 3072) << "no hole takes 1536 bytes";
    EXPECT_EQ(arena.allocate(1024), 0);
    EXPECT_EQ(arena.allocate(512), 1536);
    EXPECT_EQ(arena.allocated(), 1024 + 512 + 512 + 512 + 1536);
    EXPECT_EQ(arena.reserved(), 3072 + 1536);
}

TEST(Arena, joinsFreeNeighbours)
{
    Arena arena;
    const Bytes a = arena.allocate(512), b = arena.allocate(512), c = arena.allocate(512);
    arena.free(a, 512);
    arena.free(c, 512);
    arena.free(b, 512);
    EXPECT_EQ(arena.allocate(1536), 0);
    EXPECT_EQ(arena.reserved(), 1536);
}

TEST(Arena, growsTheHoleAtItsEnd)
{
    Arena arena;
    arena.allocate(512);
    arena.free(arena.allocate(512), 512);
    EXPECT_EQ(arena.allocate(2048), 512);
    EXPECT_EQ(arena.reserved(), 2560);
}

TEST(Arena, refusesToFreeWhatIsNotInUse)
{
    Arena arena;
    const Bytes a = arena.allocate(512);
    arena.allocate(512);
    arena.free(a, 512);
    EXPECT_THROW(arena.free(a, 512), std::logic_error);
    EXPECT_THROW(arena.free(4096, 512), std::logic_error);
    EXPECT_THROW(arena.free(0, 1024), std::logic_error) << "the first half is free";
}

TEST(Arena, neverHandsOutTheSameByteTwiceAndEndsEmpty)
{
    struct Live {
        Bytes offset, bytes;
    };
    std::mt19937 random(7);
    Arena arena;
    std::vector<Live> live;
    for (int i = 0; i < 5000; ++i) {
        if (live.empty() || random() % 5 < 3) {
            const Bytes bytes = 1 + random() % 20000;
            const Bytes offset = arena.allocate(bytes);
            for (const Live &other : live)
                ASSERT_TRUE(offset + bytes <= other.offset || other.offset + other.bytes <= offset);
            live.push_back({offset, bytes});
        } else {
            const std::size_t at = random() % live.size();
            arena.free(live[at].offset, live[at].bytes);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }
    for (const Live &block : live)
        arena.free(block.offset, block.bytes);
    EXPECT_EQ(arena.allocated(), 0);
    const Bytes reserved = arena.reserved();
    EXPECT_EQ(arena.allocate(reserved), 0) << "all of it is one hole again";
}

} // namespace
} // namespace slipway
