// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a user does from beginning to end, with mouse and keys alone.
#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <csignal>

#include "base/csv.h"
#include "base/file.h"
#include "config/config_io.h"
#include "ui/explore/point_filter_bar.h"
#include "ui/plan/offer_table.h"
#include "ui/plan/plan_comparison.h"
#include "ui/plan/suggestion_list.h"
#include "ui/runs/launch_dialog.h"
#include "ui/shipped_window.h"
#include "ui/widgets/action_button.h"
#include "ui/window/command_palette.h"
#include "ui/window/guide_window.h"
#include "ui/window/menus.h"
#include "ui/window/welcome_page.h"

namespace slipway::ui {
namespace {

// Takes a step every 20 ms until it is asked to stop; goes on from where it was.
std::filesystem::path steppingTrainer(const std::filesystem::path &folder)
{
    const std::filesystem::path program = folder / "slipway-train";
    writeText(program, R"(#!/bin/sh
dir=$2; attempt=0
case "$*" in *--resume*) attempt=1 ;; esac
n=$(wc -l <"$dir/metrics.jsonl" 2>/dev/null || echo 0)
while [ ! -e "$dir/stop.request" ]; do
    n=$((n + 1))
    printf '{"v":1,"attempt":%s,"step":%s,"tokens":%s,"time":"2026-01-02T03:04:05.678Z","step_s":0.02,' \
        $attempt $n $((n * 100)) >>"$dir/metrics.jsonl"
    printf '"tokens_per_s":5000,"loss":%s}\n' $((9 - n % 3)) >>"$dir/metrics.jsonl"
    sleep 0.02
done
exit 143
)");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return program;
}

QPushButton &buttonOf(const QAction &action, QWidget &page)
{
    for (QPushButton *button : page.findChildren<QPushButton *>()) {
        if (button->isVisible() && button->toolTip() == tipOf(action))
            return *button;
    }
    throw std::runtime_error("no button for " + action.text().toStdString());
}

struct Journey : ShippedWindowTest {
    Journey() : ShippedWindowTest({.gpu = "a100-sxm-40gb"}) {}

    QWidget &field(const char *key) { return *window.planPage().form().row(key)->input()->focusProxy(); }
    // Answers the file dialog that comes next.
    static void saveAs(const QString &path)
    {
        User::whenAsked<QFileDialog>([path](QFileDialog &dialog) {
            auto *name = dialog.findChild<QLineEdit *>(QStringLiteral("fileNameEdit"));
            name->setText(path);
            QTest::keyClick(name, Qt::Key_Return);
        });
    }
};

TEST_F(Journey, FromTheFirstStartToTheFirstPlan)
{
    window.show(MainWindow::Page::Welcome);
    const WelcomePage &welcome = window.welcomePage();
    user.click(*welcome.gpu().focusProxy());
    user.press(Qt::Key_Escape); // closes the list that the click opened
    user.type(QStringLiteral("RTX"));
    const QString gpu = welcome.gpu().value();
    EXPECT_TRUE(gpu.startsWith(QStringLiteral("rtx"))) << gpu.toStdString();
    user.click(*welcome.planButton());
    ASSERT_EQ(window.page(), MainWindow::Page::Plan);
    EXPECT_EQ(document.config().gpu, gpu.toStdString());
    EXPECT_EQ(document.config().model.name, "1B");
    EXPECT_TRUE(field("model").hasFocus()) << "typing goes on where the plan begins";

    user.click(field("micro_batch"));
    user.retype(QStringLiteral("2"));
    EXPECT_EQ(document.config().microBatch, 2);
    ASSERT_TRUE(document.outcome());
    saveAs(qs((home.path() / "mine").string()));
    user.press(Qt::Key_S, Qt::ControlModifier);
    ASSERT_TRUE(QTest::qWaitFor([this] { return !document.file().isEmpty(); }, kLimitMs));
    const Result<RunConfig> saved = readRunConfig(home.path() / "mine.yaml");
    ASSERT_TRUE(saved) << saved.error().message();
    EXPECT_EQ(saved->microBatch, 2);
    EXPECT_FALSE(window.isWindowModified());
}

TEST_F(Journey, MakesAPlanFitByASuggestionAndUndoesIt)
{
    user.click(field("model"));
    user.retype(QStringLiteral("2B\t"));
    user.click(field("micro_batch"));
    user.retype(QStringLiteral("64"));
    ASSERT_TRUE(document.outcome());
    ASSERT_EQ(document.outcome()->memory.verdict, Verdict::Oom);
    const std::vector<SuggestionRow *> rows = window.planPage().results().suggestions().rows();
    ASSERT_FALSE(rows.empty());
    user.click(*rows.front());
    ASSERT_TRUE(document.outcome());
    EXPECT_NE(document.outcome()->memory.verdict, Verdict::Oom);
    user.press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(document.config().microBatch, 64);
    EXPECT_EQ(document.outcome()->memory.verdict, Verdict::Oom);
}

TEST_F(Journey, ComparesTwoGpusAndReturnsToTheFirst)
{
    user.click(buttonOf(*window.planPage().commands().keep, window.planPage()));
    const OfferTable &offers = window.planPage().results().offers();
    ASSERT_TRUE(QTest::qWaitFor([&] { return offers.table().rowCount() > 3; }, kLimitMs));
    const QTableWidget &table = offers.table();
    int other = 0;
    while (table.item(other, OfferTable::GpuName)->text().contains(QStringLiteral("A100 40GB SXM4")))
        ++other;
    const QString chosen = table.item(other, OfferTable::GpuName)->text();
    auto &view = const_cast<QTableWidget &>(table);
    user.click(view);
    view.setCurrentCell(other, OfferTable::GpuName);
    user.press(Qt::Key_Return);
    ASSERT_TRUE(document.outcome());
    EXPECT_EQ(qs(document.outcome()->gpu.name), chosen);
    const PlanComparison &comparison = window.planPage().results().comparison();
    EXPECT_TRUE(comparison.isKept());
    EXPECT_TRUE(comparison.isVisible());
    user.press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(document.config().gpu, "a100-sxm-40gb");
}

TEST_F(Journey, ExploresAGridFiltersItOpensAPointAndExports)
{
    const std::filesystem::path grid = home.path() / "grid.yaml";
    writeText(grid, "model: [100M]\ngpu: [a100-sxm-40gb, h100-sxm-80gb]\nmicro_batch: [4, 8]\n");
    window.openPath(qs(grid.string()));
    ExplorePage &explore = window.explorePage();
    ASSERT_TRUE(QTest::qWaitFor([&] { return explore.explored() && !explore.running(); }, kLimitMs));
    ASSERT_EQ(window.page(), MainWindow::Page::Explore);
    ASSERT_EQ(explore.model().rowCount(), 4);
    QTableView &table = *explore.table();
    user.click(*table.viewport());
    table.setCurrentIndex(table.model()->index(0, 0));
    const std::filesystem::path csv = home.path() / "grid.csv";
    saveAs(qs(csv.string()));
    explore.commands().csv->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return std::filesystem::exists(csv); }, kLimitMs));
    const Result<CsvTable> rows = readCsv(csv);
    ASSERT_TRUE(rows) << rows.error().message();
    EXPECT_EQ(rows->rows.size(), 4u);
    table.setFocus();
    user.press(Qt::Key_Return);
    ASSERT_EQ(window.page(), MainWindow::Page::Plan);
    EXPECT_EQ(document.config().model.name, "100M");
}

// A window whose plan runs on this machine.
struct LaunchJourney : WindowTest {
    LocalHost local{steppingTrainer(home.path())};
    PlanDocument plan{examplePlanner(), {.gpu = "cpu"}};
    MainWindow mine{{plan, examplePlanner(), catalogue, registry, local, theme}};
    User user{static_cast<QWidget &>(mine)};
    std::filesystem::path started; // the run to end with the test

    ~LaunchJourney() override
    {
        if (!started.empty())
            static_cast<void>(local.signalGroup({started}, SIGKILL));
    }
};

TEST_F(LaunchJourney, LaunchesARunWatchesStopsAndResumesIt)
{
    writeText(home.path() / "tokens.bin", std::string(4096, 'x'));
    user.click(buttonOf(*mine.planPage().commands().launch, mine.planPage()));
    auto *sheet = mine.findChild<LaunchDialog *>();
    ASSERT_NE(sheet, nullptr);
    for (const auto &[key, text] :
        {std::pair("name", QStringLiteral("first")), std::pair("data", qs((home.path() / "tokens.bin").string())),
            std::pair("steps", QStringLiteral("100000"))}) {
        user.click(*sheet->row(key)->input()->focusProxy());
        user.retype(text);
    }
    ASSERT_TRUE(QTest::qWaitFor([&] { return !sheet->checking(); }, kLimitMs));
    ASSERT_TRUE(sheet->launchButton()->isEnabled())
        << sheet->noteText().toStdString() << sheet->checksText().toStdString();
    user.click(*sheet->launchButton());
    RunsPage &runs = mine.runsPage();
    const auto steps = [&] {
        return runs.shown() != nullptr && runs.shown()->series ? runs.shown()->series->size() : 0;
    };
    ASSERT_TRUE(QTest::qWaitFor([&] { return steps() > 3; }, kLimitMs));
    started = runs.shown()->directory;
    EXPECT_EQ(mine.page(), MainWindow::Page::Runs);
    mine.activateWindow(); // as window managers do when a dialog has closed
    ASSERT_TRUE(QTest::qWaitForWindowActive(&mine, kLimitMs));
    EXPECT_TRUE(runs.isAncestorOf(QApplication::focusWidget())) << "Tab goes on from the list of runs";
    EXPECT_EQ(runs.shown()->state, RunState::Running);

    User::whenAsked<QMessageBox>([](QMessageBox &box) {
        for (QAbstractButton *button : box.buttons()) {
            if (button->text() == QStringLiteral("Stop after checkpoint"))
                return QTest::mouseClick(button, Qt::LeftButton);
        }
        box.reject();
    });
    user.click(*runs.detail().stopButton());
    ASSERT_TRUE(QTest::qWaitFor([&] { return isTerminal(runs.shown()->state); }, kLimitMs));
    EXPECT_EQ(runs.shown()->state, RunState::Cancelled);
    ASSERT_TRUE(QTest::qWaitFor([&] { return runs.detail().resumeButton()->isEnabled(); }, kLimitMs));
    const std::size_t before = steps();
    user.click(*runs.detail().resumeButton());
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return runs.shown()->state == RunState::Running && steps() > before; }, kLimitMs));
}

TEST_F(Journey, WritesAReportOfThePlan)
{
    const std::filesystem::path pdf = home.path() / "plan.pdf";
    saveAs(qs(pdf.string()));
    user.press(Qt::Key_P, Qt::ControlModifier);
    ASSERT_TRUE(QTest::qWaitFor([&] { return std::filesystem::exists(pdf); }, kLimitMs));
    const Result<std::string> bytes = readFile(pdf);
    ASSERT_TRUE(bytes);
    EXPECT_TRUE(bytes->starts_with("%PDF-"));
}

TEST_F(Journey, ThePlanIsEditedByTheKeyboardAlone)
{
    ASSERT_TRUE(user.tabTo(field("micro_batch")));
    user.retype(QStringLiteral("32"));
    EXPECT_EQ(document.config().microBatch, 32);
    ASSERT_TRUE(user.tabTo(field("precision")));
}

} // namespace
} // namespace slipway::ui
