// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <list>
#include <optional>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "base/units.h"
#include "memory/caching_allocator.h"

namespace slipway {
namespace {

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

TEST(CachingAllocator, takesOfEqualBlocksTheOneAtTheLowestAddress)
{
    // 60 MiB in one segment, 20 MiB in a second; the first is split in three, of which the middle one stays.
    CachingAllocator a;
    const auto all = a.allocate(60 * kMiB), second = a.allocate(20 * kMiB);
    a.free(*all);
    const auto left = a.allocate(20 * kMiB), middle = a.allocate(20 * kMiB), right = a.allocate(20 * kMiB);
    // Freed last to first: three free blocks of 20 MiB, made in another order than they lie.
    a.free(*second);
    a.free(*right);
    a.free(*left);
    const auto first = a.allocate(20 * kMiB); // the lowest: left of the middle
    a.free(*middle);                          // joins what is right of it
    a.allocate(40 * kMiB);
    EXPECT_EQ(a.reserved(), 80 * kMiB) << "the 40 MiB fit between the first and the second segment";
    a.free(*first);
}

TEST(CachingAllocator, splitsBlocksOfExpandableSegmentsDownTo512Bytes)
{
    CachingAllocator a({.expandable = true});
    const auto block = a.allocate(20 * kMiB);
    a.free(*block);
    a.allocate(20 * kMiB - kMiB); // a fixed segment's block would keep the last MiB
    EXPECT_EQ(a.allocated(), 19 * kMiB);
}

// The same rules with nothing but lists that are searched from end to end.
class PlainAllocator {
public:
    explicit PlainAllocator(CachingOptions options) : m_options(options) {}

    std::optional<int> allocate(Bytes bytes, int stream)
    {
        const Bytes size = std::max<Bytes>(512, roundUp(bytes, 512));
        const bool small = size <= kMiB;
        auto best = smallestFree(stream, small, size);
        if (best == m_blocks.end()) {
            const Bytes segment = small ? 2 * kMiB : size < 10 * kMiB ? 20 * kMiB : roundUp(size, 2 * kMiB);
            if (m_reserved + segment > m_options.limit) {
                releaseFreeSegments();
                if (m_reserved + segment > m_options.limit)
                    return std::nullopt;
            }
            m_reserved += segment;
            best = m_blocks.insert(m_blocks.end(), {m_ids++, segment, stream, small, true, m_segments++});
        }
        best->free = false;
        const Bytes rest = best->size - size;
        if (small ? rest >= 512 : rest > kMiB) {
            best->size = size;
            m_blocks.insert(std::next(best), {m_ids++, rest, stream, small, true, best->segment});
        }
        m_allocated += best->size;
        return best->id;
    }

    void free(int id)
    {
        const auto at = std::find_if(m_blocks.begin(), m_blocks.end(), [&](const Block &b) { return b.id == id; });
        at->free = true;
        m_allocated -= at->size;
        joinNext(at);
        if (at != m_blocks.begin() && std::prev(at)->free)
            joinNext(std::prev(at));
    }

    [[nodiscard]] Bytes allocated() const { return m_allocated; }
    [[nodiscard]] Bytes reserved() const { return m_reserved; }

private:
    struct Block {
        int id = 0;
        Bytes size = 0;
        int stream = 0;
        bool small = false, free = false;
        int segment = 0;
    };
    using At = std::list<Block>::iterator;

    At smallestFree(int stream, bool small, Bytes size)
    {
        At best = m_blocks.end();
        for (At b = m_blocks.begin(); b != m_blocks.end(); ++b) {
            if (b->free && b->stream == stream && b->small == small && b->size >= size &&
                (best == m_blocks.end() || b->size < best->size)) // the list goes by address
                best = b;
        }
        return best;
    }

    void joinNext(At at)
    {
        const At next = std::next(at);
        if (next == m_blocks.end() || !next->free || next->segment != at->segment)
            return;
        at->size += next->size;
        m_blocks.erase(next);
    }

    void releaseFreeSegments()
    {
        std::vector<At> whole;
        for (At b = m_blocks.begin(); b != m_blocks.end(); ++b) {
            if (b->free && std::count_if(m_blocks.begin(), m_blocks.end(),
                               [&](const Block &other) { return other.segment == b->segment; }) == 1)
                whole.push_back(b);
        }
        for (const At b : whole) {
            m_reserved -= b->size;
            m_blocks.erase(b);
        }
    }

    CachingOptions m_options;
    std::list<Block> m_blocks; // by address
    int m_ids = 0, m_segments = 0;
    Bytes m_allocated = 0, m_reserved = 0;
};

TEST(CachingAllocator, doesWhatItsRulesSayOnRandomTraces)
{
    for (const Bytes limit : {std::numeric_limits<Bytes>::max(), 150 * kMiB}) {
        std::mt19937 random(11);
        CachingAllocator fast({.limit = limit});
        PlainAllocator plain({.limit = limit});
        std::vector<std::pair<CachingAllocator::BlockId, int>> live;
        for (int i = 0; i < 4000; ++i) {
            if (!live.empty() && random() % 40 < 19) {
                const std::size_t at = random() % live.size();
                fast.free(live[at].first);
                plain.free(live[at].second);
                live.erase(live.begin() + std::ptrdiff_t(at));
            } else {
                const Bytes bytes = random() % 3 == 0 ? Bytes(random() % 4) * 5 * kMiB : Bytes{1} << (random() % 24);
                const int stream = int(random() % 2);
                const auto block = fast.allocate(bytes, stream);
                const auto expected = plain.allocate(bytes, stream);
                ASSERT_EQ(block.has_value(), expected.has_value()) << i;
                if (block)
                    live.emplace_back(*block, *expected);
            }
            ASSERT_EQ(fast.allocated(), plain.allocated()) << i;
            ASSERT_EQ(fast.reserved(), plain.reserved()) << i;
        }
        EXPECT_EQ(fast.retries() > 0, limit == 150 * kMiB);
    }
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
