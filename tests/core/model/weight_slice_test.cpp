// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/weight_slice.h"

#include <array>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Piece = std::array<std::int64_t, 3>; // first of the whole weight, offset in the run, length
using Pieces = std::vector<Piece>;

Pieces piecesOf(const WeightSlice &slice, std::int64_t wholeColumns, std::int64_t first, std::int64_t count)
{
    Pieces pieces;
    forEachWholeRun(
        slice, wholeColumns, first, count, [&](std::int64_t whole, std::int64_t offset, std::int64_t length) {
            pieces.push_back({whole, offset, length});
        });
    return pieces;
}

TEST(WeightSlice, OfColumnsIsARunForEachRow)
{
    const WeightSlice slice{.firstRow = 1, .rows = 3, .firstColumn = 2, .columns = 4};
    EXPECT_THAT(piecesOf(slice, 10, 0, 12), ElementsAre(Piece{12, 0, 4}, Piece{22, 4, 4}, Piece{32, 8, 4}));
    EXPECT_THAT(piecesOf(slice, 10, 3, 6), ElementsAre(Piece{15, 0, 1}, Piece{22, 1, 4}, Piece{32, 5, 1}));
    EXPECT_THAT(piecesOf(slice, 10, 5, 2), ElementsAre(Piece{23, 0, 2}));
}

TEST(WeightSlice, OfWholeRowsIsOneRun)
{
    const WeightSlice slice{.firstRow = 2, .rows = 2, .columns = 5};
    EXPECT_THAT(piecesOf(slice, 5, 0, 10), ElementsAre(Piece{10, 0, 10}));
    EXPECT_THAT(piecesOf(slice, 5, 3, 4), ElementsAre(Piece{13, 0, 4}));
}

TEST(WeightSlice, OfAVectorHasOneColumn)
{
    EXPECT_EQ(wholeSlice(std::array<std::int64_t, 1>{7}), (WeightSlice{.rows = 7, .columns = 1}));
    EXPECT_THAT(piecesOf({.firstRow = 4, .rows = 3, .columns = 1}, 1, 1, 2), ElementsAre(Piece{5, 0, 2}));
}

TEST(WeightSlice, WithoutElementsHasNoRuns)
{
    EXPECT_THAT(piecesOf({.rows = 3, .columns = 5}, 9, 0, 0), IsEmpty());
    EXPECT_THAT(piecesOf({}, 9, 0, 0), IsEmpty());
}

TEST(WeightSlice, OfAShapeCountsAllButTheLastDimensionAsRows)
{
    EXPECT_EQ(wholeSlice(std::array<std::int64_t, 2>{7, 3}), (WeightSlice{.rows = 7, .columns = 3}));
    EXPECT_EQ(wholeSlice(std::array<std::int64_t, 3>{2, 7, 3}), (WeightSlice{.rows = 14, .columns = 3}));
    EXPECT_EQ(wholeSlice(std::span<const std::int64_t>()), (WeightSlice{.rows = 1, .columns = 1}));
}

TEST(WeightSlice, GoesThroughItsElementsInOrder)
{
    std::mt19937 random(1);
    const auto drawn = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random); };
    for (int trial = 0; trial < 300; ++trial) {
        const WeightSlice whole{.rows = 1 + drawn(8), .columns = 1 + drawn(8)};
        WeightSlice slice{.firstRow = drawn(whole.rows - 1), .firstColumn = drawn(whole.columns - 1)};
        slice.rows = 1 + drawn(whole.rows - slice.firstRow - 1);
        slice.columns = 1 + drawn(whole.columns - slice.firstColumn - 1);
        ASSERT_TRUE(liesWithin(slice, whole));
        std::vector<std::int64_t> expected, found;
        for (std::int64_t row = 0; row < slice.rows; ++row) {
            for (std::int64_t column = 0; column < slice.columns; ++column)
                expected.push_back((slice.firstRow + row) * whole.columns + slice.firstColumn + column);
        }
        const std::int64_t first = drawn(slice.elements()), count = drawn(slice.elements() - first);
        expected = {expected.begin() + first, expected.begin() + first + count};
        for (const auto &[wholeFirst, offset, length] : piecesOf(slice, whole.columns, first, count)) {
            ASSERT_EQ(offset, std::ssize(found));
            for (std::int64_t i = 0; i < length; ++i)
                found.push_back(wholeFirst + i);
        }
        ASSERT_EQ(found, expected) << "trial " << trial;
    }
}

TEST(WeightSlice, OutsideTheWeightIsSeenForAnyNumbers)
{
    const WeightSlice whole{.rows = 4, .columns = 6};
    EXPECT_TRUE(liesWithin(whole, whole));
    EXPECT_TRUE(liesWithin({.firstRow = 3, .rows = 1, .firstColumn = 5, .columns = 1}, whole));
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(), kLeast = -kMost - 1;
    for (const WeightSlice &slice : std::vector<WeightSlice>{{}, {.rows = 5, .columns = 6}, {.rows = 4, .columns = 7},
             {.firstRow = 1, .rows = 4, .columns = 6}, {.rows = 4, .firstColumn = 1, .columns = 6},
             {.firstRow = -1, .rows = 4, .columns = 6}, {.rows = 4, .firstColumn = -1, .columns = 6},
             {.rows = -1, .columns = -1}, {.firstRow = kMost, .rows = kMost, .columns = 6},
             {.firstRow = kLeast, .rows = 4, .columns = 6}, {.rows = 1, .firstColumn = kMost, .columns = 1},
             {.rows = kLeast, .columns = kLeast}})
        EXPECT_FALSE(liesWithin(slice, whole));
}

} // namespace
} // namespace slipway
