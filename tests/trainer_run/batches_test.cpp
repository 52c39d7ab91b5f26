// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/batches.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "scratch_folder.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using namespace testing;

constexpr std::int64_t kSeq = 4;

class BatchesTest : public ::testing::Test {
protected:
    BatchesTest()
    {
        std::vector<std::uint16_t> ids(1001);
        for (const auto &[name, first] : {std::pair("a.bin", 0), std::pair("b.bin", 2000), std::pair("c.bin", 4000)}) {
            std::iota(ids.begin(), ids.end(), static_cast<std::uint16_t>(first));
            writeBytes(folder / name, bytesOf(ids));
        }
    }

    [[nodiscard]] TokenSource open() const
    {
        const std::vector<WeightedFile> files{{.path = folder / "a.bin", .weight = 5},
            {.path = folder / "b.bin", .weight = 2}, {.path = folder / "c.bin", .weight = 1}};
        return std::move(TokenSource::open(files, 6000, kSeq, 7)).value();
    }

    // First ids of all sequences of steps [begin, end), of all ranks, in the order that the run counts its samples. The
    // files are opened anew: nothing but the step's number is known.
    [[nodiscard]] std::vector<std::int32_t> sequences(int ranks, std::int64_t begin, std::int64_t end) const
    {
        const TokenSource source = open();
        std::vector<std::int32_t> firsts;
        const std::int64_t rows = kPerStep / ranks;
        for (std::int64_t step = begin; step < end; ++step) {
            for (std::int64_t row = 0; row < rows; ++row) {
                for (int rank = 0; rank < ranks; ++rank) {
                    Batches batches(source, {.rows = rows, .rank = rank, .ranks = ranks});
                    firsts.push_back(batches.training(static_cast<std::uint64_t>(step * kPerStep))
                            .value()
                            .tokens[static_cast<std::size_t>(row * kSeq)]);
                }
            }
        }
        return firsts;
    }

    static constexpr std::int64_t kPerStep = 8;
    ScratchFolder folder;
};

TEST_F(BatchesTest, GiveTheSameSamplesInTheSameOrderAtAnyNumberOfRanks)
{
    const std::vector<std::int32_t> one = sequences(1, 0, 100);
    for (const int ranks : {2, 4, 8})
        EXPECT_EQ(sequences(ranks, 0, 100), one) << ranks << " ranks";
}

TEST_F(BatchesTest, GoOnFromAnyStepAtAnyNumberOfRanks)
{
    const std::vector<std::int32_t> whole = sequences(2, 0, 60);
    std::vector<std::int32_t> parts = sequences(1, 0, 17);
    for (const auto &[ranks, begin, end] : {std::tuple(4, 17, 40), std::tuple(8, 40, 41), std::tuple(2, 41, 60)}) {
        const std::vector<std::int32_t> part = sequences(ranks, begin, end);
        parts.insert(parts.end(), part.begin(), part.end());
    }
    EXPECT_EQ(parts, whole);
}

TEST_F(BatchesTest, DrawFromFilesByTheirWeights)
{
    const std::vector<std::int32_t> drawn = sequences(1, 0, 512); // a block of the mixing
    const auto share = [&drawn](std::int32_t first) {
        return std::count_if(
            drawn.begin(), drawn.end(), [first](std::int32_t id) { return id >= first && id < first + 2000; });
    };
    EXPECT_EQ(share(0), 2560);
    EXPECT_EQ(share(2000), 1024);
    EXPECT_EQ(share(4000), 512);
}

TEST(Documents, EndAtMarksAndDoNotCountWhatFollows)
{
    const std::vector<std::int32_t> tokens{7, 2, 1, 8, 9, 2, 1, 2}; // 1 begins, 2 ends
    std::vector<std::int32_t> targets{2, 1, 8, 9, 2, 1, 2, 1}, starts(8, -7);
    separateDocuments({.begin = 1, .end = 2}, tokens, targets, starts);
    EXPECT_THAT(starts, ElementsAre(0, 0, 2, 2, 2, 2, 6, 6));
    EXPECT_THAT(targets, ElementsAre(2, -1, 8, 9, 2, -1, 2, -1));
}

TEST(Documents, EndAtEitherMarkAlone)
{
    const std::vector<std::int32_t> tokens{7, 2, 1, 8};
    for (const DocumentMarks marks : {DocumentMarks{.begin = 1}, DocumentMarks{.end = 2}}) {
        std::vector<std::int32_t> targets{2, 1, 8, 9}, starts(4);
        separateDocuments(marks, tokens, targets, starts);
        EXPECT_THAT(starts, ElementsAre(0, 0, 2, 2));
        EXPECT_THAT(targets, ElementsAre(2, -1, 8, 9));
    }
}

} // namespace
} // namespace slipway
