// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <gmock/gmock.h>

#include "base/csv.h"
#include "support/temporary_directory.h"
#include "ui/explore/explore_charts.h"
#include "ui/explore/explore_page.h"
#include "ui/explore/grid_dialog.h"
#include "ui/explore/point_filter_bar.h"
#include "ui/explore/sweep_table.h"
#include "ui/widgets/text.h"
#include "ui/widgets/value_filter.h"
#include "ui/widgets/fields.h"
#include "ui/written_export.h"

namespace slipway::ui {
namespace {

struct ExplorePageTest : ::testing::Test {
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
    const QSignalSpy ended(&page, &ExplorePage::sweepEnded);
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

TEST_F(ExplorePageTest, ExportsTheTableInTheOrderThatItShows)
{
    ASSERT_TRUE(run(small));
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("grid.csv"));
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        page.table()->sortByColumn(0, order); // by micro-batch
        ASSERT_TRUE(written(page.csv(), file));
        const Result<CsvTable> table = readCsv(file.toStdString());
        ASSERT_EQ(table->rows.size(), 6U);
        const bool rising = order == Qt::AscendingOrder;
        EXPECT_EQ(table->cell(table->rows.front(), "micro_batch"), rising ? "4" : "512");
        EXPECT_EQ(table->cell(table->rows.back(), "micro_batch"), rising ? "512" : "4");
    }
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

TEST_F(ExplorePageTest, CountsFollowTheFiltersUntilTheyAreCleared)
{
    ASSERT_TRUE(run(small));
    const QString all = page.summary();
    EXPECT_THAT(all.toStdString(), ::testing::HasSubstr("6 points"));
    EXPECT_THAT(all.toStdString(), ::testing::EndsWith("other settings as in the plan"));
    ValueFilter *values = page.filters().valuesOf(3); // micro-batch
    ASSERT_NE(values, nullptr);
    values->menu()->actions().at(2)->trigger(); // the first value, below "All" and a line
    EXPECT_EQ(page.model().rowCount(), 2);
    EXPECT_THAT(page.summary().toStdString(), ::testing::HasSubstr(" shown"));
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

TEST_F(ExplorePageTest, TheGridIsEditedAndExplored)
{
    ASSERT_TRUE(run(small));
    const GridDialog *dialog = page.editGrid();
    ASSERT_EQ(dialog->grid()->axes, small.axes);
    dialog->table().item(3, 1)->setText(QStringLiteral("4"));
    QSignalSpy ended(&page, &ExplorePage::sweepEnded);
    dialog->exploreButton().click();
    ASSERT_TRUE(ended.wait(30'000));
    EXPECT_EQ(page.model().rowCount(), 2);
}

} // namespace
} // namespace slipway::ui
