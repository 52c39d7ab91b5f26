// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <gmock/gmock.h>

#include "ui/charts/lane_chart.h"
#include "ui/explore/explore_charts.h"
#include "ui/explore/figures_view.h"
#include "ui/plan/timeline_chart.h"
#include "ui/theme/theme_colors.h"

namespace slipway::ui {
namespace {

TEST(DotChartTest, AClickOnADotPicksIt)
{
    ScatterChart chart;
    chart.resize(400, 300);
    chart.setData(
        {.logX = true, .series = {{.name = QStringLiteral("a"), .dots = {{1, 10, 7, false}, {64, 20, 9, false}}}}});
    QSignalSpy chosen(&chart, &ScatterChart::chosen);
    const QPoint at = chart.placeOf({64, 20, 9, false}).toPoint();
    QTest::mouseMove(&chart, at);
    QMouseEvent move(QEvent::MouseMove, at, chart.mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&chart, &move);
    QTest::mouseClick(&chart, Qt::LeftButton, {}, at);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toULongLong(), 9u);
}

TEST(HeatMapTest, ArrowsWalkTheCellsThatCanBeChosenAndEnterChoosesOne)
{
    using Kind = HeatCell::Kind;
    HeatMap map;
    map.resize(400, 300);
    map.setData({.rows = {QStringLiteral("1"), QStringLiteral("2")},
        .columns = {QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")},
        .cells = {{Kind::Value, 1, 10, {}}, {Kind::Nothing, 0, 0, {}}, {Kind::Value, 3, 12, {}},
            {Kind::Missing, 0, 13, {}}, {Kind::Value, 5, 14, {}}, {Kind::Nothing, 0, 0, {}}}});
    const QSignalSpy chosen(&map, &HeatMap::chosen);
    const auto press = [&map](std::initializer_list<Qt::Key> keys) {
        for (const Qt::Key key : keys)
            QTest::keyClick(&map, key);
    };
    press({Qt::Key_Return});
    EXPECT_TRUE(chosen.empty());
    press({Qt::Key_Right, Qt::Key_Return}); // the first
    press({Qt::Key_Right, Qt::Key_Return}); // over the cell without a point
    press({Qt::Key_Down, Qt::Key_Return});  // below there is none: stays
    press({Qt::Key_Left, Qt::Key_Down, Qt::Key_Return});
    press({Qt::Key_Right, Qt::Key_Right, Qt::Key_Return}); // no further than the last
    std::vector<qulonglong> ids;
    for (const QList<QVariant> &signal : chosen)
        ids.push_back(signal[0].toULongLong());
    EXPECT_THAT(ids, ::testing::ElementsAre(10, 12, 12, 13, 14));
}

TEST(HeatMapTest, TheColorsOfCellsRiseFromTheLowestValueToTheHighest)
{
    using Kind = HeatCell::Kind;
    HeatMap map;
    map.resize(400, 300);
    map.setData({.rows = {QStringLiteral("1")},
        .columns = {QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")},
        .cells = {{Kind::Value, 10, 1, {}}, {Kind::Value, 20, 2, {}}, {Kind::Value, 30, 3, {}}}});
    const QImage image = map.grab().toImage();
    const auto colorOf = [&](std::size_t column) {
        return image.pixelColor(map.cellRect(0, column).center().toPoint());
    };
    const auto accent = [&map](double share) {
        return blended(
            themeColor(ThemeColor::Accent, map.palette()), themeColor(ThemeColor::Surface, map.palette()), share);
    };
    EXPECT_EQ(colorOf(0).rgb(), accent(0.08).rgb());
    EXPECT_EQ(colorOf(1).rgb(), accent(0.49).rgb());
    EXPECT_EQ(colorOf(2).rgb(), accent(0.90).rgb());
}

TEST(FiguresViewTest, ALongQuestionTakesSeveralLinesInsteadOfMakingThePageWider)
{
    const Catalogue catalogue;
    FiguresView view(catalogue);
    SweepFigure figure;
    for (int i = 0; i < 40; ++i)
        figure.question += "question ";
    view.show(std::make_shared<const Sweep>(), figure);
    EXPECT_LE(view.minimumSizeHint().width(), 600);
}

TEST(LaneChartTest, StaysWithinTheStepHoweverItIsMoved)
{
    LaneChart chart;
    chart.setData({.lanes = {{QStringLiteral("Compute"), {{0, 1, 0, {}}}}}, .kinds = {{}}, .end = 1});
    chart.show(-5, -4.5);
    EXPECT_DOUBLE_EQ(chart.shownFrom(), 0);
    EXPECT_DOUBLE_EQ(chart.shownTo(), 0.5);
    chart.show(0.9, 3);
    EXPECT_DOUBLE_EQ(chart.shownTo(), 1);
    QTest::keyClick(&chart, Qt::Key_Plus);
    EXPECT_NEAR(chart.shownTo() - chart.shownFrom(), 0.8, 1e-9);
    QTest::keyClick(&chart, Qt::Key_0);
    EXPECT_DOUBLE_EQ(chart.shownTo(), 1);
}

TEST(TimelineViewTest, GivesALaneToEachStreamThatHasWork)
{
    const auto timeline = std::make_shared<Timeline>();
    timeline->drawn = 3;
    timeline->ops = {
        {.name = "layer/qkv", .layer = 2, .stream = Stream::Compute, .start = 0, .end = 1, .bytes = 10, .flops = 1e9},
        {.name = "u/reduce", .stream = Stream::Reduce, .start = 1, .end = 3}};
    const LaneData lanes = timelineLanes(timeline);
    ASSERT_EQ(lanes.lanes.size(), 2u);
    EXPECT_EQ(lanes.lanes[1].name, QStringLiteral("Reduce"));
    EXPECT_TRUE(lanes.describe(0, 0).contains(QStringLiteral("Layer\t2")));
}

TEST(TimelineViewTest, ShowsStagesSideBySideWithTheirBubbles)
{
    const auto timeline = std::make_shared<Timeline>();
    timeline->stagesEnd = 3;
    timeline->stageIntervals = {{.stage = 0, .pass = PipelinePass::Forward, .start = 0, .end = 1},
        {.stage = 0, .start = 1, .end = 3}, {.stage = 1, .start = 0, .end = 1},
        {.stage = 1, .microBatch = 4, .pass = PipelinePass::Backward, .start = 1, .end = 3}};
    const LaneData lanes = pipelineLanes(timeline);
    ASSERT_EQ(lanes.lanes.size(), 2u);
    EXPECT_EQ(lanes.lanes[1].name, QStringLiteral("Stage 2"));
    EXPECT_EQ(lanes.kinds[lanes.lanes[0].items[1].kind].name, QStringLiteral("Bubble"));
    EXPECT_TRUE(lanes.describe(1, 1).contains(QStringLiteral("Micro-batch\t4")));
    EXPECT_TRUE(pipelineLanes(std::make_shared<Timeline>()).lanes.empty());
}

} // namespace
} // namespace slipway::ui
