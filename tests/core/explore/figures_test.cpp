// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/figures.h"

#include <gmock/gmock.h>

#include <string>

#include "explore/sequence_memory.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

// Two models, two counts, two micro-batches, both kinds of attention; objective is 1000 x model + 100 x flash + place.
Sweep handMade()
{
    Sweep sweep;
    sweep.grid.axes = {{"model", {"100M", "1B"}}, {"gpus", {"1", "2"}}, {"parallel", {"ddp"}},
        {"micro_batch", {"4", "8"}}, {"attention", {"flash", "vanilla"}}};
    for (std::size_t i = 0; i < sweep.grid.size(); ++i) {
        const auto digits = sweep.grid.digitsAt(i);
        SweepPoint point{.index = i};
        point.tokensPerUsd = 1000.0 * double(digits[0]) + (digits[4] == 0 ? 100 : 0) + double(i);
        point.verdict = digits[4] == 1 && digits[3] == 1 ? Verdict::Oom : Verdict::Fits; // vanilla with 8: does not fit
        sweep.points.push_back(std::move(point));
    }
    sweep.end = {.done = sweep.points.size(), .all = sweep.points.size()};
    return sweep;
}

TEST(Figures, TakeTheBestOverWhatTheyDoNotShow)
{
    const Sweep sweep = handMade();
    const SweepFigure figure = figureOf(sweep, {.line = "attention", .x = FigureX::GlobalBatch}).value();
    ASSERT_EQ(figure.panels.size(), 2u);
    EXPECT_EQ(figure.panels[1].name, "1B");
    EXPECT_EQ(figure.xLabel, "global batch, sequences");
    EXPECT_EQ(figureOf(sweep, {.line = "attention", .x = FigureX::Gpus})->xLabel, "GPUs");
    const FigureLine &flash = figure.panels[0].lines.at(0);
    ASSERT_EQ(flash.dots.size(), 3u) << "4; 8 as 1 x 8 or 2 x 4; 16";
    EXPECT_EQ(flash.dots[1].x, 8);
    // 2 GPUs with micro-batch 4 (index 4) is better than one with 8 (index 2).
    EXPECT_EQ(flash.dots[1].point, 4u);
    EXPECT_EQ(flash.dots[1].y, 104);
}

TEST(Figures, MarkWhereNothingFits)
{
    const Sweep sweep = handMade();
    const FigureLine vanilla = figureOf(sweep, {.line = "attention", .x = FigureX::GlobalBatch})->panels[0].lines.at(1);
    ASSERT_EQ(vanilla.dots.size(), 3u);
    EXPECT_FALSE(vanilla.dots[0].oom);
    EXPECT_FALSE(vanilla.dots[1].oom) << "2 x 4 fits where 1 x 8 does not";
    EXPECT_TRUE(vanilla.dots[2].oom);
}

TEST(Figures, OfThePaperAreThoseWhoseAxesTheGridHas)
{
    const auto ids = [](const std::vector<SweepFigure> &figures) {
        std::vector<std::string> names;
        for (const SweepFigure &figure : figures)
            names.push_back(figure.id);
        return names;
    };
    EXPECT_THAT(ids(paperFigures(handMade())), ::testing::ElementsAre("attention"));
    Sweep whole;
    whole.grid = paperGrid();
    EXPECT_THAT(ids(paperFigures(whole)), ::testing::ElementsAre("attention", "gpu", "scheme", "batch"));
}

TEST(SequenceMemoryView, GrowsWithTheSequenceAndNeverWithRecomputation)
{
    const SequenceMemory memory = sequenceMemory({}, catalogue());
    ASSERT_EQ(memory.panels.size(), 6u);
    for (const SequenceMemory::Panel &panel : memory.panels) {
        ASSERT_EQ(panel.bars.size(), 4u);
        for (std::size_t i = 0; i < panel.bars.size(); ++i) {
            EXPECT_EQ(panel.bars[i].skipped, "");
            if (i > 0) {
                EXPECT_GE(double(panel.bars[i].peak), 0.99 * double(panel.bars[i - 1].peak))
                    << "but for holes in the arena";
            }
        }
    }
    for (const std::size_t model : {0u, 3u}) {
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_LE(memory.panels[model + 1].bars[i].peak, memory.panels[model].bars[i].peak);
            EXPECT_LE(memory.panels[model + 2].bars[i].peak, memory.panels[model + 1].bars[i].peak);
        }
    }
}

} // namespace
} // namespace slipway
