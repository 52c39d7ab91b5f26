// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Columns, groups and exports of the list of runs.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QDataStream>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <gmock/gmock.h>

#include "base/csv.h"
#include "base/file.h"
#include "config/config_io.h"
#include "hosts/local_host.h"
#include "support/temporary_directory.h"
#include "ui/plan/buffer_table.h"
#include "ui/runs/run_exports.h"
#include "ui/runs/run_groups_model.h"
#include "ui/runs/runs_page.h"
#include "ui/wait_limit.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

RunRow row(const char *name, const char *tags, const char *model, double loss)
{
    RunRow made{.directory = std::string("/") + name,
        .name = QString::fromLatin1(name),
        .state = RunState::Succeeded,
        .tags = QString::fromLatin1(tags)};
    made.lossValue = loss;
    made.entry.model = model;
    return made;
}

struct RunsTableTest : ::testing::Test {
    RunsModel model;
    RunsFilterModel sorted{&model};
    RunsTable table{&model, &sorted};
    std::vector<RunRow> rows{row("a", "final", "1B", 3), row("b", "", "1B", 2), row("c", "final", "500M", 1)};

    RunsTableTest() { model.setRows(rows); }
    // The first column from top to bottom; titles of groups in brackets.
    QString shown() const
    {
        QStringList names;
        for (int i = 0; i < table.model()->rowCount(); ++i) {
            const QModelIndex index = table.model()->index(i, 0);
            const bool title = index.data(RunsModel::DirectoryRole).toString().isEmpty();
            names << (title ? QStringLiteral("[%1]") : QStringLiteral("%1")).arg(index.data().toString());
        }
        return names.join(u' ');
    }
};

TEST_F(RunsTableTest, GroupsByTagModelAndState)
{
    EXPECT_EQ(shown(), QStringLiteral("a b c"));
    table.setGrouping(RunGrouping::Model);
    EXPECT_EQ(shown(), QStringLiteral("[1B (2)] a b [500M (1)] c"));
    table.setGrouping(RunGrouping::Tags);
    EXPECT_EQ(shown(), QStringLiteral("[No tags (1)] b [final (2)] a c"));
    table.setGrouping(RunGrouping::State);
    EXPECT_EQ(shown(), QStringLiteral("[Succeeded (3)] a b c"));
    EXPECT_EQ(table.columnSpan(0, 0), RunsModel::ColumnCount) << "a title has the whole width";
    table.setGrouping(RunGrouping::None);
    EXPECT_EQ(shown(), QStringLiteral("a b c"));
    EXPECT_EQ(table.columnSpan(0, 0), 1);
}

TEST_F(RunsTableTest, GroupsFollowTheRunsTheFilterAndTheOrder)
{
    table.setGrouping(RunGrouping::Tags);
    rows[1].tags = QStringLiteral("final");
    model.setRows(rows);
    EXPECT_EQ(shown(), QStringLiteral("[final (3)] a b c"));
    table.sortByColumn(RunsModel::Loss, Qt::AscendingOrder);
    EXPECT_EQ(shown(), QStringLiteral("[final (3)] c b a"));
    model.setRows({rows[0]});
    EXPECT_EQ(shown(), QStringLiteral("[final (1)] a"));
    EXPECT_EQ(table.indexOf(0).row(), 1);
    EXPECT_FALSE(table.model()->flags(table.model()->index(0, 0)) & Qt::ItemIsSelectable);
}

TEST_F(RunsTableTest, ItsModelsKeepTheirPromises)
{
    RunGroupsModel groups(&sorted);
    const QAbstractItemModelTester flat(&sorted, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const QAbstractItemModelTester grouped(&groups, QAbstractItemModelTester::FailureReportingMode::Fatal);
    groups.setGrouping([this](const QModelIndex &index) { return model.row(sorted.mapToSource(index).row()).tags; });
    rows[2].loss = QStringLiteral("9");
    model.setRows(rows);
    sorted.sort(RunsModel::Loss, Qt::DescendingOrder);
    model.setRows({rows[1], rows[2]});
    model.setRows({});
    EXPECT_EQ(groups.rowCount(), 0);
    BufferModel buffers;
    const QAbstractItemModelTester tester(&buffers, QAbstractItemModelTester::FailureReportingMode::Fatal);
    buffers.set({{.name = "layer.masters", .instances = 2, .bytes = 10}});
    EXPECT_EQ(buffers.rowCount(), 1);
}

TEST_F(RunsTableTest, ColumnsAreChosenAndKeptBetweenSessions)
{
    EXPECT_TRUE(table.isColumnHidden(RunsModel::Model)) << "most lists do without";
    const QList<QAction *> columns = table.columnsMenu()->actions();
    ASSERT_EQ(columns.size(), RunsModel::ColumnCount);
    EXPECT_FALSE(columns[RunsModel::Name]->isEnabled());
    columns[RunsModel::Model]->setChecked(true);
    columns[RunsModel::Cost]->setChecked(false);
    table.setGrouping(RunGrouping::Model);
    EXPECT_FALSE(table.isColumnHidden(RunsModel::Model)) << "grouping leaves the choice";
    EXPECT_TRUE(table.isColumnHidden(RunsModel::Cost));
    RunsTable next(&model, &sorted);
    ASSERT_TRUE(next.restoreColumns(table.saveColumns()));
    EXPECT_FALSE(next.isColumnHidden(RunsModel::Model));
    EXPECT_TRUE(next.isColumnHidden(RunsModel::Cost));
    EXPECT_EQ(next.grouping(), RunGrouping::Model);
    EXPECT_TRUE(next.columnsMenu()->actions()[RunsModel::Model]->isChecked());
    EXPECT_FALSE(next.restoreColumns(QByteArrayLiteral("of another version")));
}

TEST_F(RunsTableTest, TheNamesFillTheWidthUntilTheMouseResizesTheirColumn)
{
    const auto show = [](RunsTable &shown, int width) {
        shown.setAttribute(Qt::WA_DontShowOnScreen);
        shown.resize(width, 300);
        shown.show();
        QApplication::processEvents();
    };
    show(table, 1400);
    const QHeaderView &header = *table.horizontalHeader();
    EXPECT_EQ(header.length(), table.viewport()->width());
    show(table, 1500);
    EXPECT_EQ(header.length(), table.viewport()->width());
    table.columnsMenu()->actions()[RunsModel::Cost]->setChecked(false);
    EXPECT_EQ(header.length(), table.viewport()->width()) << "the room of a hidden column goes to the names";
    const int before = header.sectionSize(RunsModel::Name);
    const QPoint edge(header.sectionViewportPosition(RunsModel::Name) + before - 2, header.height() / 2);
    QTest::mousePress(header.viewport(), Qt::LeftButton, {}, edge);
    QTest::mouseMove(header.viewport(), edge - QPoint(40, 0));
    QTest::mouseRelease(header.viewport(), Qt::LeftButton, {}, edge - QPoint(40, 0));
    const int chosen = header.sectionSize(RunsModel::Name);
    EXPECT_EQ(chosen, before - 40);
    show(table, 1300);
    table.setGrouping(RunGrouping::Model);
    EXPECT_EQ(header.sectionSize(RunsModel::Name), chosen) << "as the user put it";
    RunsTable next(&model, &sorted);
    ASSERT_TRUE(next.restoreColumns(table.saveColumns()));
    show(next, 1600);
    EXPECT_EQ(next.horizontalHeader()->sectionSize(RunsModel::Name), chosen);
}

TEST_F(RunsTableTest, WhereColumnsAreScrolledTheNamesCanStillBeRead)
{
    table.setAttribute(Qt::WA_DontShowOnScreen);
    table.resize(600, 300);
    table.show();
    QApplication::processEvents();
    EXPECT_GT(table.horizontalHeader()->length(), table.viewport()->width());
    EXPECT_GT(table.horizontalHeader()->sectionSize(RunsModel::Name),
        table.fontMetrics().horizontalAdvance(QStringLiteral("quickstart-2")) + 20);
}

TEST_F(RunsTableTest, ColumnsOfAnEarlierVersionLetTheNamesFillTheWidth)
{
    QHeaderView &header = *table.horizontalHeader();
    header.setSectionResizeMode(RunsModel::Name, QHeaderView::Stretch); // as it was saved then
    QByteArray earlier;
    QDataStream(&earlier, QIODevice::WriteOnly) << static_cast<int>(RunsModel::ColumnCount) << 0 << header.saveState();
    RunsTable next(&model, &sorted);
    ASSERT_TRUE(next.restoreColumns(earlier));
    EXPECT_EQ(next.horizontalHeader()->sectionResizeMode(RunsModel::Name), QHeaderView::Interactive);
    next.setAttribute(Qt::WA_DontShowOnScreen);
    next.resize(1400, 300);
    next.show();
    QApplication::processEvents();
    EXPECT_EQ(next.horizontalHeader()->length(), next.viewport()->width());
}

TEST_F(RunsTableTest, IsExportedWithTheRunsAndTheColumnsThatItShowsInTheirOrder)
{
    for (RunRow &each : rows)
        each.entry.name = each.name.toStdString();
    model.setRows(rows);
    table.sortByColumn(RunsModel::Loss, Qt::AscendingOrder);
    sorted.setFilter({.text = "1B"});
    for (int column = RunsModel::State; column < RunsModel::ColumnCount; ++column)
        table.setColumnHidden(column, column != RunsModel::Model);
    table.horizontalHeader()->moveSection(RunsModel::Model, 0);
    EXPECT_EQ(runsCsv(table.shownRuns(), table.shownColumns()), "model,name\n1B,b\n1B,a\n");
    table.setGrouping(RunGrouping::Tags);
    EXPECT_EQ(table.shownRuns().size(), 2U) << "titles of groups are no runs";
}

struct ComparedRunsTest : ::testing::Test {
    TemporaryDirectory home;
    Registry registry{home.path() / "runs"};
    LocalHost host;

    std::filesystem::path endedRun(const char *name, int microBatch)
    {
        const std::filesystem::path directory = *registry.create(name);
        RunConfig config;
        config.training.name = name;
        config.microBatch = microBatch;
        EXPECT_TRUE(writeRunConfig(RunPaths{directory}.config(), config));
        for (int step = 1; step <= 20; ++step)
            appendText(RunPaths{directory}.metrics(), toJsonLine(StepMetrics{.step = step,
                                                          .tokens = step * 100,
                                                          .time = utcNow(),
                                                          .stepSeconds = 1,
                                                          .tokensPerSecond = 100.0 * microBatch,
                                                          .loss = 5}) +
                                                          "\n");
        writeText(RunPaths{directory}.exitStatus(), "0\n");
        return directory;
    }
};

TEST_F(ComparedRunsTest, AComparisonIsExportedAsPdfHtmlAndCsv)
{
    const std::vector<std::filesystem::path> runs{endedRun("one", 8), endedRun("two", 16)};
    RunsPage page(registry, host);
    page.show();
    page.compare(runs, 1);
    ASSERT_NE(page.comparison().exportButton()->menu(), nullptr);
    EXPECT_EQ(page.comparison().exportButton()->menu()->actions().size(), 3);
    const auto file = [&](const char *name) { return qs((home.path() / name).string()); };
    ASSERT_TRUE(page.exports().reports().comparisonTable(file("runs.csv")));
    const Result<CsvTable> table = readCsv(home.path() / "runs.csv");
    ASSERT_TRUE(table) << table.error().message();
    EXPECT_EQ(table->cell(table->rows.at(0), "name"), "micro_batch");
    EXPECT_EQ(table->cell(table->rows.at(0), "one"), "8");
    EXPECT_EQ(table->cell(table->rows.at(0), "two"), "16");
    ASSERT_TRUE(page.exports().reports().comparisonHtml(file("runs.html")));
    EXPECT_THAT(*readFile(home.path() / "runs.html"), ::testing::HasSubstr("Baseline: two"));
    ASSERT_TRUE(page.exports().reports().comparisonPdf(file("runs.pdf")));
    EXPECT_THAT(*readFile(home.path() / "runs.pdf"), ::testing::StartsWith("%PDF-"));
    EXPECT_FALSE(page.exports().reports().comparisonTable(file("no/such/runs.csv")));
}

} // namespace
} // namespace slipway::ui
