// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The page of runs: the run that is shown, those that are chosen, the filter and the exports.
#include <QAction>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <vector>

#include "config/config_io.h"
#include "runs/compare.h"
#include "runs/rename_run.h"
#include "support/temporary_directory.h"
#include "ui/runs/notifier.h"
#include "ui/runs/run_actions.h"
#include "ui/runs/run_exports.h"
#include "ui/runs/runs_page.h"
#include "ui/runs/runs_watcher.h"
#include "ui/runs_page_fixture.h"
#include "ui/wait_limit.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

TEST_F(RunsPageTest, ClosingLeavesARunRunningAndOpeningAgainFindsIt)
{
    startRun();
    {
        RunsPage page(registry, host);
        page.show();
        ASSERT_TRUE(QTest::qWaitFor([&] { return page.shown() != nullptr; }, kLimitMs));
        EXPECT_EQ(page.shown()->state, RunState::Running);
        page.close();
    }
    EXPECT_EQ(host.status({directory}).state, RunState::Running);
    RunsPage again(registry, host);
    ASSERT_TRUE(QTest::qWaitFor([&] { return again.shown() != nullptr; }, kLimitMs));
    EXPECT_EQ(again.shown()->directory, directory);
    EXPECT_EQ(again.model().rows().at(0).state, RunState::Running);
}

TEST_F(RunsPageTest, SaysThatTheShownRunsDirectoryIsGoneAndShowsItOn)
{
    startRun();
    appendStep(1);
    RunsPage page(registry, host);
    page.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.shown() != nullptr; }, kLimitMs));
    EXPECT_TRUE(page.shown()->failure.isEmpty());
    const std::filesystem::path elsewhere = home.path() / "moved";
    std::filesystem::rename(directory, elsewhere);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !page.shown()->failure.isEmpty(); }, kLimitMs));
    EXPECT_THAT(page.shown()->failure.toStdString(), ::testing::HasSubstr("sleeper"));
    EXPECT_EQ(page.shown()->series->size(), 1U) << "what was read stays";
    std::filesystem::rename(elsewhere, directory);
    EXPECT_TRUE(QTest::qWaitFor([&] { return page.shown()->failure.isEmpty(); }, kLimitMs));
}

TEST_F(RunsPageTest, StepsThatAreWrittenMeanwhileAppear)
{
    startRun();
    appendStep(1);
    RunsPage page(registry, host);
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return page.shown() != nullptr && page.shown()->series->size() == 1; }, kLimitMs));
    appendStep(2);
    EXPECT_TRUE(QTest::qWaitFor([&] { return page.shown()->series->size() == 2; }, kLimitMs));
}

TEST_F(RunsPageTest, TheTableHasRoomOnATallScreenAndStaysWhereItWasPut)
{
    RunsPage page(registry, host);
    page.resize(1200, 1300);
    page.show();
    EXPECT_GT(page.table()->viewport()->height(), 7 * page.table()->verticalHeader()->defaultSectionSize());
    page.resize(1200, 640);
    EXPECT_GE(page.table()->viewport()->height(), 4 * page.table()->verticalHeader()->defaultSectionSize());
    auto *parts = page.findChild<QSplitter *>();
    ASSERT_NE(parts, nullptr);
    page.resize(1200, 1300);
    parts->setSizes({700, 500});
    const QList<int> put = parts->sizes();
    RunsPage next(registry, host);
    next.resize(1200, 1300);
    EXPECT_TRUE(next.restoreLayout(page.layoutState()));
    next.show();
    EXPECT_EQ(next.findChild<QSplitter *>()->sizes(), put);
    EXPECT_FALSE(next.restoreLayout(QByteArrayLiteral("damaged")));
}

struct HeardNotes : Notifier {
    QStringList &heard;
    explicit HeardNotes(QStringList &list) : heard(list) {}
    void notify(const QString &title, const QString &text) override { heard << title + u'|' + text; }
};

TEST_F(RunsPageTest, ALossThatIsNotFiniteIsToldOnTheDesktopOnceAndListed)
{
    startRun();
    QStringList heard;
    RunsPage page(registry, host);
    page.setNotifier(std::make_unique<HeardNotes>(heard));
    appendText(RunPaths{directory}.metrics(),
        toJsonLine(StepMetrics{.step = 1, .time = utcNow(), .stepSeconds = 1, .loss = std::nan("")}) + "\n");
    ASSERT_TRUE(QTest::qWaitFor([&] { return !heard.isEmpty(); }, kLimitMs));
    EXPECT_TRUE(heard[0].startsWith(QStringLiteral("sleeper: Loss is not finite|"))) << heard[0].toStdString();
    appendStep(2);
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.shown() && page.shown()->series->size() == 2; }, kLimitMs));
    EXPECT_EQ(heard.size(), 1);
    EXPECT_EQ(page.shown()->alerts.size(), 1u);
}

TEST_F(RunsPageTest, RunsAreNamedByTheirEntriesInTheListWhereverTheyAreShown)
{
    const auto makeRun = [this](const std::filesystem::path &folder) {
        RunConfig config;
        config.training.name = "launched";
        std::filesystem::create_directories(folder);
        EXPECT_TRUE(writeRunConfig(RunPaths{folder}.config(), config));
        directory = folder;
        appendStep(1);
        directory.clear(); // the fixture has no program to stop
        return folder;
    };
    const std::filesystem::path renamed = makeRun(registry.folder() / "renamed"),
                                elsewhere = makeRun(home.path() / "elsewhere");
    std::filesystem::create_directory_symlink(elsewhere, registry.folder() / "linked");
    RunsWatcher watcher(RunsWatcher::Part::Chosen, registry);
    std::vector<std::string> compared;
    std::string shown;
    QObject::connect(&watcher, &RunsWatcher::compareRead, &watcher,
        [&](const std::shared_ptr<const CompareData> &data) { compared = data->comparison.names; });
    QObject::connect(&watcher, &RunsWatcher::runChanged, &watcher,
        [&](const std::shared_ptr<const RunDisplay> &run) { shown = run->name.toStdString(); });
    watcher.compare({qs(renamed.string()), qs(elsewhere.string())}, 0);
    EXPECT_THAT(compared, ::testing::ElementsAre("renamed", "linked"));
    watcher.select(qs(elsewhere.string()));
    EXPECT_EQ(shown, "linked");

    RunsPage page(registry, host);
    page.select(elsewhere);
    const QString report = qs((home.path() / "run.html").string());
    ASSERT_TRUE(page.exports().reports().html(report));
    QFile written(report);
    ASSERT_TRUE(written.open(QIODevice::ReadOnly));
    const std::string html = written.readAll().toStdString();
    EXPECT_THAT(html, ::testing::HasSubstr("linked"));
    EXPECT_THAT(html, ::testing::Not(::testing::HasSubstr("<h1>launched")));
}

TEST_F(RunsPageTest, SeveralChosenRunsAreCompared)
{
    std::vector<std::filesystem::path> chosen;
    for (const char *name : {"alpha", "beta", "gamma"}) {
        directory = *registry.create(name);
        RunConfig config;
        config.training.name = name;
        ASSERT_TRUE(writeRunConfig(RunPaths{directory}.config(), config));
        appendStep(1);
        chosen.push_back(directory);
    }
    directory.clear();
    RunsPage page(registry, host);
    bool compared = false;
    QObject::connect(&page, &RunsPage::compareShown, &page, [&] { compared = true; });
    page.compare(chosen);
    EXPECT_TRUE(QTest::qWaitFor([&] { return compared; }, kLimitMs));
    page.filter(QStringLiteral("beta"));
    EXPECT_TRUE(QTest::qWaitFor([&] { return page.shownRows() == 1; }, kLimitMs));
}

TEST_F(RunsPageTest, CommandsApplyToAllChosenRunsEvenIfTheseAreTooManyToCompare)
{
    constexpr int kRuns = kMostCompared + 1;
    for (int i = 0; i < kRuns; ++i) {
        const std::filesystem::path run = *registry.create("run-" + std::to_string(i));
        ASSERT_TRUE(writeRunConfig(RunPaths{run}.config(), RunConfig{}));
        writeText(RunPaths{run}.exitStatus(), "0\n");
    }
    RunsPage page(registry, host);
    page.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.shownRows() == kRuns && page.shown() != nullptr; }, kLimitMs));
    EXPECT_TRUE(page.exports().csvCommand()->isEnabled());
    page.table()->selectAll();
    EXPECT_FALSE(page.exports().csvCommand()->isEnabled()) << "the one shown run is not what is chosen";
    page.actionsOfRun().archive()->trigger();
    for (int i = 0; i < kRuns; ++i)
        EXPECT_TRUE(isArchived(readLabels({registry.folder() / ("run-" + std::to_string(i))}, {}))) << i;
    page.select(registry.folder() / "run-3");
    EXPECT_TRUE(page.exports().csvCommand()->isEnabled());
}

TEST_F(RunsPageTest, FindingRunsScrollsToTheFilterInALowWindow)
{
    QScrollArea window;
    auto *page = new RunsPage(registry, host);
    page->setMinimumHeight(1000);
    window.setWidget(page);
    window.resize(1000, 300);
    window.show();
    QCoreApplication::processEvents();
    QScrollBar &bar = *window.verticalScrollBar();
    bar.setValue(bar.maximum());
    ASSERT_GT(bar.value(), 300);
    page->focusFilter();
    EXPECT_LT(bar.value(), 100);
}

TEST_F(RunsPageTest, CalibratesOnTheShownRunWhereThisProgramCan)
{
    startRun();
    RunsPage page(registry, host);
    EXPECT_TRUE(page.detail().calibrateButton()->isHidden());
    QStringList told;
    std::filesystem::path asked;
    QObject::connect(&page, &RunsPage::statusMessage, &page, [&](const QString &message) { told << message; });
    page.setCalibrate([&asked](const std::filesystem::path &run) -> Result<std::string> {
        asked = run;
        return std::string("fitted two constants");
    });
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.shown() != nullptr; }, kLimitMs));
    page.detail().calibrateButton()->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !told.isEmpty(); }, kLimitMs));
    EXPECT_EQ(asked, directory);
    EXPECT_EQ(told[0], QStringLiteral("fitted two constants"));
}

TEST_F(RunsPageTest, ReportsOfARunAreWrittenAsPdfAndCsv)
{
    startRun();
    appendStep(1);
    RunsPage page(registry, host);
    page.select(directory);
    const QString pdf = qs((home.path() / "run.pdf").string()), csv = qs((home.path() / "run.csv").string());
    ASSERT_TRUE(page.exports().reports().pdf(pdf));
    ASSERT_TRUE(page.exports().reports().csv(csv));
    QFile table(csv);
    ASSERT_TRUE(table.open(QIODevice::ReadOnly));
    const std::string rows = table.readAll().toStdString();
    EXPECT_THAT(rows, ::testing::StartsWith("attempt,step,")) << rows;
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 2) << "head and one step: " << rows;
}

TEST_F(RunsPageTest, AFilterThatNoRunPassesShowsAnEmptyStateAndNoRunToActOn)
{
    startRun();
    appendStep(1);
    RunsPage page(registry, host);
    page.show();
    page.select(directory);
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.detail().isVisible(); }, kLimitMs));
    ASSERT_TRUE(page.exports().csvCommand()->isEnabled());
    page.filter(QStringLiteral("qqqq"));
    EXPECT_FALSE(page.detail().isVisible());
    QPushButton *clear = nullptr;
    for (QPushButton *button : page.findChildren<QPushButton *>())
        clear = button->text() == QStringLiteral("Clear filter") ? button : clear;
    ASSERT_NE(clear, nullptr);
    EXPECT_TRUE(clear->isVisible());
    EXPECT_FALSE(page.exports().csvCommand()->isEnabled());
    EXPECT_FALSE(page.exports().listCommand()->isEnabled());
    page.refresh(); // a step that comes meanwhile does not bring the run back
    appendStep(2);
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.shown()->series->size() == 2; }, kLimitMs));
    EXPECT_FALSE(page.detail().isVisible());
    clear->click();
    EXPECT_TRUE(page.detail().isVisible());
    EXPECT_TRUE(page.exports().csvCommand()->isEnabled());
    EXPECT_TRUE(page.exports().listCommand()->isEnabled());
}

TEST_F(RunsPageTest, ARunThatIsAddedIsShownAlsoIfTheFilterWouldHideIt)
{
    startRun();
    appendStep(1);
    RunsPage page(registry, host);
    page.show();
    page.filter(QStringLiteral("qqqq"));
    ASSERT_TRUE(page.addRun(directory));
    EXPECT_TRUE(QTest::qWaitFor([&] { return page.detail().isVisible(); }, kLimitMs));
}

TEST_F(RunsPageTest, AnExportIsWrittenByAnotherThreadAndToldWhenItIsThere)
{
    startRun();
    appendStep(1);
    RunsPage page(registry, host);
    page.show();
    page.select(directory);
    QStringList told;
    QObject::connect(&page, &RunsPage::statusMessage, &page, [&](const QString &message) { told << message; });
    const QString path = qs((home.path() / "mine.pdf").string());
    page.detail().exportButton()->menu()->actions().front()->trigger();
    auto *dialog = page.findChild<QFileDialog *>();
    ASSERT_NE(dialog, nullptr);
    auto *name = dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"));
    name->setText(path);
    QTest::keyClick(name, Qt::Key_Return);
    EXPECT_EQ(told, QStringList{QStringLiteral("Exporting…")}) << "the window goes on";
    ASSERT_TRUE(QTest::qWaitFor([&] { return told.size() > 1; }, kLimitMs));
    EXPECT_EQ(told[1], QStringLiteral("Exported to ") + path);
    EXPECT_TRUE(QFile::exists(path));
}

} // namespace
} // namespace slipway::ui
