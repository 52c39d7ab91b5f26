// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What is done with a run from the list: rename, archive, trash, its plan; enlarged charts and the log's search.
#include <QAction>
#include <QApplication>
#include <QImage>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <gmock/gmock.h>

#include "base/csv.h"
#include "base/file.h"
#include "config/config_io.h"
#include "hosts/local_host.h"
#include "runs/rename_run.h"
#include "support/edit_steps.h"
#include "support/temporary_directory.h"
#include "ui/examples.h"
#include "ui/runs/chart_window.h"
#include "ui/runs/run_actions.h"
#include "ui/runs/run_detail.h"
#include "ui/runs/runs_page.h"
#include "ui/wait_limit.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

struct RunActionsTest : ::testing::Test {
    TemporaryDirectory home;
    Registry registry{home.path() / "slipway" / "runs"};
    LocalHost host{home.path() / "slipway-train"};
    QWidget page;
    RunActions actions{registry, &page};

    RunActionsTest() { ::setenv("XDG_DATA_HOME", home.path().c_str(), 1); }
    ~RunActionsTest() override { ::unsetenv("XDG_DATA_HOME"); }

    std::filesystem::path endedRun(const char *name, int microBatch = 4)
    {
        std::filesystem::path directory = *registry.create(name);
        RunConfig config{.microBatch = microBatch};
        config.training.name = name;
        EXPECT_TRUE(writeRunConfig(RunPaths{directory}.config(), config));
        writeText(RunPaths{directory}.exitStatus(), "0\n");
        return directory;
    }
    RunEntry entry(const std::string &name) const
    {
        for (const KnownRun &run : registry.list()) {
            if (run.name == name)
                return entryOf(name, *readRun(run.directory));
        }
        ADD_FAILURE() << name;
        return {};
    }
    std::vector<std::string> names() const
    {
        std::vector<std::string> names;
        for (const KnownRun &run : registry.list())
            names.push_back(run.name);
        return names;
    }
};

TEST_F(RunActionsTest, ARunIsRenamedUnlessTheNameIsTakenOrWrong)
{
    endedRun("first");
    endedRun("second");
    actions.setSelected({entry("first")});
    QSignalSpy renamed(&actions, &RunActions::renamed);
    EXPECT_FALSE(actions.rename("second"));
    EXPECT_FALSE(actions.rename("a/b"));
    EXPECT_FALSE(actions.rename(""));
    EXPECT_TRUE(renamed.empty());
    ASSERT_TRUE(actions.rename("baseline"));
    EXPECT_THAT(names(), ::testing::UnorderedElementsAre("baseline", "second"));
    ASSERT_EQ(renamed.count(), 1);
    EXPECT_EQ(renamed[0][0].toString().toStdString(), (registry.folder() / "baseline").string());
}

TEST_F(RunActionsTest, ARunThatGoesOnIsNeitherRenamedNorRemoved)
{
    RunEntry running = entry((endedRun("first"), "first"));
    running.status.state = RunState::Running;
    actions.setSelected({running});
    EXPECT_FALSE(actions.renaming()->isEnabled());
    EXPECT_FALSE(actions.removing()->isEnabled());
    EXPECT_TRUE(actions.openPlan()->isEnabled());
    EXPECT_FALSE(actions.moveToTrash());
    EXPECT_THAT(names(), ::testing::ElementsAre("first"));
    std::filesystem::remove(RunPaths{registry.folder() / "first"}.exitStatus());
    EXPECT_FALSE(renameRun(registry, "first", "other")) << "it has not ended for all that is known";
}

TEST_F(RunActionsTest, MovingToTheTrashKeepsTheFilesThere)
{
    endedRun("first");
    endedRun("second");
    actions.setSelected({entry("first")});
    const QSignalSpy removed(&actions, &RunActions::removed);
    ASSERT_TRUE(actions.moveToTrash());
    EXPECT_EQ(removed.count(), 1);
    EXPECT_THAT(names(), ::testing::ElementsAre("second"));
    EXPECT_TRUE(std::filesystem::exists(home.path() / "Trash" / "files" / "first" / "run.yaml"));
}

TEST_F(RunActionsTest, ARunThatLiesElsewhereOnlyLeavesTheList)
{
    const std::filesystem::path elsewhere = home.path() / "elsewhere";
    std::filesystem::rename(endedRun("first"), elsewhere);
    ASSERT_TRUE(registry.add(elsewhere));
    actions.setSelected({entry("elsewhere")});
    ASSERT_TRUE(actions.moveToTrash());
    EXPECT_TRUE(names().empty());
    EXPECT_TRUE(std::filesystem::exists(elsewhere / "run.yaml"));
}

TEST_F(RunActionsTest, AMoveToTheTrashIsUndone)
{
    endedRun("first", 7);
    endedRun("second");
    EXPECT_FALSE(actions.restoring()->isEnabled());
    actions.setSelected({entry("first"), entry("second")});
    const QSignalSpy removed(&actions, &RunActions::removed), back(&actions, &RunActions::restored);
    ASSERT_TRUE(actions.moveToTrash());
    EXPECT_EQ(removed.at(0)[0].toString(), QStringLiteral("2 runs: moved to the trash"));
    EXPECT_TRUE(names().empty());
    ASSERT_TRUE(actions.restoring()->isEnabled());
    actions.restoring()->trigger();
    EXPECT_EQ(back.count(), 1);
    EXPECT_THAT(names(), ::testing::UnorderedElementsAre("first", "second"));
    EXPECT_EQ(readRunConfig(registry.folder() / "first" / "run.yaml")->microBatch, 7);
    EXPECT_FALSE(std::filesystem::exists(home.path() / "Trash" / "files" / "first"));
    EXPECT_FALSE(std::filesystem::exists(home.path() / "Trash" / "info" / "first.trashinfo"));
    EXPECT_FALSE(actions.restoring()->isEnabled());
}

TEST_F(RunActionsTest, MovesToTheTrashAreUndoneOneByOneAndALinkComesBackToo)
{
    const std::filesystem::path elsewhere = home.path() / "elsewhere";
    std::filesystem::rename(endedRun("moved"), elsewhere);
    ASSERT_TRUE(registry.add(elsewhere));
    endedRun("first");
    const QSignalSpy removed(&actions, &RunActions::removed);
    for (const char *name : {"elsewhere", "first"}) {
        actions.setSelected({entry(name)});
        ASSERT_TRUE(actions.moveToTrash());
    }
    EXPECT_EQ(removed.at(0)[0].toString(), QStringLiteral("elsewhere: removed from the list"));
    ASSERT_TRUE(actions.restore());
    EXPECT_THAT(names(), ::testing::ElementsAre("first"));
    ASSERT_TRUE(actions.restore());
    EXPECT_THAT(names(), ::testing::UnorderedElementsAre("elsewhere", "first"));
    EXPECT_FALSE(actions.restoring()->isEnabled());
    EXPECT_TRUE(actions.restore()) << "there is nothing left to take back";
}

TEST_F(RunActionsTest, ARunIsNotTakenBackOverAnotherNorFromAnEmptiedTrash)
{
    endedRun("first", 7);
    actions.setSelected({entry("first")});
    ASSERT_TRUE(actions.moveToTrash());
    std::filesystem::rename(endedRun("first", 2), registry.folder() / "other");
    endedRun("first", 3);
    EXPECT_FALSE(actions.restore()) << "its name is taken";
    EXPECT_EQ(readRunConfig(registry.folder() / "first" / "run.yaml")->microBatch, 3);
    EXPECT_TRUE(actions.restoring()->isEnabled()) << "once the other is gone";
    std::filesystem::remove_all(registry.folder() / "first");
    ASSERT_TRUE(actions.restore());
    EXPECT_EQ(readRunConfig(registry.folder() / "first" / "run.yaml")->microBatch, 7);

    actions.setSelected({entry("first")});
    ASSERT_TRUE(actions.moveToTrash());
    std::filesystem::remove_all(home.path() / "Trash");
    EXPECT_FALSE(actions.restore());
    EXPECT_FALSE(actions.restoring()->isEnabled());
}

TEST_F(RunActionsTest, ABarOffersToUndoAMoveToTheTrash)
{
    endedRun("first");
    RunsPage runs(registry, host);
    runs.resize(1200, 700);
    runs.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return runs.actionsOfRun().removing()->isEnabled(); }, kLimitMs));
    EXPECT_FALSE(runs.trashBar().isVisible());
    ASSERT_TRUE(runs.actionsOfRun().moveToTrash());
    EXPECT_EQ(runs.trashBar().text(), QStringLiteral("first: moved to the trash"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return runs.shownRows() == 0; }, kLimitMs));
    const QList<QPushButton *> buttons = runs.trashBar().findChildren<QPushButton *>();
    ASSERT_EQ(buttons.size(), 2);
    QTest::mouseClick(buttons[0], Qt::LeftButton);
    EXPECT_FALSE(runs.trashBar().isVisible());
    EXPECT_TRUE(QTest::qWaitFor([&] { return runs.shownRows() == 1; }, kLimitMs));

    ASSERT_TRUE(QTest::qWaitFor([&] { return runs.actionsOfRun().removing()->isEnabled(); }, kLimitMs));
    ASSERT_TRUE(runs.actionsOfRun().moveToTrash());
    QTest::mouseClick(buttons[1], Qt::LeftButton);
    EXPECT_FALSE(runs.trashBar().isVisible());
    EXPECT_TRUE(runs.actionsOfRun().restoring()->isEnabled()) << "still in the menu";
}

TEST_F(RunActionsTest, DeletingAsksFirstAndCancelKeepsTheRun)
{
    endedRun("first");
    actions.setSelected({entry("first")});
    actions.removing()->trigger();
    auto *question = page.findChild<QMessageBox *>();
    ASSERT_NE(question, nullptr);
    EXPECT_THAT(question->text().toStdString(), ::testing::HasSubstr("first"));
    EXPECT_EQ(question->defaultButton(), question->button(QMessageBox::Cancel));
    question->button(QMessageBox::Cancel)->click();
    EXPECT_THAT(names(), ::testing::ElementsAre("first"));
}

TEST_F(RunActionsTest, OpensThePlanOfARunAndLaunchesACopy)
{
    endedRun("first", 7);
    actions.setSelected({entry("first")});
    QSignalSpy opened(&actions, &RunActions::planRequested), launched(&actions, &RunActions::launchRequested);
    actions.openPlan()->trigger();
    actions.clone()->trigger();
    ASSERT_EQ(opened.count(), 1);
    EXPECT_EQ(opened[0][0].value<RunConfig>().microBatch, 7);
    ASSERT_EQ(launched.count(), 1);
    EXPECT_EQ(launched[0][0].value<RunConfig>().microBatch, 7);
    actions.setSelected({});
    for (const QAction *action :
        {actions.openPlan(), actions.clone(), actions.renaming(), actions.archive(), actions.removing()})
        EXPECT_FALSE(action->isEnabled()) << action->text().toStdString();
}

TEST_F(RunActionsTest, AnArchivedRunIsHiddenUntilItIsAskedFor)
{
    endedRun("first");
    endedRun("second");
    RunsPage runs(registry, host);
    runs.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return runs.shownRows() == 2; }, kLimitMs));
    runs.select(registry.folder() / "first");
    ASSERT_TRUE(runs.actionsOfRun().archive()->isEnabled());
    runs.actionsOfRun().archive()->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return runs.shownRows() == 1; }, kLimitMs));
    EXPECT_TRUE(std::filesystem::exists(registry.folder() / "first" / "run.yaml"));
    runs.actionsOfRun().showArchived()->setChecked(true);
    EXPECT_EQ(runs.shownRows(), 2);
    EXPECT_TRUE(isArchived(readLabels({registry.folder() / "first"}, {})));
}

TEST_F(RunActionsTest, SeveralArchivedRunsAreCounted)
{
    endedRun("first");
    endedRun("second");
    actions.setSelected({entry("first"), entry("second")});
    const QSignalSpy said(&actions, &RunActions::statusMessage);
    actions.archive()->trigger();
    ASSERT_EQ(said.count(), 1);
    EXPECT_EQ(said[0][0].toString(), QStringLiteral("Archived 2 runs"));
}

TEST_F(RunActionsTest, QuestionsAboutARunShortenALongName)
{
    endedRun("first");
    RunEntry run = entry("first");
    run.name = std::string(150, 'x');
    actions.setSelected({run});
    actions.removing()->trigger();
    const auto *question = page.findChild<QMessageBox *>();
    ASSERT_NE(question, nullptr);
    EXPECT_THAT(question->text().toStdString(), ::testing::Not(::testing::HasSubstr(std::string(61, 'x'))));
    actions.renaming()->trigger();
    const auto *renaming = page.findChild<QInputDialog *>();
    ASSERT_NE(renaming, nullptr);
    EXPECT_THAT(renaming->labelText().toStdString(), ::testing::Not(::testing::HasSubstr(std::string(61, 'x'))));
    EXPECT_EQ(renaming->textValue().toStdString(), run.name) << "the field has all of it";
}

TEST_F(RunActionsTest, ARightClickOffersWhatCanBeDoneWithTheRun)
{
    endedRun("first");
    RunsPage runs(registry, host);
    runs.resize(1200, 700);
    runs.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return runs.shownRows() == 1; }, kLimitMs));
    QTableView &table = *runs.table();
    Q_EMIT table.customContextMenuRequested(table.visualRect(table.model()->index(0, 0)).center());
    const QList<QMenu *> menus = table.findChildren<QMenu *>();
    const auto menu = std::find_if(menus.begin(), menus.end(),
        [&](const QMenu *one) { return one->actions().contains(runs.actionsOfRun().renaming()); });
    ASSERT_NE(menu, menus.end());
    EXPECT_TRUE((*menu)->isVisible());
    EXPECT_GE((*menu)->actions().size(), 8);
}

// A page of runs whose user has only a mouse.
struct MouseOnRunsTest : RunActionsTest {
    RunsPage runs{registry, host};

    void show()
    {
        runs.resize(1200, 700);
        runs.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&runs));
    }
    // Opens the menu of a run by the right button, and clicks an entry.
    void choose(const QString &run, QAction &action)
    {
        const RunsTable &table = *runs.table();
        QModelIndex index;
        for (int row = 0; row < table.model()->rowCount(); ++row) {
            if (table.model()->index(row, 0).data().toString() == run)
                index = table.model()->index(row, 0);
        }
        ASSERT_TRUE(index.isValid()) << run.toStdString();
        QTest::mouseClick(
            runs.windowHandle(), Qt::RightButton, {}, table.viewport()->mapTo(&runs, table.visualRect(index).center()));
        const auto menu = [] { return qobject_cast<QMenu *>(QApplication::activePopupWidget()); };
        ASSERT_TRUE(QTest::qWaitFor([&] { return menu() != nullptr; }, kLimitMs));
        ASSERT_TRUE(menu()->actions().contains(&action));
        ASSERT_TRUE(QTest::qWaitFor([&] { return action.isEnabled(); }, kLimitMs));
        QTest::mouseClick(menu(), Qt::LeftButton, {}, menu()->actionGeometry(&action).center());
    }
};

TEST_F(MouseOnRunsTest, ArchivesARunByItsMenu)
{
    endedRun("first");
    endedRun("second");
    show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return runs.shownRows() == 2; }, kLimitMs));
    choose(QStringLiteral("first"), *runs.actionsOfRun().archive());
    ASSERT_TRUE(QTest::qWaitFor([&] { return runs.shownRows() == 1; }, kLimitMs));
    EXPECT_TRUE(isArchived(readLabels({registry.folder() / "first"}, {})));
    EXPECT_FALSE(isArchived(readLabels({registry.folder() / "second"}, {})));
    EXPECT_THAT(names(), ::testing::UnorderedElementsAre("first", "second"));
}

TEST_F(MouseOnRunsTest, MovesARunToTheTrashByItsMenuAfterAQuestion)
{
    endedRun("first");
    endedRun("second");
    show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return runs.shownRows() == 2; }, kLimitMs));
    choose(QStringLiteral("second"), *runs.actionsOfRun().removing());
    auto *question = runs.findChild<QMessageBox *>();
    ASSERT_NE(question, nullptr);
    EXPECT_THAT(names(), ::testing::UnorderedElementsAre("first", "second")) << "not before the answer";
    for (QAbstractButton *button : question->buttons()) {
        if (question->buttonRole(button) == QMessageBox::DestructiveRole)
            QTest::mouseClick(button, Qt::LeftButton);
    }
    ASSERT_TRUE(QTest::qWaitFor([&] { return runs.shownRows() == 1; }, kLimitMs));
    EXPECT_THAT(names(), ::testing::ElementsAre("first"));
    EXPECT_TRUE(std::filesystem::exists(home.path() / "Trash" / "files" / "second" / "run.yaml"));
}

TEST_F(RunActionsTest, TheLogIsSearchedBothWaysAndAroundItsEnd)
{
    RunDetail detail;
    detail.appendLog(QStringLiteral("step 1 loss 5\nwarning: slow\nstep 2 loss 4\nWarning: again\n"), false);
    detail.logSearchField()->setText(QStringLiteral("warning"));
    EXPECT_EQ(detail.logMatches(), QStringLiteral("2 of 2")) << "the last one first, in any letter case";
    QTest::keyClick(detail.logSearchField(), Qt::Key_Return);
    EXPECT_EQ(detail.logMatches(), QStringLiteral("1 of 2"));
    detail.appendLog(QStringLiteral("warning: third\n"), false);
    EXPECT_EQ(detail.logMatches(), QStringLiteral("1 of 3"));
    detail.logSearchField()->setText(QStringLiteral("error"));
    EXPECT_THAT(detail.logMatches().toStdString(), ::testing::HasSubstr("No match"));
    detail.logSearchField()->clear();
    EXPECT_TRUE(detail.logMatches().isEmpty());
}

TEST_F(RunActionsTest, AnEnlargedChartIsExportedAsPictureAndPoints)
{
    RunData run;
    run.name = "measured";
    run.config = RunConfig{};
    for (int step = 1; step <= 300; ++step)
        run.metrics.push_back(
            {.step = step, .tokens = step * 10, .time = utcNow(), .loss = step == 7 ? NAN : 1.0 * step});
    Monitor monitor;
    monitor.resize(900, 600);
    monitor.show();
    monitor.show(std::make_shared<const RunDisplay>(runDisplay(run, std::chrono::system_clock::now())));
    monitor.drawAll();
    ChartWindow *window = monitor.enlarge(Quantity::Loss);
    ASSERT_NE(window, nullptr);
    EXPECT_EQ(window->chart().allPoints(), 300u);
    EXPECT_EQ(monitor.enlarge(Quantity::Loss), window) << "one window a chart";

    const QTemporaryDir folder;
    ASSERT_TRUE(window->exportCsv(folder.filePath(QStringLiteral("loss.csv"))));
    const Result<CsvTable> table = readCsv(folder.filePath(QStringLiteral("loss.csv")).toStdString());
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_EQ(table->rows.size(), 300u) << "every point, though the chart draws fewer";
    EXPECT_EQ(table->rows[0].cells.back(), "1");
    EXPECT_EQ(table->rows[6].cells.back(), "nan");
    EXPECT_EQ(table->rows[299].cells.back(), "300");
    ASSERT_TRUE(window->exportSvg(folder.filePath(QStringLiteral("loss.svg"))));
    const Result<std::string> svg = readFile(folder.filePath(QStringLiteral("loss.svg")).toStdString());
    EXPECT_THAT(*svg, ::testing::AnyOf(::testing::HasSubstr("<polyline"), ::testing::HasSubstr("<path")));
    EXPECT_THAT(*svg, ::testing::Not(::testing::HasSubstr("<image"))) << "vectors only";
    ASSERT_TRUE(window->exportPng(folder.filePath(QStringLiteral("loss.png"))));
    EXPECT_EQ(QImage(folder.filePath(QStringLiteral("loss.png"))).size(), QSize(2400, 1440));
    EXPECT_FALSE(window->exportCsv(folder.filePath(QStringLiteral("no/such/loss.csv"))));
}

} // namespace
} // namespace slipway::ui
