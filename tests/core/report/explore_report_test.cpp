// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/explore_report.h"

#include <gmock/gmock.h>

namespace slipway {
namespace {

// One model on 1 and 2 GPUs with three micro-batches, of which the largest does not fit.
Sweep handMade()
{
    Sweep sweep;
    sweep.grid.name = "mine";
    sweep.grid.axes = {
        {"model", {"100M"}}, {"gpu", {"a100-sxm-80gb"}}, {"gpus", {"1", "2"}}, {"micro_batch", {"4", "8", "16"}}};
    for (std::size_t i = 0; i < sweep.grid.size(); ++i) {
        SweepPoint point{.index = i};
        point.verdict = i % 3 == 2 ? Verdict::Oom : Verdict::Fits;
        point.tokensPerUsd = 100.0 + double(i);
        sweep.points.push_back(std::move(point));
    }
    sweep.end = {.done = sweep.points.size(), .all = sweep.points.size()};
    return sweep;
}

TEST(ExploreReport, SaysHowManyPointsFitAndSpeaksOfOthersOnlyWhereThereAreSome)
{
    Sweep sweep = handMade();
    EXPECT_EQ(exploreReport(sweep, {}).headline, "4 of 6 points fit, 2 are out of memory.");
    sweep.points[0].skipped = "--tp: the tensor-parallel size 3 does not divide the 4 attention heads";
    EXPECT_EQ(exploreReport(sweep, {}).headline, "3 of 6 points fit, 2 are out of memory. 1 cannot be planned.");
    sweep.end = {.done = 6, .all = 9};
    EXPECT_THAT(exploreReport(sweep, {}).headline, ::testing::EndsWith("The grid was stopped after 6 of 9 points."));
}

TEST(ExploreReport, NamesTheBestPointOfEachModel)
{
    const Report report = exploreReport(handMade(), {});
    EXPECT_EQ(report.title, "Exploration: mine");
    ASSERT_FALSE(report.sections.empty());
    ASSERT_FALSE(report.sections.front().tables.empty());
    const auto &rows = report.sections.front().tables.front().rows;
    ASSERT_EQ(rows.size(), 1u);
    ASSERT_GE(rows.front().size(), 2u); // the settings that the grid varies come first
    EXPECT_EQ(rows.front()[0], "2") << "GPUs";
    EXPECT_EQ(rows.front()[1], "8") << "micro-batch: of what fits, it has the most tokens per dollar";
}

TEST(ExploreReport, NamesGpusByTheirTitlesInTableAndCharts)
{
    Sweep sweep = handMade();
    sweep.grid.axes[1].values = {"a100-sxm-80gb", "H100"};
    sweep.grid.axes[3].values = {"4"};
    for (std::size_t i = 0; i < sweep.points.size(); ++i)
        sweep.points[i].index = i % sweep.grid.size();
    const Catalogue catalogue = loadCatalogue().value();
    const std::string h100 = catalogue.gpu("H100")->name;
    const Report report = exploreReport(sweep, catalogue);
    std::vector<std::string> cards;
    for (const auto &row : report.sections.front().tables.front().rows)
        cards.push_back(row[0]);
    EXPECT_THAT(cards, ::testing::UnorderedElementsAre("A100 80GB SXM4", h100));
    ASSERT_EQ(report.sections.size(), 2u);
    ASSERT_EQ(report.sections[1].title, "GPU type by count");
    ASSERT_EQ(report.sections[1].figures.front().series.size(), 2u);
    EXPECT_EQ(report.sections[1].figures.front().series[0].name, "A100 80GB SXM4");
    EXPECT_EQ(report.sections[1].figures.front().series[1].name, h100);
}

} // namespace
} // namespace slipway
