// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/update_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

using ::testing::ElementsAre;

constexpr ParameterKind kMatrix = ParameterKind::Matrix, kNorm = ParameterKind::Norm, kBias = ParameterKind::Bias;

TEST(UpdateRanges, AreTheRunsOfAUnitThatAreUpdatedAlike)
{
    const std::vector<UnitRuns> units{{}, {{100, kMatrix}, {110, kNorm}, {130, kBias}}};
    const Kernel whole{.kind = OpKind::AdamW, .n = 130, .unit = 1};
    OptimizerStep optimizer{.weightDecay = 0.5};
    EXPECT_THAT(updateRanges(whole, 0, units, optimizer),
        ElementsAre(UpdateRange{.first = 0, .count = 100, .weightDecay = 0.5}, UpdateRange{.first = 100, .count = 30}));
    optimizer.noDecay = ParameterKinds::of(kNorm);
    EXPECT_THAT(updateRanges(whole, 0, units, optimizer),
        ElementsAre(UpdateRange{.first = 0, .count = 100, .weightDecay = 0.5}, UpdateRange{.first = 100, .count = 10},
            UpdateRange{.first = 110, .count = 20, .weightDecay = 0.5}));
    optimizer.noDecay = {};
    EXPECT_THAT(updateRanges(whole, 0, units, optimizer),
        ElementsAre(UpdateRange{.first = 0, .count = 130, .weightDecay = 0.5}));
}

TEST(UpdateRanges, OfARankAreWhatFallsToIt)
{
    const std::vector<UnitRuns> units{{{100, kMatrix}, {128, kNorm}}};
    const Kernel half{.kind = OpKind::AdamW, .n = 64};
    const OptimizerStep optimizer{.weightDecay = 0.5};
    EXPECT_THAT(
        updateRanges(half, 0, units, optimizer), ElementsAre(UpdateRange{.first = 0, .count = 64, .weightDecay = 0.5}));
    EXPECT_THAT(updateRanges(half, 1, units, optimizer),
        ElementsAre(UpdateRange{.first = 0, .count = 36, .weightDecay = 0.5}, UpdateRange{.first = 36, .count = 28}));
}

TEST(UpdateRanges, HaveTheRatesOfEmbeddingsAndHead)
{
    const std::vector<UnitRuns> units = unitRuns(planOf(smallConfig(), smallModel()));
    ASSERT_EQ(units.size(), 3U);
    const std::int64_t table = 97 * 48;
    EXPECT_THAT(units[0], ElementsAre(KindRun{table, ParameterKind::Embedding}));
    EXPECT_THAT(units[2], ElementsAre(KindRun{table, ParameterKind::Head}, KindRun{table + 48, kNorm}));
    const OptimizerStep optimizer{.embeddingRateFactor = 3, .headRateFactor = 0.5, .weightDecay = 0.1};
    EXPECT_THAT(updateRanges({.n = table, .unit = 0}, 0, units, optimizer),
        ElementsAre(UpdateRange{.first = 0, .count = table, .rateFactor = 3, .weightDecay = 0.1}));
    EXPECT_THAT(updateRanges({.n = table + 48, .unit = 2}, 0, units, optimizer),
        ElementsAre(UpdateRange{.first = 0, .count = table, .rateFactor = 0.5, .weightDecay = 0.1},
            UpdateRange{.first = table, .count = 48}));
}

} // namespace
} // namespace slipway::testing
