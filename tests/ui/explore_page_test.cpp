// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <gmock/gmock.h>

#include "base/csv.h"
#include "support/temporary_directory.h"
#include "ui/charts/lane_chart.h"
#include "ui/explore/explore_charts.h"
#include "ui/explore/explore_page.h"
#include "ui/explore/grid_dialog.h"
#include "ui/explore/point_filter_bar.h"
#include "ui/explore/sweep_table.h"
#include "ui/widgets/text.h"
#include "ui/widgets/value_filter.h"
#include "ui/plan/timeline_chart.h"
#include "ui/widgets/fields.h"
#include "ui/written_export.h"

namespace slipway::ui {
namespace {

struct ExplorePageTest : testing::Test {
    Catalogue catalogue = loadCatalogue().value();
    RunConfig base;
    ExplorePage page{catalogue, [this] { return base; }};
    Grid small{.name = "small",
        .axes = {{"model", {"100M"}}, {"framework", {"pytorch-eager"}}, {"gpu", {"a100-sxm-40gb"}},
            {"micro_batch", {"4", "8", "512"}}, {"attention", {"flash", "vanilla"}}}};

    bool run(const Grid &grid)
    {
        QSignalSpy ended(&page, &ExplorePage::sweepEnded);
        page.explore(grid);
        return ended.wait(30'000);
    }
    // Of the texts in a column and of its title.
    int widest(int column) const
    {
        const QAbstractItemModel &model = *page.table()->model();
        const QFontMetrics metrics(page.table()->horizontalHeader()->font());
        int width = metrics.horizontalAdvance(model.headerData(column, Qt::Horizontal).toString());
        for (int row = 0; row < model.rowCount(); ++row)
            width = std::max(width, metrics.horizontalAdvance(model.index(row, column).data().toString()));
        return width;
    }
};

TEST_F(ExplorePageTest, ShowsEveryPointOfAGrid)
{
    ASSERT_TRUE(run(small));
    EXPECT_EQ(page.model().rowCount(), 6);
    EXPECT_EQ(page.model().columnCount(), 2 + SweepModel::FigureCount) << "choices that vary, then figures";
}

TEST_F(ExplorePageTest, ColumnsThatDoNotFitAreScrolledToAndNeverCut)
{
    ASSERT_TRUE(run(small));
    const SweepTable &table = *page.table();
    const QHeaderView &header = *table.horizontalHeader();
    for (const int width : {700, 2400}) {
        page.resize(width, 700);
        page.QWidget::show();
        page.table()->fitColumns();
        QCoreApplication::processEvents();
        for (int column = 0; column < header.count(); ++column)
            EXPECT_GE(header.sectionSize(column), widest(column)) << column << " at " << width;
        const int sorted = header.sortIndicatorSection();
        EXPECT_GE(header.sectionSize(sorted), header.sectionSizeHint(sorted)) << "with its arrow, at " << width;
    }
    EXPECT_GE(header.length(), table.viewport()->width()) << "where there is room, they fill it";
}

TEST_F(ExplorePageTest, APointOpensInPlanWithItsChoices)
{
    ASSERT_TRUE(run(small));
    QSignalSpy asked(&page, &ExplorePage::planRequested);
    page.show(ExplorePage::View::Table);
    auto *table = page.findChild<QTableView *>();
    EXPECT_FALSE(table->tabKeyNavigation()) << "Tab leaves it";
    ASSERT_NE(table, nullptr);
    const auto row =
        std::find(page.model().rows().begin(), page.model().rows().end(), 3u) - page.model().rows().begin();
    Q_EMIT table->activated(table->model()->index(static_cast<int>(row), 0));
    ASSERT_EQ(asked.count(), 1);
    const auto config = asked[0][0].value<RunConfig>();
    EXPECT_EQ(config.microBatch, 8);
    EXPECT_EQ(config.attention, Attention::Vanilla);
    EXPECT_EQ(config.framework, Framework::PytorchEager);
}

TEST_F(ExplorePageTest, AnotherGridCancelsTheOneThatRuns)
{
    QSignalSpy ended(&page, &ExplorePage::sweepEnded);
    page.explore(paperGrid());
    ASSERT_TRUE(run(small));
    EXPECT_EQ(page.model().rowCount(), 6);
    EXPECT_EQ(ended.count(), 1) << "the first one's answer is dropped";
}

TEST_F(ExplorePageTest, ThePointsOfAnotherGridCannotBeUsedWhileTheNewOnesAreComputed)
{
    EXPECT_FALSE(page.commands().csv->isEnabled()) << "there is nothing to export yet";
    ASSERT_TRUE(run(small));
    EXPECT_TRUE(page.commands().csv->isEnabled());
    page.explore(small);
    EXPECT_TRUE(page.commands().csv->isEnabled()) << "the same points come again";
    page.explore(paperGrid());
    for (const QAction *action : {page.commands().csv, page.commands().pdf})
        EXPECT_FALSE(action->isEnabled());
    EXPECT_FALSE(page.table()->isEnabled());
    EXPECT_FALSE(page.filters().isEnabled());
    ASSERT_TRUE(run(small));
    EXPECT_TRUE(page.commands().pdf->isEnabled());
    EXPECT_TRUE(page.table()->isEnabled());
    base.microBatch = 2; // of another plan
    page.explore(small);
    EXPECT_FALSE(page.table()->isEnabled());
}

TEST_F(ExplorePageTest, AnEditedOrOpenedGridIsNamedAndCanBeChosenAgain)
{
    auto *source = page.findChild<QComboBox *>();
    ASSERT_NE(source, nullptr);
    const auto shown = [source] { return source->currentText().toStdString(); };
    EXPECT_EQ(shown(), "Paper grid");
    Grid edited = small;
    edited.name = kEditedGridName;
    ASSERT_TRUE(run(edited));
    EXPECT_EQ(shown(), "Edited grid");
    const TemporaryDirectory folder;
    writeText(folder.path() / "mine.yaml", gridYaml(small));
    QSignalSpy ended(&page, &ExplorePage::sweepEnded);
    ASSERT_TRUE(page.openGrid(qs((folder.path() / "mine.yaml").string())));
    ASSERT_TRUE(ended.wait(30'000));
    EXPECT_EQ(shown(), "mine.yaml");
    page.explore(paperGrid());
    EXPECT_EQ(shown(), "Paper grid");
    const int again = source->findText(QStringLiteral("mine.yaml"));
    ASSERT_GE(again, 0);
    source->setCurrentIndex(again);
    Q_EMIT source->activated(again);
    ASSERT_TRUE(ended.wait(30'000));
    EXPECT_EQ(page.model().rowCount(), 6);
    EXPECT_EQ(shown(), "mine.yaml");
}

TEST_F(ExplorePageTest, WhatIsCancelledKeepsWhatIsThereAndSaysSo)
{
    QSignalSpy ended(&page, &ExplorePage::sweepEnded);
    page.explore(paperGrid());
    page.cancel();
    ASSERT_TRUE(ended.wait(30'000));
    EXPECT_FALSE(ended[0][0].toBool());
    EXPECT_LT(page.model().rowCount(), 2520);
}

TEST_F(ExplorePageTest, FiltersWrapSoThatNoneIsCutOff)
{
    Grid wide = small;
    for (const char *key : {"gpus", "grad_accum", "seq_len", "recompute", "loss_path", "warmup_steps"})
        wide.axes.push_back({key, std::string(key) == "recompute"   ? std::vector<std::string>{"none", "full"}
                                  : std::string(key) == "loss_path" ? std::vector<std::string>{"hf", "fused"}
                                                                    : std::vector<std::string>{"1", "2"}});
    page.resize(930, 640);
    page.QWidget::show();
    ASSERT_TRUE(run(wide));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !page.filters().findChildren<ValueFilter *>().isEmpty(); }));
    int filters = 0;
    for (const ValueFilter *filter : page.filters().findChildren<ValueFilter *>()) {
        if (!filter->isVisible())
            continue;
        ++filters;
        EXPECT_LE(filter->mapTo(&page, filter->rect().bottomRight()).x(), page.width()) << filter->text().toStdString();
        EXPECT_GE(filter->width() - 24, filter->fontMetrics().horizontalAdvance(filter->text()))
            << filter->text().toStdString();
    }
    EXPECT_EQ(filters, 8);
}

TEST_F(ExplorePageTest, EveryViewFitsBesideTheRailOfTheNarrowestWindow)
{
    ASSERT_TRUE(run(small));
    for (std::size_t view = 0; view < ExplorePage::kViewNames.size(); ++view) {
        page.show(static_cast<ExplorePage::View>(view));
        page.QWidget::show();
        for (int round = 0; round < 8; ++round)
            QCoreApplication::processEvents();
        EXPECT_LE(page.minimumSizeHint().width(), 960 - 80) << ExplorePage::kViewNames[view];
    }
}

TEST_F(ExplorePageTest, TheGridThatIsShownIsTheOneThatIsNamed)
{
    const auto *source = page.findChild<ComboInput *>();
    ASSERT_NE(source, nullptr);
    ASSERT_TRUE(run(small));
    EXPECT_EQ(source->value(), QStringLiteral("own"));
    page.explore(paperGrid());
    EXPECT_EQ(source->value(), QStringLiteral("paper"));
    EXPECT_FALSE(page.openGrid(QStringLiteral("/nowhere.yaml")));
    EXPECT_EQ(source->value(), QStringLiteral("paper"));
}

TEST_F(ExplorePageTest, AWindowThatClosesWhileAGridRunsWaitsForNoAnswer)
{
    auto *other = new ExplorePage(catalogue, [this] { return base; });
    other->explore(paperGrid());
    other->cancel();
    other->explore(paperGrid());
    delete other;
    QCoreApplication::processEvents(); // what it had posted finds nobody
}

TEST_F(ExplorePageTest, ExportsWhatItShows)
{
    ASSERT_TRUE(run(small));
    const QTemporaryDir folder;
    const QString csv = folder.filePath(QStringLiteral("grid.csv"));
    ASSERT_TRUE(written(page.csv(), csv));
    EXPECT_EQ(readCsv(csv.toStdString())->rows.size(), 6u);
    page.filters().valuesOf(3)->menu()->actions().at(2)->trigger(); // one micro-batch of three
    ASSERT_TRUE(written(page.csv(), csv));
    EXPECT_EQ(readCsv(csv.toStdString())->rows.size(), 2u) << "the points that the filters let through";
    ASSERT_TRUE(written(page.pdf(), folder.filePath(QStringLiteral("grid.pdf"))));
    EXPECT_FALSE(written(page.csv(), folder.filePath(QStringLiteral("no/such/grid.csv"))));
}

TEST_F(ExplorePageTest, SaysThatTheFirstGridIsBeingComputed)
{
    QSignalSpy ended(&page, &ExplorePage::sweepEnded);
    page.explore(small);
    QStringList shown;
    for (const QLabel *label : page.findChildren<QLabel *>())
        shown << label->text();
    EXPECT_TRUE(shown.contains(QStringLiteral("Computing…")));
    EXPECT_FALSE(shown.contains(QStringLiteral("No results yet.")));
    ASSERT_TRUE(ended.wait(30'000));
}

TEST_F(ExplorePageTest, AGridThatCannotBeReadIsToldAndChangesNothing)
{
    ASSERT_TRUE(run(small));
    EXPECT_FALSE(page.openGrid(QStringLiteral("/nonexistent/grid.yaml")));
    EXPECT_EQ(page.model().rowCount(), 6);
}

struct SweepModelTest : testing::Test {
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
    QAbstractItemModelTester tester(&model);
    model.sort(2 + SweepModel::Speed, Qt::DescendingOrder);
    EXPECT_THAT(rows(), testing::ElementsAre(0, 1, 2, 3));
    model.sort(1, Qt::DescendingOrder);
    EXPECT_THAT(rows(), testing::ElementsAre(1, 3, 0, 2)) << "by the grid's order of values";
}

TEST_F(SweepModelTest, FiltersByValueAndByWhatRuns)
{
    model.setFilter({.values = {{0, {1}}}});
    EXPECT_THAT(rows(), testing::ElementsAre(2, 3));
    model.setFilter({.shown = ShownPoints::Fitting});
    EXPECT_THAT(rows(), testing::ElementsAre(0, 1));
    model.setFilter({.shown = ShownPoints::Front});
    EXPECT_THAT(rows(), testing::ElementsAre(0));
    EXPECT_EQ(model.data(model.index(0, 0), Qt::DisplayRole).toString(), QStringLiteral("1"));
}

TEST_F(SweepModelTest, AFilterAcceptsSeveralValuesOfASetting)
{
    model.setFilter({.values = {{0, {0, 1}}, {1, {0}}}});
    EXPECT_THAT(rows(), testing::ElementsAre(0, 2));
    model.setFilter({.values = {{1, {0, 1}}}});
    EXPECT_THAT(rows(), testing::ElementsAre(0, 1, 2, 3));
}

TEST_F(SweepModelTest, TheParetoFrontIsThatOfThePointsWithinTheFilters)
{
    model.setFilter({.shown = ShownPoints::Front});
    EXPECT_THAT(rows(), testing::ElementsAre(0)) << "it beats the other point that runs";
    const PointFilter without{.values = {{1, {1}}}, .shown = ShownPoints::Front};
    model.setFilter(without);
    EXPECT_THAT(rows(), testing::ElementsAre(1)) << "nothing beats it within the filters";
    const ScatterData chart = paretoData(sweep, filteredPoints(*sweep, {.values = {{1, {1}}}}), catalogue);
    ASSERT_EQ(chart.series.size(), 2u);
    EXPECT_TRUE(chart.series[0].dots.empty());
    ASSERT_EQ(chart.series[1].dots.size(), 1u) << "the chart's front is the same";
    EXPECT_EQ(chart.series[1].dots[0].id, 1u);
}

TEST_F(ExplorePageTest, CountsFollowTheFiltersUntilTheyAreCleared)
{
    ASSERT_TRUE(run(small));
    const QString all = page.summary();
    EXPECT_THAT(all.toStdString(), testing::HasSubstr("6 points"));
    EXPECT_THAT(all.toStdString(), testing::EndsWith("other settings as in the plan"));
    ValueFilter *values = page.filters().valuesOf(3); // micro-batch
    ASSERT_NE(values, nullptr);
    values->menu()->actions().at(2)->trigger(); // the first value, below "All" and a line
    EXPECT_EQ(page.model().rowCount(), 2);
    EXPECT_THAT(page.summary().toStdString(), testing::HasSubstr(" shown"));
    values->menu()->actions().at(3)->trigger(); // and the second
    EXPECT_EQ(values->chosen(), (std::set<std::size_t>{0, 1}));
    EXPECT_EQ(page.model().rowCount(), 4);
    EXPECT_EQ(values->text(), QStringLiteral("Micro-batch: 2 of 3"));
    page.filters().clear();
    EXPECT_EQ(page.summary(), all);
    EXPECT_TRUE(values->chosen().empty());
    EXPECT_EQ(page.model().rowCount(), 6);
}

TEST_F(ExplorePageTest, ShowsGpusByTheirTitlesInEveryViewAlsoWhereAnAliasNamesThem)
{
    const QString a100 = QStringLiteral("A100 40GB SXM4"), h100 = qs(catalogue.gpu("H100").value().name);
    ASSERT_NE(h100, QStringLiteral("H100")) << "an alias";
    ASSERT_TRUE(run({.name = "cards",
        .axes = {{"model", {"100M"}}, {"framework", {"pytorch-eager"}}, {"gpu", {"a100-sxm-40gb", "H100"}},
            {"gpus", {"1", "2"}}, {"parallel", {"ddp"}}}}));
    QStringList column;
    for (int row = 0; row < page.model().rowCount(); ++row)
        column << page.model().data(page.model().index(row, 0), Qt::DisplayRole).toString();
    column.removeDuplicates();
    EXPECT_EQ(QSet<QString>(column.begin(), column.end()), (QSet<QString>{a100, h100}));
    const QList<QAction *> values = page.filters().valuesOf(2)->menu()->actions();
    ASSERT_GE(values.size(), 4);
    EXPECT_EQ(values[2]->text(), a100);
    EXPECT_EQ(values[3]->text(), h100);

    const auto sweep = std::make_shared<Sweep>(slipway::sweep({.base = base,
        .grid = Grid{.name = "cards",
            .axes = {{"model", {"100M"}}, {"framework", {"pytorch-eager"}}, {"gpu", {"a100-sxm-40gb", "H100"}},
                {"gpus", {"1", "2"}}, {"parallel", {"ddp"}}}},
        .catalogue = catalogue}));
    EXPECT_EQ(pointLines(*sweep, 0, catalogue).front(), a100);
    EXPECT_EQ(
        heatData(sweep, {0, 1, 2, 3}, {.rows = 2, .columns = 3}, catalogue).rows, (std::vector<QString>{a100, h100}));
    const std::vector<SweepFigure> figures = paperFigures(*sweep);
    const auto cards =
        std::find_if(figures.begin(), figures.end(), [](const SweepFigure &figure) { return figure.id == "gpu"; });
    ASSERT_NE(cards, figures.end());
    const std::vector<LegendEntry> legend = figureLegend(*cards, catalogue);
    EXPECT_EQ(legend[0].name, a100);
    EXPECT_EQ(legend[1].name, h100);
    EXPECT_EQ(figureData(sweep, *cards, catalogue).front().series[0].name, a100);
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
    QSignalSpy chosen(&map, &HeatMap::chosen);
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
    EXPECT_THAT(ids, testing::ElementsAre(10, 12, 12, 13, 14));
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
    auto timeline = std::make_shared<Timeline>();
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
    auto timeline = std::make_shared<Timeline>();
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

struct GridDialogTest : testing::Test {
    GridDialog dialog{
        {.name = "small", .axes = {{"model", {"100M", "1B"}}, {"micro_batch", {"4", "8", "16"}}}}, RunConfig(), 0.01};
    void setValues(int row, const char *text) { dialog.table().item(row, 1)->setText(QString::fromLatin1(text)); }
};

TEST_F(GridDialogTest, SaysHowManyPointsThereAreAndHowLongTheyTake)
{
    EXPECT_EQ(dialog.status(), QStringLiteral("6 points, about 60.0 ms"));
    setValues(1, "4, 8, 16, 32");
    EXPECT_EQ(dialog.status(), QStringLiteral("8 points, about 80.0 ms"));
    dialog.addAxis(QStringLiteral("attention"));
    EXPECT_EQ(dialog.table().item(2, 1)->text(), QStringLiteral("flash, vanilla"));
    EXPECT_EQ(dialog.status(), QStringLiteral("16 points, about 160.0 ms"));
    dialog.removeAxis();
    EXPECT_EQ(dialog.grid()->size(), 8u);
}

TEST_F(GridDialogTest, AValueThatIsNotAcceptedIsNamedAndCannotBeExplored)
{
    setValues(1, "4, many");
    EXPECT_THAT(dialog.status().toStdString(), testing::HasSubstr("Micro-batch"));
    EXPECT_FALSE(dialog.exploreButton().isEnabled());
    setValues(1, "");
    EXPECT_FALSE(dialog.exploreButton().isEnabled());
    setValues(1, "4");
    EXPECT_TRUE(dialog.exploreButton().isEnabled());
}

TEST_F(GridDialogTest, WhatIsSavedReadsBackAsTheSameGrid)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("grid.yaml"));
    ASSERT_TRUE(dialog.save(path));
    const Result<Grid> read = readGrid(path.toStdString());
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->axes, dialog.grid()->axes);
}

TEST_F(ExplorePageTest, TheGridIsEditedAndExplored)
{
    ASSERT_TRUE(run(small));
    GridDialog *dialog = page.editGrid();
    ASSERT_EQ(dialog->grid()->axes, small.axes);
    dialog->table().item(3, 1)->setText(QStringLiteral("4"));
    QSignalSpy ended(&page, &ExplorePage::sweepEnded);
    dialog->exploreButton().click();
    ASSERT_TRUE(ended.wait(30'000));
    EXPECT_EQ(page.model().rowCount(), 2);
}

} // namespace
} // namespace slipway::ui
