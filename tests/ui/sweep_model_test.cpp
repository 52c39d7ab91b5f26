// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QAbstractItemModelTester>
#include <gmock/gmock.h>

#include "ui/explore/explore_charts.h"
#include "ui/explore/sweep_model.h"

namespace slipway::ui {
namespace {

struct SweepModelTest : ::testing::Test {
    Catalogue catalogue = loadCatalogue().value();
    std::shared_ptr<Sweep> sweep = std::make_shared<Sweep>();
    SweepModel model{&catalogue};
    SweepModelTest()
    {
        sweep->grid.axes = {{"gpus", {"1", "2"}}, {"micro_batch", {"4", "8"}}};
        for (std::size_t i = 0; i < 4; ++i) {
            SweepPoint point{.index = i};
            point.verdict = i == 2 ? Verdict::Oom : Verdict::Fits;
            point.tokensPerSecond = std::array{30.0, 10.0, 40.0, 20.0}[i];
            point.skipped = i == 3 ? "cannot be" : "";
            sweep->points.push_back(point);
        }
        sweep->pareto = {0};
        model.setSweep(sweep);
    }
    std::vector<std::size_t> rows() const { return model.rows(); }
};

TEST_F(SweepModelTest, SortsByNumberWithWhatDoesNotRunAtTheEnd)
{
    const QAbstractItemModelTester tester(&model);
    model.sort(2 + SweepModel::Speed, Qt::DescendingOrder);
    EXPECT_THAT(rows(), ::testing::ElementsAre(0, 1, 2, 3));
    model.sort(2 + SweepModel::Speed, Qt::AscendingOrder);
    EXPECT_THAT(rows(), ::testing::ElementsAre(1, 0, 2, 3)) << "in both orders";
    model.sort(1, Qt::DescendingOrder);
    EXPECT_THAT(rows(), ::testing::ElementsAre(1, 3, 0, 2)) << "by the grid's order of values";
}

TEST_F(SweepModelTest, FiltersByValueAndByWhatRuns)
{
    model.setFilter({.values = {{0, {1}}}});
    EXPECT_THAT(rows(), ::testing::ElementsAre(2, 3));
    model.setFilter({.shown = ShownPoints::Fitting});
    EXPECT_THAT(rows(), ::testing::ElementsAre(0, 1));
    model.setFilter({.shown = ShownPoints::Front});
    EXPECT_THAT(rows(), ::testing::ElementsAre(0));
    EXPECT_EQ(model.data(model.index(0, 0), Qt::DisplayRole).toString(), QStringLiteral("1"));
}

TEST_F(SweepModelTest, AFilterAcceptsSeveralValuesOfASetting)
{
    model.setFilter({.values = {{0, {0, 1}}, {1, {0}}}});
    EXPECT_THAT(rows(), ::testing::ElementsAre(0, 2));
    model.setFilter({.values = {{1, {0, 1}}}});
    EXPECT_THAT(rows(), ::testing::ElementsAre(0, 1, 2, 3));
}

TEST_F(SweepModelTest, TheParetoFrontIsThatOfThePointsWithinTheFilters)
{
    model.setFilter({.shown = ShownPoints::Front});
    EXPECT_THAT(rows(), ::testing::ElementsAre(0)) << "it beats the other point that runs";
    const PointFilter without{.values = {{1, {1}}}, .shown = ShownPoints::Front};
    model.setFilter(without);
    EXPECT_THAT(rows(), ::testing::ElementsAre(1)) << "nothing beats it within the filters";
    const ScatterData chart = paretoData(sweep, filteredPoints(*sweep, {.values = {{1, {1}}}}), catalogue);
    ASSERT_EQ(chart.series.size(), 2u);
    EXPECT_TRUE(chart.series[0].dots.empty());
    ASSERT_EQ(chart.series[1].dots.size(), 1u) << "the chart's front is the same";
    EXPECT_EQ(chart.series[1].dots[0].id, 1u);
}

TEST_F(SweepModelTest, RelativePricesAreUnitsAndNeverDollars)
{
    catalogue.priceBooks.push_back({.id = "ratios", .title = "Ratios"});
    catalogue.priceBooks.back().ratiosOnly = true;
    sweep->points[0].tokensPerUsd = 1e6;
    sweep->points[0].usdPerBillionTokens = 610.35;
    const auto header = [this](SweepModel::Figure figure) {
        return model.headerData(2 + figure, Qt::Horizontal, Qt::DisplayRole).toString();
    };
    const auto cell = [this] {
        return model.data(model.index(0, 2 + SweepModel::UsdPerBillion), Qt::DisplayRole).toString();
    };
    model.setSweep(sweep);
    EXPECT_EQ(header(SweepModel::TokensPerUsd), QStringLiteral("Tokens per $"));
    EXPECT_EQ(cell(), QStringLiteral("$610.35"));
    sweep->base.prices = "ratios";
    model.setSweep(sweep);
    EXPECT_EQ(header(SweepModel::TokensPerUsd), QStringLiteral("Tokens per unit"));
    EXPECT_EQ(header(SweepModel::UsdPerBillion), QStringLiteral("Units per 1B tokens"));
    EXPECT_EQ(cell(), QStringLiteral("610.35")) << "the header names the unit";
    EXPECT_THAT(pointLines(*sweep, 0, catalogue).join(u'\n').toStdString(), ::testing::Not(::testing::HasSubstr("$")));
    EXPECT_EQ(paretoData(sweep, {0, 1}, catalogue).yTitle, QStringLiteral("Tokens per unit"));
    sweep->grid.axes.push_back({"prices", {"ratios", "market"}});
    EXPECT_FALSE(hasRelativePrices(*sweep, catalogue));
}

TEST_F(SweepModelTest, DrawsOomAsSuch)
{
    EXPECT_EQ(
        model.data(model.index(2, 2 + SweepModel::VerdictColumn), Qt::DisplayRole).toString(), QStringLiteral("OOM"));
    EXPECT_EQ(model.data(model.index(2, 2 + SweepModel::Speed), Qt::DisplayRole).toString(), QStringLiteral("–"));
    const HeatData heat = heatData(sweep, {0, 1, 2, 3}, {.rows = 0, .columns = 1}, catalogue);
    EXPECT_EQ(heat.cells[0].kind, HeatCell::Kind::Value);
    EXPECT_EQ(heat.cells[2].kind, HeatCell::Kind::Missing);
    EXPECT_EQ(heat.cells[3].kind, HeatCell::Kind::Nothing) << "not planned is not out of memory";
}

} // namespace
} // namespace slipway::ui
