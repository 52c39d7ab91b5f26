// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Commands of the menus and their shortcuts, how pages fit and scroll, and the first start.
#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableWidget>
#include <QTest>
#include <QWheelEvent>
#include <array>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <tuple>

#include "config/config_io.h"
#include "support/temporary_directory.h"
#include "ui/plan/calibrate_dialog.h"
#include "ui/plan/offer_table.h"
#include "ui/runs/run_actions.h"
#include "ui/runs/run_exports.h"
#include "ui/user.h"
#include "ui/wait_limit.h"
#include "ui/window/main_window.h"
#include "ui/window/menus.h"
#include "ui/window/welcome_page.h"
#include "ui/window_fixture.h"

namespace slipway::ui {
namespace {

QAction *commandNamed(const MainWindow &window, const QString &words)
{
    for (const Command &command : window.menus().commands()) {
        if (command.words.contains(words))
            return command.action;
    }
    return nullptr;
}

// On X11, Qt's line edits take Ctrl+E for "to the end of the line".
TEST_F(WindowTest, AFieldThatHasTheFocusDoesNotTakeTheKeysOfTheExport)
{
    struct Taking : QLineEdit {
        using QLineEdit::QLineEdit;
        bool event(QEvent *event) override
        {
            event->setAccepted(event->type() == QEvent::ShortcutOverride);
            return event->isAccepted() || QLineEdit::event(event);
        }
    };
    Taking field(&window);
    const auto taken = [&](Qt::Key key) {
        QKeyEvent event(QEvent::ShortcutOverride, key, Qt::ControlModifier);
        event.ignore();
        QApplication::sendEvent(&field, &event);
        return event.isAccepted();
    };
    EXPECT_FALSE(taken(Qt::Key_E));
    EXPECT_TRUE(taken(Qt::Key_C));
}

TEST_F(WindowTest, EveryShortcutOfTheMenusIsUsedOnce)
{
    using Page = MainWindow::Page;
    for (const Page page : {Page::Plan, Page::Explore, Page::Runs, Page::Hosts, Page::Serve, Page::Welcome}) {
        window.show(page);
        std::set<QString> keys;
        for (const Command &command : window.menus().commands()) {
            const QString text = command.action->shortcut().toString();
            EXPECT_TRUE(text.isEmpty() || keys.insert(text).second) << command.words.toStdString();
            EXPECT_FALSE(command.action->text().isEmpty());
        }
        for (const char *expected : {"Ctrl+O", "Ctrl+S", "Ctrl+Shift+S", "Ctrl+Z", "Ctrl+K", "Ctrl+Q", "F1"})
            EXPECT_TRUE(keys.contains(QString::fromLatin1(expected))) << expected;
    }
}

TEST_F(WindowTest, TheKeysForExportsAndCopyingActOnThePageThatIsShown)
{
    using Page = MainWindow::Page;
    const auto commandOf = [this](const char *keys) {
        for (const Command &command : window.menus().commands()) {
            if (command.action->shortcut() == QKeySequence(QString::fromLatin1(keys)))
                return command.action;
        }
        return static_cast<QAction *>(nullptr);
    };
    const PlanCommands &plan = window.planPage().commands();
    const ExploreCommands &explore = window.explorePage().commands();
    const ServeCommands &serve = window.servePage().commands();
    const RunExports &run = window.runsPage().exports();
    for (const auto &[page, pdf, csv, copy] : std::initializer_list<std::tuple<Page, QAction *, QAction *, QAction *>>{
             {Page::Plan, plan.pdf, plan.csv, plan.copy}, {Page::Explore, explore.pdf, explore.csv, nullptr},
             {Page::Runs, run.pdfCommand(), run.csvCommand(), nullptr}, {Page::Hosts, nullptr, nullptr, nullptr},
             {Page::Serve, serve.pdf, serve.csv, serve.copy}, {Page::Plan, plan.pdf, plan.csv, plan.copy}}) {
        window.show(page);
        EXPECT_EQ(commandOf("Ctrl+P"), pdf) << static_cast<int>(page);
        EXPECT_EQ(commandOf("Ctrl+E"), csv) << static_cast<int>(page);
        EXPECT_EQ(commandOf("Ctrl+Shift+C"), copy) << static_cast<int>(page);
    }
    window.show(Page::Runs);
    EXPECT_FALSE(run.pdfCommand()->isEnabled()) << "there is no run";
}

TEST_F(WindowTest, TheMenusHaveEveryFormOfTheReportOfARun)
{
    const RunExports &run = window.runsPage().exports();
    std::set<QAction *> found;
    for (const Command &command : window.menus().commands())
        found.insert(command.action);
    for (QAction *action : {run.pdfCommand(), run.htmlCommand(), run.csvCommand()})
        EXPECT_TRUE(found.contains(action)) << action->text().toStdString();
}

TEST_F(WindowTest, TheMenusHaveTheActionsOfEveryPageAmongThemTheHosts)
{
    const HostsCommands &hosts = window.hostsPage().commands();
    const auto find = [this](const QAction *action) {
        const std::vector<Command> commands = window.menus().commands();
        return std::any_of(
            commands.begin(), commands.end(), [action](const Command &command) { return command.action == action; });
    };
    for (const QAction *action : {hosts.add, hosts.test, hosts.remove})
        EXPECT_TRUE(find(action)) << action->text().toStdString();
    EXPECT_FALSE(hosts.remove->isEnabled()) << "this machine stays in the list";
    hosts.add->trigger();
    EXPECT_EQ(window.page(), MainWindow::Page::Hosts);
    ASSERT_NE(window.focusWidget(), nullptr);
    EXPECT_EQ(window.focusWidget()->accessibleName(), QStringLiteral("Host to add"));
}

TEST_F(WindowTest, EveryPageFitsAWindowOfTheLeastSize)
{
    constexpr int kLeastWidth = 720; // what 1440x900 pixels show at 200 %
    EXPECT_LE(window.minimumWidth(), kLeastWidth);
    EXPECT_LE(window.minimumHeight(), 450 - 40);
    for (const QWidget *page : std::initializer_list<QWidget *>{&window.planPage(), &window.explorePage(),
             &window.runsPage(), &window.hostsPage(), &window.servePage(), &window.welcomePage()})
        EXPECT_LE(page->minimumSizeHint().width(), kLeastWidth - 80) << page->metaObject()->className();
}

TEST_F(WindowTest, TheWheelOverATableOfThePlanScrollsThePage)
{
    const QTableWidget &table = window.planPage().results().offers().table();
    QScrollBar *below = table.horizontalScrollBar();
    below->setRange(0, 100);
    for (QWidget *target : {table.viewport(), static_cast<QWidget *>(below)}) {
        QWheelEvent wheel({4, 4}, target->mapToGlobal(QPointF(4, 4)), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
            Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(target, &wheel);
        EXPECT_FALSE(wheel.isAccepted()) << "the page behind it would not hear of it";
    }
    EXPECT_EQ(below->value(), 0) << "the table does not move to the side under the pointer";
}

TEST_F(WindowTest, TheShortcutsOpenThePages)
{
    static_cast<QWidget &>(window).show();
    QApplication::setActiveWindow(&window);
    QTest::keyClick(&window, Qt::Key_3, Qt::ControlModifier);
    EXPECT_EQ(window.page(), MainWindow::Page::Runs);
    QTest::keyClick(&window, Qt::Key_4, Qt::ControlModifier);
    EXPECT_EQ(window.page(), MainWindow::Page::Hosts);
    QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
}

TEST_F(WindowTest, ALogIsAskedForByACommandToo)
{
    window.show(MainWindow::Page::Runs);
    commandNamed(window, QStringLiteral("Calibrate from a log…"))->trigger();
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
    EXPECT_NE(opened<LogDialog>(), nullptr);
}

TEST_F(WindowTest, AnInvalidPlanDisablesTheCommandsThatUseIt)
{
    const std::array names{QStringLiteral("Copy as command"), QStringLiteral("Report as PDF"),
        QStringLiteral("Results as CSV"), QStringLiteral("Launch…")};
    for (const QString &name : names)
        EXPECT_TRUE(commandNamed(window, name)->isEnabled()) << name.toStdString();
    ASSERT_TRUE(document.edit("gpus", "3")); // cannot be laid out
    for (const QString &name : names)
        EXPECT_FALSE(commandNamed(window, name)->isEnabled()) << name.toStdString();
    EXPECT_TRUE(commandNamed(window, QStringLiteral("Save plan"))->isEnabled()) << "an unfinished plan can be kept";
}

TEST_F(WindowTest, TheFirstStartBeginsWithAPresetAModelOrALog)
{
    window.show(MainWindow::Page::Welcome);
    WelcomePage &welcome = window.welcomePage();
    welcome.model().setValue(QStringLiteral("tiny"));
    welcome.gpu().setValue(QStringLiteral("card"));
    welcome.planButton()->click();
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
    EXPECT_EQ(document.config().model.name, "tiny");
    window.show(MainWindow::Page::Welcome);
    Q_EMIT welcome.openRequested(file("train.log", "step 10 | loss: 6.1\n"));
    EXPECT_NE(opened<LogDialog>(), nullptr);
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
}

TEST_F(WindowTest, CtrlZUndoesWhatTheShownPageCanUndo)
{
    const std::filesystem::path run = *registry.create("first");
    ASSERT_TRUE(writeRunConfig(RunPaths{run}.config(), RunConfig{}));
    writeText(RunPaths{run}.exitStatus(), "0\n");
    User user(window);
    ASSERT_TRUE(document.edit("micro_batch", "4"));
    window.show(MainWindow::Page::Runs);
    RunActions &actions = window.runsPage().actionsOfRun();
    ASSERT_TRUE(QTest::qWaitFor([&] { return actions.removing()->isEnabled(); }, kLimitMs));
    ASSERT_TRUE(actions.moveToTrash());
    EXPECT_FALSE(std::filesystem::exists(run));
    user.press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_TRUE(std::filesystem::exists(run / "run.yaml"));
    EXPECT_EQ(document.config().microBatch, 4) << "the plan, which is out of sight, stays";
    user.press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(document.config().microBatch, 4);
    window.show(MainWindow::Page::Plan);
    user.press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(document.config().microBatch, 8);
}

} // namespace
} // namespace slipway::ui
