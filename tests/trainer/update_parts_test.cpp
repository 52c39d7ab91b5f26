// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/update_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

using ::testing::ElementsAre;

constexpr ParameterKind kMatrix = ParameterKind::Matrix, kNorm = ParameterKind::Norm, kBias = ParameterKind::Bias;

TEST(UpdateParts, AreTheRunsOfAUnitThatAreUpdatedAlike)
{
    const std::vector<UnitRuns> units{{}, {{100, kMatrix}, {110, kNorm}, {130, kBias}}};
    const Kernel whole{.kind = OpKind::AdamW, .n = 130, .unit = 1};
    OptimizerStep optimizer{.weightDecay = 0.5};
    EXPECT_THAT(updateParts(whole, 0, units, optimizer),
        ElementsAre(UpdatePart{.first = 0, .count = 100, .weightDecay = 0.5}, UpdatePart{.first = 100, .count = 30}));
    optimizer.noDecay = ParameterKinds::of(kNorm);
    EXPECT_THAT(updateParts(whole, 0, units, optimizer),
        ElementsAre(UpdatePart{.first = 0, .count = 100, .weightDecay = 0.5}, UpdatePart{.first = 100, .count = 10},
            UpdatePart{.first = 110, .count = 20, .weightDecay = 0.5}));
    optimizer.noDecay = {};
    EXPECT_THAT(
        updateParts(whole, 0, units, optimizer), ElementsAre(UpdatePart{.first = 0, .count = 130, .weightDecay = 0.5}));
}

TEST(UpdateParts, OfARankAreWhatFallsToIt)
{
    const std::vector<UnitRuns> units{{{100, kMatrix}, {128, kNorm}}};
    const Kernel half{.kind = OpKind::AdamW, .n = 64};
    const OptimizerStep optimizer{.weightDecay = 0.5};
    EXPECT_THAT(
        updateParts(half, 0, units, optimizer), ElementsAre(UpdatePart{.first = 0, .count = 64, .weightDecay = 0.5}));
    EXPECT_THAT(updateParts(half, 1, units, optimizer),
        ElementsAre(UpdatePart{.first = 0, .count = 36, .weightDecay = 0.5}, UpdatePart{.first = 36, .count = 28}));
}

TEST(UpdateParts, BeginBehindWhatMuonUpdates)
{
    const std::vector<UnitRuns> units{{{100, kMatrix}, {110, kNorm}}};
    const Kernel rest{.kind = OpKind::AdamW, .n = 10, .k = 100};
    EXPECT_THAT(updateParts(rest, 0, units, {}), ElementsAre(UpdatePart{.first = 0, .count = 10}));
}

TEST(UpdateParts, HaveTheRatesOfEmbeddingsAndHead)
{
    const std::vector<UnitRuns> units = unitRuns(planOf(smallConfig(), smallModel()));
    ASSERT_EQ(units.size(), 3U);
    const std::int64_t table = 97 * 48;
    EXPECT_THAT(units[0], ElementsAre(KindRun{table, ParameterKind::Embedding}));
    EXPECT_THAT(units[2], ElementsAre(KindRun{table, ParameterKind::Head}, KindRun{table + 48, kNorm}));
    const OptimizerStep optimizer{.embeddingRate = 3, .headRate = 0.5, .weightDecay = 0.1};
    EXPECT_THAT(updateParts({.n = table, .unit = 0}, 0, units, optimizer),
        ElementsAre(UpdatePart{.first = 0, .count = table, .rateFactor = 3, .weightDecay = 0.1}));
    EXPECT_THAT(updateParts({.n = table + 48, .unit = 2}, 0, units, optimizer),
        ElementsAre(UpdatePart{.first = 0, .count = table, .rateFactor = 0.5, .weightDecay = 0.1},
            UpdatePart{.first = table, .count = 48}));
}

} // namespace
} // namespace slipway::testing
