// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/checkpoint_parts.h"

#include <limits>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "scratch_folder.h"
#include "state/checkpoint_reader.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using testing::messageOf;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(), kLeast = -kMost - 1;

// Two shards, each in a file named after it.
Result<WeightSlice> check(
    const std::vector<TensorPart> &parts, const std::optional<std::vector<std::int64_t>> &shape = std::nullopt)
{
    return checkParts({.name = "w", .shape = shape, .parts = parts}, 2, "manifest.json",
        [](int shard) { return "shard-" + std::to_string(shard); });
}

using Shape = std::vector<std::int64_t>;

WeightSlice slice(std::int64_t firstRow, std::int64_t rows, std::int64_t firstColumn, std::int64_t columns)
{
    return {.firstRow = firstRow, .rows = rows, .firstColumn = firstColumn, .columns = columns};
}

// All of the slice.
TensorPart partOf(int shard, const WeightSlice &of) { return {.shard = shard, .slice = of, .count = of.elements()}; }

TEST(CheckpointParts, ThatHoldEachElementOnceAreTheWholeWeight)
{
    EXPECT_EQ(check({{.first = 5, .count = 7}, {.shard = 1, .first = 0, .count = 5}}).value(),
        (WeightSlice{.rows = 12, .columns = 1}));
    const WeightSlice whole{.rows = 4, .columns = 6};
    EXPECT_EQ(check({partOf(0, slice(0, 4, 0, 2)), partOf(1, slice(0, 4, 2, 4))}, Shape{4, 6}).value(), whole);
    EXPECT_EQ(check({partOf(0, slice(0, 1, 0, 2)), partOf(1, slice(0, 1, 2, 4)), {.shard = 1, .first = 6, .count = 11},
                        {.shard = 0, .first = 17, .count = 7}},
                  Shape{4, 6})
                  .value(),
        whole);
}

TEST(CheckpointParts, ThatLeaveElementsOutAreRefusedByTheirPlaces)
{
    EXPECT_EQ(messageOf(check({{.first = 0, .count = 4}, {.first = 8, .count = 4}})),
        "manifest.json: lacks elements 4 to 8 of w");
    EXPECT_EQ(messageOf(check({{.first = 3, .count = 4}})), "manifest.json: lacks elements 0 to 3 of w");
    EXPECT_EQ(messageOf(check({{.first = 0, .count = 4}}, Shape{3, 2})), "manifest.json: lacks elements 4 to 6 of w");
    EXPECT_EQ(messageOf(check({partOf(0, slice(0, 4, 0, 2)), partOf(1, slice(0, 3, 2, 4))}, Shape{4, 6})),
        "manifest.json: lacks columns 2 to 6 of rows 3 to 4 of w");
    EXPECT_EQ(messageOf(check({partOf(0, slice(0, 4, 0, 2)), partOf(1, slice(0, 4, 3, 3))}, Shape{4, 6})),
        "manifest.json: lacks columns 2 to 3 of rows 0 to 4 of w");
    EXPECT_EQ(messageOf(check({partOf(0, slice(2, 1, 0, 6)), partOf(0, slice(3, 1, 0, 5))}, Shape{4, 6})),
        "manifest.json: lacks columns 0 to 6 of rows 0 to 2 of w");
}

TEST(CheckpointParts, ThatHoldAnElementTwiceAreRefusedByTheirFiles)
{
    EXPECT_EQ(messageOf(check({{.shard = 0, .first = 0, .count = 5}, {.shard = 1, .first = 4, .count = 4}})),
        "shard-0: holds elements of w that shard-1 holds, too");
    EXPECT_EQ(
        messageOf(check(
            {partOf(0, slice(0, 4, 0, 4)), partOf(0, slice(0, 4, 4, 2)), partOf(1, slice(1, 1, 3, 2))}, Shape{4, 6})),
        "shard-0: holds elements of w that shard-1 holds, too");
    EXPECT_THAT(messageOf(check({partOf(0, slice(0, 4, 0, 6)), partOf(1, slice(0, 4, 0, 6))}, Shape{4, 6})),
        HasSubstr("holds elements of w"));
}

TEST(CheckpointParts, OutsideOfTheWeightAreRefusedForAnyNumbers)
{
    for (const TensorPart &part :
        std::vector<TensorPart>{{.shard = 2, .count = 24}, {.shard = -1, .count = 24}, {.first = -1, .count = 25},
            {.first = 0, .count = 0}, {.first = 0, .count = -1}, {.first = kMost, .count = kMost},
            {.first = kLeast, .count = kMost}, {.first = 1, .count = kMost}, {.slice = slice(0, 4, 0, 7), .count = 28},
            {.slice = slice(-1, 5, 0, 6), .count = 30}, {.slice = slice(0, 4, 0, 6), .first = 1, .count = 24},
            {.slice = slice(0, 4, 0, 6), .count = kMost}, {.slice = slice(kMost, kMost, kMost, kMost), .count = 1},
            {.slice = slice(0, kMost, 0, kMost), .count = 24}, {.slice = slice(0, -4, 0, -6), .count = 24}}) {
        EXPECT_THAT(
            messageOf(check({part}, Shape{4, 6})), HasSubstr("places elements of w outside of it or in no file"));
        EXPECT_FALSE(check({part, {.count = 24}}));
    }
}

TEST(CheckpointParts, OfAShapeThatIsNoneAreRefused)
{
    for (const Shape &shape :
        std::vector<Shape>{{0}, {-1, -1}, {kMost, 2}, {kMost}, {std::int64_t{1} << 40, std::int64_t{1} << 40}})
        EXPECT_THAT(messageOf(check({{.count = 1}}, shape)), HasSubstr("gives no valid shape of w"));
    EXPECT_THAT(messageOf(check({partOf(0, slice(0, 1, 0, 1))})), HasSubstr("gives no valid shape of w"));
}

// The elements of the whole weight that a run has, in order.
std::vector<std::int64_t> elementsOf(const SliceRun &run, std::int64_t columns)
{
    std::vector<std::int64_t> elements;
    forEachWholeRun(
        run.slice, columns, run.first, run.count, [&](std::int64_t first, std::int64_t, std::int64_t length) {
            for (std::int64_t i = 0; i < length; ++i)
                elements.push_back(first + i);
        });
    return elements;
}

class RandomRuns {
public:
    explicit RandomRuns(unsigned seed) : m_random(seed) {}
    std::int64_t drawn(std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(m_random); }
    SliceRun within(const WeightSlice &whole)
    {
        SliceRun run{.slice = {.firstRow = drawn(whole.rows - 1), .firstColumn = drawn(whole.columns - 1)}};
        run.slice.rows = 1 + drawn(whole.rows - run.slice.firstRow - 1);
        run.slice.columns = 1 + drawn(whole.columns - run.slice.firstColumn - 1);
        run.first = drawn(run.slice.elements() - 1);
        run.count = 1 + drawn(run.slice.elements() - run.first - 1);
        return run;
    }

private:
    std::mt19937 m_random;
};

TEST(CheckpointParts, ShareTheElementsThatBothHaveAndNoOthers)
{
    RandomRuns random(1);
    for (int trial = 0; trial < 2000; ++trial) {
        const WeightSlice whole{.rows = 1 + random.drawn(6), .columns = 1 + random.drawn(6)};
        const SliceRun a = random.within(whole), b = random.within(whole);
        const std::vector<std::int64_t> ofA = elementsOf(a, whole.columns), ofB = elementsOf(b, whole.columns);
        std::set<std::int64_t> expected(ofA.begin(), ofA.end()), found;
        std::erase_if(expected, [&](std::int64_t element) { return std::ranges::count(ofB, element) == 0; });
        std::int64_t endOfA = 0, endOfB = 0;
        forEachShared(a, b, [&](std::int64_t inA, std::int64_t inB, std::int64_t length) {
            EXPECT_FALSE(inA == endOfA && inB == endOfB && endOfA > 0) << "two pieces that follow each other";
            EXPECT_GE(inA, endOfA);
            EXPECT_GE(inB, endOfB);
            for (std::int64_t i = 0; i < length; ++i) {
                EXPECT_EQ(ofA.at(static_cast<std::size_t>(inA + i)), ofB.at(static_cast<std::size_t>(inB + i)));
                found.insert(ofA.at(static_cast<std::size_t>(inA + i)));
            }
            endOfA = inA + length;
            endOfB = inB + length;
        });
        ASSERT_EQ(found, expected) << "trial " << trial;
    }
}

struct Reads {
    std::int64_t count = 0, bytes = 0, values = 0;
};

Reads readsOf(const SliceRun &from, const SliceRun &to)
{
    Reads reads;
    forEachRead(from, to, [&](std::span<const SharedPiece> pieces) {
        ++reads.count;
        reads.bytes += (pieces.back().from + pieces.back().length - pieces.front().from) * 4;
        for (const SharedPiece &piece : pieces)
            reads.values += piece.length;
    });
    return reads;
}

SliceRun allOf(const WeightSlice &slice) { return {.slice = slice, .count = slice.elements()}; }

TEST(CheckpointReads, OfRowsAreOneRead)
{
    const Reads reads = readsOf(allOf(slice(0, 4096, 0, 4096)), allOf(slice(1024, 1024, 0, 4096)));
    EXPECT_EQ(reads.count, 1);
    EXPECT_EQ(reads.bytes, std::int64_t{1024} * 4096 * 4);
}

TEST(CheckpointReads, OfNarrowColumnsTakeManyRowsTogether)
{
    const Reads reads = readsOf(allOf(slice(0, 4096, 0, 4096)), allOf(slice(0, 4096, 512, 512)));
    EXPECT_EQ(reads.values, std::int64_t{4096} * 512);
    EXPECT_LE(reads.count, 17) << "64 MiB by 4 MiB";
    EXPECT_LE(reads.bytes, 64 * kMiB);
}

TEST(CheckpointReads, OfColumnsThatLieFarApartReadNothingBetween)
{
    const Reads reads = readsOf(allOf(slice(0, 100, 0, 40'000)), allOf(slice(0, 100, 10'000, 20'000)));
    EXPECT_EQ(reads.count, 100);
    EXPECT_EQ(reads.bytes, std::int64_t{100} * 20'000 * 4);
}

TEST(CheckpointReads, IntoWiderRowsReadTheFileAtOnce)
{
    const Reads reads = readsOf(allOf(slice(0, 512, 256, 256)), allOf(slice(0, 512, 0, 1024)));
    EXPECT_EQ(reads.count, 1);
    EXPECT_EQ(reads.bytes, std::int64_t{512} * 256 * 4);
}

TEST(CheckpointReads, StayWithinTheBufferWhereTheyTakeRowsTogether)
{
    forEachRead(
        allOf(slice(0, 3000, 0, 3000)), allOf(slice(0, 3000, 0, 2999)), [](std::span<const SharedPiece> pieces) {
            EXPECT_LE((pieces.back().from + pieces.back().length - pieces.front().from) * 4, kReadBuffer);
        });
}

} // namespace
} // namespace slipway
