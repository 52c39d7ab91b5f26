// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/count_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "comm/thread_group.h"

namespace slipway::testing {
namespace {

using ::testing::ElementsAre;

TEST(SumCounts, IsExactAboveTheIntegersOfFp32)
{
    constexpr std::int64_t kLast = std::int64_t{1} << 24; // 2^24 + 1 is the first integer that fp32 lacks
    ThreadGroup group(3);
    std::vector<std::vector<std::int64_t>> counts(3);
    group.run([&](Communicator &communicator) {
        auto &own = counts[static_cast<std::size_t>(communicator.rank())];
        own = communicator.rank() == 0 ? std::vector<std::int64_t>{kLast, 5} : std::vector<std::int64_t>{1, 7};
        sumCounts(communicator, own);
    });
    for (const std::vector<std::int64_t> &sums : counts)
        EXPECT_THAT(sums, ElementsAre(kLast + 2, 19));
}

TEST(SumCounts, OfOneRankAreItsOwnAndOfNoCountsThereAreNone)
{
    SingleCommunicator single;
    std::vector<std::int64_t> counts{3, 0, -2}, none;
    sumCounts(single, counts);
    sumCounts(single, none);
    EXPECT_THAT(counts, ElementsAre(3, 0, -2));
}

} // namespace
} // namespace slipway::testing
