// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "serve/serve_figures.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "support/serving_catalogue.h"

namespace slipway {
namespace {

ServeFigure figureOf(ServeChart chart, const ServeConfig &config = eightBillion())
{
    return serveFigure(chart, config, catalogue(), frameworks()).value();
}

// The y of a line at a place; -1: it does not fit there.
double at(const ServeFigure &figure, std::size_t line, const std::string &place)
{
    const std::vector<ServeDot> &dots = figure.panels[0].lines[line].dots;
    const auto dot = std::find_if(dots.begin(), dots.end(), [&](const ServeDot &d) { return d.name == place; });
    EXPECT_NE(dot, dots.end()) << place;
    return dot->fits ? dot->y : -1;
}

TEST(ServeFigures, EveryModelThatTheCatalogueHasIsInTheChartOnce)
{
    const ServeFigure figure = figureOf(ServeChart::Models);
    std::set<std::string> names;
    for (const ServeLine &line : figure.panels[0].lines) {
        for (const ServeDot &dot : line.dots)
            EXPECT_TRUE(names.insert(dot.name).second) << dot.name;
    }
    ServeConfig config = eightBillion();
    std::size_t possible = 0;
    for (const CatalogueModel &model : catalogue().models) {
        config.run.model = {.name = model.spec.name};
        possible += resolveServing(config, catalogue(), frameworks()) ? 1 : 0;
    }
    EXPECT_EQ(names.size(), possible);
    EXPECT_TRUE(names.contains("llama-3.1-8b"));
}

TEST(ServeFigures, ADotOfAChartIsWhatThePredictionOfItsSettingsSays)
{
    const ServeFigure heads = figureOf(ServeChart::Heads);
    ServeConfig config = eightBillion();
    config.batch = 16;
    config.run.model.kvHeads = 32;
    const ServePrediction full = predictServing(config, catalogue(), frameworks()).value();
    EXPECT_EQ(heads.panels[0].lines[0].name, "32 key-value heads");
    EXPECT_DOUBLE_EQ(at(heads, 0, "16"), full.speed.tokensPerSecond);
    EXPECT_EQ(heads.panels[0].lines[1].name, "8 key-value heads (this model)");
    EXPECT_GT(at(heads, 1, "128"), at(heads, 0, "128")) << "less to read";
}

TEST(ServeFigures, FewerSequencesFitWhereTheWholeLengthIsReserved)
{
    const ServeFigure figure = figureOf(ServeChart::Attention);
    ASSERT_EQ(figure.panels[0].lines.size(), 4U); // fused or not, paged or not
    // 256 sequences of 768 tokens are 24 GiB, of 8,192 tokens 256 GiB.
    EXPECT_GT(at(figure, 0, "256"), 0);
    EXPECT_EQ(at(figure, 1, "256"), -1);
    EXPECT_GT(at(figure, 0, "64"), at(figure, 2, "64")) << "a fused kernel writes no scores";
}

TEST(ServeFigures, ExpertsCostTheMemoryOfAllAndTheTimeOfFew)
{
    const ServeFigure figure = figureOf(ServeChart::Experts);
    const std::vector<ServeLine> &lines = figure.panels[0].lines;
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0].name, "8 experts, 2 per token");
    // A batch of one reads the two experts of its token; the dense model as wide as all eight reads all.
    EXPECT_NEAR(at(figure, 0, "1") / at(figure, 1, "1"), 1, 0.15);
    EXPECT_GT(at(figure, 0, "1"), 1.5 * at(figure, 2, "1"));
    // Many sequences together read nearly all experts.
    EXPECT_LT(at(figure, 0, "64") / at(figure, 1, "64"), 0.8);
}

TEST(ServeFigures, TheCacheIsBytesPerTokenTimesLengthTimesBatch)
{
    const ServeFigure figure = figureOf(ServeChart::Cache);
    // 128 KiB a token: 4 sequences of 8,192 tokens are 4 GiB.
    EXPECT_EQ(figure.panels[0].lines[1].name, "Batch 4");
    EXPECT_DOUBLE_EQ(at(figure, 1, "8192"), 4);
    EXPECT_EQ(at(figure, 4, "131072"), -1) << "256 x 16 GiB";
}

TEST(ServeFigures, LatencyRisesWithTheLoad)
{
    ServeConfig config = eightBillion();
    config.requests = 300;
    config.generate = 64;
    const ServeFigure figure = figureOf(ServeChart::Load, config);
    ASSERT_EQ(figure.panels.size(), 3U);
    for (const ServePanel &panel : figure.panels) {
        const std::vector<ServeDot> &p50 = panel.lines[0].dots, &p99 = panel.lines[1].dots;
        ASSERT_EQ(p50.size(), 11U);
        EXPECT_LT(p50.front().y, p50.back().y) << panel.title;
        for (std::size_t i = 0; i < p50.size(); ++i)
            EXPECT_LE(p50[i].y, p99[i].y) << panel.title;
    }
}

TEST(ServeFigures, WhatIsCancelledHasWhatWasThere)
{
    int asked = 0;
    const ServeFigure figure = serveFigure(ServeChart::Heads, eightBillion(), catalogue(), frameworks(), [&asked] {
        return ++asked > 3;
    }).value();
    EXPECT_EQ(figure.panels[0].lines[0].dots.size(), 3U);
    EXPECT_TRUE(figure.panels[0].lines[1].dots.empty());
}

TEST(ServeFigures, LearnedPositionsEndTheAxisOfTheCache)
{
    ServeConfig config = eightBillion();
    config.run.model.name = "gpt2-124m";
    config.generate = 100;
    const ServeFigure figure = figureOf(ServeChart::Cache, config);
    EXPECT_EQ(figure.panels[0].lines[0].dots.back().name, "1024");
    EXPECT_FALSE(figureOf(ServeChart::Attention, config).panels[0].lines.empty());
}

} // namespace
} // namespace slipway
