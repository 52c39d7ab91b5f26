// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTableWidget>
#include <QTest>
#include <gmock/gmock.h>
#include <set>

#include "base/text.h"
#include "ui/examples.h"
#include "ui/runs/compare_view.h"
#include "ui/runs/monitor.h"
#include "ui/runs/notifier.h"
#include "ui/runs/run_detail.h"
#include "ui/runs/run_dialogs.h"
#include "ui/runs/run_legend.h"
#include "ui/runs/runs_model.h"
#include "ui/theme/theme.h"
#include "ui/widgets/text.h"
#include "support/edit_steps.h"
#include "support/temporary_directory.h"

namespace slipway::ui {
namespace {

RunData measuredRun(int steps, int gpus = 2)
{
    RunData run;
    run.name = "measured";
    run.status.state = RunState::Running;
    run.config = RunConfig{};
    run.config->training.steps = 1000;
    run.prediction = examplePrediction({.microBatch = 8});
    for (int step = 1; step <= steps; ++step) {
        StepMetrics m{.step = step,
            .tokens = step * 8192,
            .time = toIso8601(std::chrono::system_clock::time_point(std::chrono::seconds(step))),
            .stepSeconds = 1,
            .tokensPerSecond = 8192,
            .loss = 5,
            .mfu = 0.4,
            .allocatedPeak = 10 * kGiB,
            .dataWait = 0.01,
            .forward = 0.3};
        m.gpus.assign(
            static_cast<std::size_t>(gpus), GpuSample{.utilisation = 97, .powerWatts = 400, .temperatureC = 60});
        run.metrics.push_back(m);
    }
    return run;
}

std::shared_ptr<const RunDisplay> viewOf(const RunData &run)
{
    return std::make_shared<const RunDisplay>(
        runDisplay(run, std::chrono::system_clock::time_point(std::chrono::seconds(1000))));
}

TEST(Monitor, ShowsAChartForWhatWasMeasuredAndNoneForTheRest)
{
    Monitor monitor;
    monitor.resize(1200, 600);
    monitor.show(viewOf(measuredRun(20)));
    monitor.drawAll();
    EXPECT_NE(monitor.chart(Quantity::Loss), nullptr);
    EXPECT_NE(monitor.chart(Quantity::GpuPower), nullptr);
    EXPECT_EQ(monitor.chart(Quantity::GpuMemory), nullptr);
    EXPECT_EQ(monitor.chart(Quantity::GpuUse)->drawnPoints(), 40u) << "a line for each GPU";
    EXPECT_EQ(monitor.chart(Quantity::Mfu)->drawnPoints(), 20u);
}

TEST(Monitor, CutsNoChoiceOfTheSmoothing)
{
    Monitor monitor;
    monitor.resize(930, 500);
    monitor.QWidget::show();
    bool found = false;
    for (const QComboBox *box : monitor.findChildren<QComboBox *>()) {
        if (box->findText(QStringLiteral("Automatic")) < 0)
            continue;
        found = true;
        QStyleOptionComboBox option;
        option.initFrom(box);
        const QRect room =
            box->style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, box);
        for (int i = 0; i < box->count(); ++i)
            EXPECT_GE(room.width(), box->fontMetrics().horizontalAdvance(box->itemText(i)))
                << box->itemText(i).toStdString();
    }
    EXPECT_TRUE(found);
}

TEST(Monitor, SaysSoWhereNoStepHasBeenTaken)
{
    Monitor monitor;
    monitor.resize(1200, 600);
    const auto told = [&monitor] {
        const QList<QLabel *> labels = monitor.findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(), [&monitor](const QLabel *label) {
            return label->text().contains(QStringLiteral("No step")) && label->isVisibleTo(&monitor);
        });
    };
    monitor.show(viewOf(measuredRun(0)));
    EXPECT_TRUE(told());
    monitor.show(viewOf(measuredRun(3)));
    EXPECT_FALSE(told());
    RunData unpriced = measuredRun(3);
    unpriced.prediction.reset();
    monitor.show(viewOf(unpriced));
    monitor.setAxis(XAxis::Cost);
    EXPECT_FALSE(told()) << "it is the price that is missing";
}

TEST(RunDetailTest, ALongNameDoesNotMakeThePageWider)
{
    RunData run = measuredRun(3);
    RunDetail detail;
    static_cast<QWidget &>(detail).show();
    const auto leastWidth = [&] {
        detail.show(viewOf(run));
        for (int round = 0; round < 8; ++round)
            QApplication::processEvents(); // the layouts hear of the new text
        return detail.minimumSizeHint().width();
    };
    const int usual = leastWidth();
    run.name = std::string(300, 'x');
    EXPECT_EQ(leastWidth(), usual);
    EXPECT_EQ(LabelsDialog(qs(run.name), {}).minimumSizeHint().width(),
        LabelsDialog(QStringLiteral("x"), {}).minimumSizeHint().width());
}

TEST(RunDisplayTest, NamesTheKindOfPeakAndPredictsTheSameKind)
{
    const auto memory = [](const RunData &run) { return viewOf(run)->figures[4]; };
    const auto predicted = [](Bytes bytes) { return ::testing::HasSubstr(formatBytes(bytes)); };
    RunData run = measuredRun(3);
    const Bytes ofDevice = run.prediction->memory.peak, allocated = run.prediction->memory.peakAllocated;
    editSteps(run.metrics, [](auto &rows) {
        for (StepMetrics &step : rows) {
            step.allocatedPeak = 2 * kGiB;
            step.deviceUsed = 3 * kGiB;
        }
    });
    EXPECT_EQ(memory(run).label, QStringLiteral("Peak memory"));
    EXPECT_EQ(memory(run).value, QStringLiteral("3.0 GiB"));
    EXPECT_THAT(memory(run).detail.toStdString(), predicted(ofDevice));
    editSteps(run.metrics, [](auto &rows) {
        for (StepMetrics &step : rows)
            step.deviceUsed = std::nullopt;
    });
    EXPECT_EQ(memory(run).label, QStringLiteral("Peak allocated"));
    EXPECT_EQ(memory(run).value, QStringLiteral("2.0 GiB"));
    EXPECT_THAT(memory(run).detail.toStdString(), predicted(allocated));
    RunData begun = measuredRun(0);
    EXPECT_EQ(memory(begun).label, QStringLiteral("Peak memory"));
    EXPECT_THAT(memory(begun).detail.toStdString(), predicted(ofDevice));
    begun.config->gpu = "cpu";
    EXPECT_EQ(memory(begun).label, QStringLiteral("Peak allocated"));
    EXPECT_THAT(memory(begun).detail.toStdString(), predicted(allocated));
}

TEST(RunDisplayTest, TellsTheThroughputOfTheLastStepsWhileARunGoesOn)
{
    RunData run = measuredRun(200);
    editSteps(run.metrics, [](auto &rows) {
        for (std::size_t i = 120; i < rows.size(); ++i) {
            rows[i].stepSeconds = 2;
            rows[i].tokensPerSecond = 4096;
        }
    });
    run.config->microBatch = 8;
    run.config->seqLen = 1024;
    EXPECT_EQ(viewOf(run)->figures[1].value, qs(formatCount(4096)));
    run.status = {.state = RunState::Succeeded, .exitStatus = 0};
    EXPECT_EQ(viewOf(run)->figures[1].value, qs(formatCount(8192))) << "afterwards, of all of it";
}

TEST(RunDisplayTest, OfAFailedRunSaysWhyInItsOwnWords)
{
    const TemporaryDirectory folder;
    RunData run = measuredRun(3);
    run.paths = {folder.path()};
    run.status = {.state = RunState::Failed, .exitStatus = 3};
    EXPECT_TRUE(viewOf(run)->failure.contains(QStringLiteral("exit status 3 and without an error message")));
    writeText(run.paths.errLog(), "a warning\nslipway-train: out of memory\n");
    EXPECT_EQ(viewOf(run)->failure,
        QStringLiteral("The run ended with exit status 3: a warning\nslipway-train: out of memory"));
    run.events = {
        {.kind = "fault", .message = "earlier"}, {.kind = "resumed"}, {.kind = "fault", .message = "rank 1 is gone"}};
    EXPECT_EQ(viewOf(run)->failure, QStringLiteral("The run ended with exit status 3: rank 1 is gone"));
    run.status = {.state = RunState::Succeeded, .exitStatus = 0};
    EXPECT_EQ(viewOf(run)->failure, QString());
}

TEST(RunDisplayTest, OfAKilledRunNamesTheSignalBeforeWhatItHappenedToSayLast)
{
    const TemporaryDirectory folder;
    RunData run = measuredRun(3);
    run.paths = {folder.path()};
    run.status = {.state = RunState::Failed, .exitStatus = 139, .detail = "killed by signal 11"};
    EXPECT_EQ(viewOf(run)->failure, QStringLiteral("Killed by signal 11."));
    writeText(run.paths.errLog(), "measuring this CPU once\n");
    EXPECT_EQ(viewOf(run)->failure, QStringLiteral("Killed by signal 11\nmeasuring this CPU once"));
    run.events = {{.kind = "fault", .message = "rank 1 is gone"}};
    EXPECT_EQ(viewOf(run)->failure, QStringLiteral("The run ended with exit status 139: rank 1 is gone"));
}

TEST(Monitor, DrawsOverTokensTimeAndDollars)
{
    Monitor monitor;
    monitor.resize(1200, 600);
    monitor.show(viewOf(measuredRun(20)));
    monitor.setAxis(XAxis::TokensSeen);
    EXPECT_EQ(monitor.chart(Quantity::Loss)->shownTo(), 20 * 8192.0);
    monitor.setAxis(XAxis::Time);
    EXPECT_EQ(monitor.chart(Quantity::Loss)->shownTo(), 20.0);
    monitor.setAxis(XAxis::Cost);
    EXPECT_DOUBLE_EQ(monitor.chart(Quantity::Loss)->shownTo(), 20.0 * 36 / 3600);
}

TEST(Monitor, OneZoomIsTheZoomOfAllCharts)
{
    Monitor monitor;
    monitor.resize(1200, 600);
    monitor.show(viewOf(measuredRun(200)));
    monitor.chart(Quantity::Loss)->zoom(0.25, 100);
    EXPECT_EQ(monitor.chart(Quantity::Mfu)->shownFrom(), monitor.chart(Quantity::Loss)->shownFrom());
    monitor.chart(Quantity::Mfu)->showAll();
    EXPECT_EQ(monitor.chart(Quantity::Loss)->shownTo(), 200.0);
}

TEST(Monitor, AGrowingRunGrowsInItsCharts)
{
    RunData run = measuredRun(10);
    const auto series = std::make_shared<RunSeries>();
    series->follow(run.metrics, 0);
    const auto view = [&] {
        return std::make_shared<const RunDisplay>(runDisplay(run, summaryOf(run), series, {}, {}));
    };
    Monitor monitor;
    monitor.resize(1200, 600);
    monitor.show(view());
    run = measuredRun(30);
    series->follow(run.metrics, 10);
    monitor.show(view());
    monitor.drawAll();
    EXPECT_EQ(monitor.chart(Quantity::Loss)->allPoints(), 30u);
    EXPECT_EQ(monitor.chart(Quantity::Loss)->shownTo(), 30.0);
}

TEST(Monitor, DrawsOnlyTheChartsThatAreToBeSeen)
{
    Monitor monitor;
    monitor.resize(1000, 300); // one row of them
    monitor.setAttribute(Qt::WA_DontShowOnScreen);
    static_cast<QWidget &>(monitor).show();
    monitor.show(viewOf(measuredRun(30)));
    EXPECT_FALSE(monitor.isDrawn());
    ASSERT_TRUE(QTest::qWaitFor([&] { return monitor.isDrawn(); }, 5000));
    EXPECT_EQ(monitor.chart(Quantity::Loss)->drawnPoints(), 30u);
    EXPECT_EQ(monitor.chart(Quantity::GpuPower)->drawnPoints(), 0u);
    monitor.setAxis(XAxis::Time);
    EXPECT_TRUE(monitor.isDrawn()) << "a choice is answered at once";
    EXPECT_EQ(monitor.chart(Quantity::Loss)->drawnPoints(), 30u);
}

TEST(Monitor, DrawsAChartThatThePageAroundItScrollsIntoView)
{
    auto *monitor = new Monitor;
    monitor->setFixedSize(1000, 1400); // room for all charts, so that only the page scrolls
    QScrollArea page;
    page.setWidget(monitor);
    page.resize(1040, 200);
    page.show();
    monitor->show(viewOf(measuredRun(30)));
    ASSERT_TRUE(QTest::qWaitFor([&] { return monitor->isDrawn(); }, 5000));
    LineChart *last = monitor->shownCharts().back();
    ASSERT_EQ(last->drawnPoints(), 0u) << "it is out of sight";
    page.ensureWidgetVisible(last);
    ASSERT_FALSE(last->visibleRegion().isEmpty());
    EXPECT_TRUE(QTest::qWaitFor([&] { return last->drawnPoints() > 0; }, 5000));
}

TEST(Monitor, StepsThatWereTakenAgainAreDrawnBesideWhatCounts)
{
    RunData run = measuredRun(30);
    for (int step = 20; step <= 40; ++step)
        run.superseded.push_back(
            {.step = step, .tokens = step * 8192, .stepSeconds = 1, .tokensPerSecond = 1, .loss = 9});
    Monitor monitor;
    monitor.resize(1200, 600);
    monitor.show(viewOf(run));
    monitor.drawAll();
    EXPECT_EQ(monitor.chart(Quantity::Loss)->shownTo(), 40.0);    // as far as the steps that are over
    EXPECT_EQ(monitor.chart(Quantity::Forward)->shownTo(), 30.0); // several lines: nobody could tell whose they are
}

TEST(CompareViewTest, OverlaysTheRunsAndListsOnlyWhatDiffers)
{
    const RunData a = measuredRun(20);
    RunData b = measuredRun(40);
    b.config->training.learningRate = 1e-3;
    editSteps(b.metrics, [](auto &rows) {
        for (StepMetrics &step : rows)
            step.tokensPerSecond = 16384;
    });
    const auto compared = std::make_shared<CompareData>();
    compared->runs = {viewOf(a), viewOf(b)};
    compared->comparison = *compareRuns(std::vector<const RunData *>{&a, &b});
    CompareView view;
    view.resize(1200, 600);
    view.show(compared);
    view.monitor().drawAll();
    EXPECT_EQ(view.monitor().chart(Quantity::Loss)->drawnPoints(), 60u);
    QStringList texts;
    for (int row = 0; row < view.table()->rowCount(); ++row) {
        texts << view.table()->verticalHeaderItem(row)->text();
        for (int column = 0; column < view.table()->columnCount(); ++column)
            texts << (view.table()->item(row, column) ? view.table()->item(row, column)->text() : QString());
    }
    EXPECT_TRUE(texts.contains(QStringLiteral("Learning rate"))) << "as the window names it, not its key";
    EXPECT_FALSE(texts.contains(QStringLiteral("Micro-batch")));
    EXPECT_TRUE(texts.join(u' ').contains(QStringLiteral("+100.0 %"))) << texts.join(u' ').toStdString();
    EXPECT_EQ(view.table()->horizontalHeaderItem(1)->text(), QStringLiteral("measured (2)"))
        << "two runs of one name are told apart";
}

TEST(CompareViewTest, TwentyRunsHaveOneKeyThatHidesAndPointsOut)
{
    std::vector<RunData> runs;
    for (int i = 0; i < 20; ++i) {
        runs.push_back(measuredRun(20));
        runs.back().name = "run " + std::to_string(i);
    }
    std::vector<const RunData *> sources;
    const auto compared = std::make_shared<CompareData>();
    for (const RunData &run : runs) {
        sources.push_back(&run);
        compared->runs.push_back(viewOf(run));
    }
    compared->comparison = *compareRuns(sources);
    CompareView view;
    view.resize(1280, 700);
    view.show(compared);
    Monitor &monitor = view.monitor();
    monitor.drawAll();
    QListWidget *key = monitor.key().list();
    ASSERT_EQ(key->count(), 20);
    std::set<std::pair<QRgb, int>> looks;
    for (std::size_t i = 0; i < 20; ++i)
        looks.insert({runLineStyle(i).light.rgb(), static_cast<int>(runLineStyle(i).style)});
    EXPECT_EQ(looks.size(), 20u) << "every line looks its own way";
    EXPECT_EQ(monitor.chart(Quantity::Loss)->drawnPoints(), 400u);
    key->item(7)->setCheckState(Qt::Unchecked);
    monitor.drawAll();
    EXPECT_EQ(monitor.chart(Quantity::Loss)->drawnPoints(), 380u);
    view.show(compared); // as the next reading does
    monitor.drawAll();
    EXPECT_EQ(monitor.chart(Quantity::Loss)->drawnPoints(), 380u) << "what was hidden stays so";
    QStringList pointedOut;
    QObject::connect(&monitor.key(), &RunLegend::emphasized, [&](const QString &name) { pointedOut << name; });
    key->setCurrentRow(3);
    EXPECT_EQ(pointedOut, QStringList{QStringLiteral("run 3")});
    monitor.key().findChild<QPushButton *>()->click(); // all again
    monitor.key().findChild<QPushButton *>()->click(); // none
    EXPECT_EQ(monitor.chart(Quantity::Loss), nullptr);
}

TEST(DesktopNotifierTest, AsksTheBusFirstAndTheCommandWhereThereIsNone)
{
    QStringList heard;
    bool busThere = true;
    DesktopNotifier notifier(
        [&](const QString &title, const QString &body) {
            heard << QStringLiteral("bus ") + title + u'|' + body;
            return busThere;
        },
        [&](const QString &program, const QStringList &arguments) {
            heard << program + u' ' + arguments.join(u'|');
            return true;
        });
    notifier.notify(QStringLiteral("run: Stalled"), QStringLiteral("<b>no</b> step"));
    EXPECT_EQ(heard, QStringList{QStringLiteral("bus run: Stalled|&lt;b&gt;no&lt;/b&gt; step")});
    busThere = false;
    heard.clear();
    notifier.notify(QStringLiteral("--help"), QStringLiteral("x"));
    ASSERT_EQ(heard.size(), 2);
    EXPECT_TRUE(heard[1].startsWith(QStringLiteral("notify-send "))) << heard[1].toStdString();
    EXPECT_TRUE(heard[1].endsWith(QStringLiteral("|--|--help|x")))
        << "a title is no option: " << heard[1].toStdString();
}

TEST(AlertRulesDialogTest, TakesNumbersAndRefusesWords)
{
    AlertRulesDialog dialog({.off = {AlertKind::Stalled}});
    EXPECT_EQ(dialog.rules()->off, std::vector{AlertKind::Stalled});
    const FieldRow *first = dialog.findChildren<FieldRow *>().first();
    first->input()->setValue(QStringLiteral("soon"));
    EXPECT_FALSE(dialog.rules());
    EXPECT_FALSE(first->error().isEmpty());
    first->input()->setValue(QStringLiteral("4"));
    EXPECT_EQ(dialog.rules()->stallFactor, 4.0);
    first->input()->setValue(QStringLiteral("0")); // what the file would refuse
    EXPECT_FALSE(dialog.rules());
    EXPECT_TRUE(first->error().contains(QStringLiteral("Accepted: 1 to"))) << first->error().toStdString();
}

TEST(AlertRulesDialogTest, GoesBackToTheUsualThresholds)
{
    AlertRulesDialog dialog({.stallFactor = 3, .baselineFor = 5, .off = {AlertKind::Stalled}});
    dialog.restoreDefaults();
    EXPECT_EQ(dialog.rules(), AlertRules());
}

TEST(AlertRulesDialogTest, CutsNoName)
{
    AlertRulesDialog dialog{AlertRules()};
    dialog.setAttribute(Qt::WA_DontShowOnScreen);
    dialog.show();
    for (const QLabel *label : dialog.findChildren<QLabel *>()) {
        EXPECT_TRUE(!label->isVisibleTo(&dialog) || label->width() >= label->sizeHint().width())
            << label->text().toStdString();
    }
}

TEST(TipText, ShowsMarkupAsItIsAndLeavesPlainTextAlone)
{
    EXPECT_EQ(tipText(QStringLiteral("a & b, 1 < 2\nc")), QStringLiteral("a & b, 1 < 2\nc"));
    const QString tip = tipText(QStringLiteral("<img src=x> & <b>no</b>"));
    EXPECT_FALSE(tip.contains(QStringLiteral("<img"))) << tip.toStdString();
    EXPECT_TRUE(tip.contains(QStringLiteral("&lt;b&gt;no&lt;/b&gt;")));
}

TEST(LabelsDialogTest, IsLeftByTheKeyboard)
{
    LabelsDialog dialog(QStringLiteral("run"), {});
    dialog.setAttribute(Qt::WA_DontShowOnScreen);
    dialog.show();
    auto *notes = dialog.findChild<QPlainTextEdit *>();
    notes->setFocus();
    QTest::keyClick(notes, Qt::Key_Tab);
    EXPECT_EQ(notes->toPlainText(), QString());
}

TEST(LabelsDialogTest, KeepsTagsAndNotes)
{
    const Labels labels{{"a", "two words"}, "line\n<b>not markup</b>"};
    EXPECT_EQ(LabelsDialog(QStringLiteral("run"), labels).labels(), labels);
}

TEST(RunsFilterModelTest, KeepsItsPromisesWhileRowsAreSortedAndFiltered)
{
    RunsModel model;
    RunsFilterModel filtered(&model);
    const QAbstractItemModelTester source(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const QAbstractItemModelTester tester(&filtered, QAbstractItemModelTester::FailureReportingMode::Fatal);
    std::vector<RunRow> rows;
    for (int i = 0; i < 30; ++i)
        rows.push_back(runRow({.name = "run" + std::to_string(i),
            .directory = "/r/" + std::to_string(i),
            .labels = {{i % 3 ? "odd" : "third"}, {}}}));
    model.setRows(rows);
    filtered.setFilter({.text = "third"});
    EXPECT_EQ(filtered.rowCount(), 10);
    const QPersistentModelIndex held = model.index(3, 0);
    std::reverse(rows.begin(), rows.end());
    rows.pop_back();
    model.setRows(rows);
    EXPECT_EQ(held.data(RunsModel::DirectoryRole).toString(), QStringLiteral("/r/3"));
    EXPECT_EQ(filtered.rowCount(), 9);
    filtered.sort(RunsModel::Name);
    filtered.setFilter({});
    EXPECT_EQ(filtered.rowCount(), 29);
}

TEST(SystemSchemeTest, FollowsThePortalWhileItChanges)
{
    SystemScheme scheme;
    int changes = 0;
    QObject::connect(&scheme, &SystemScheme::changed, &scheme, [&] { ++changes; });
    const QString space = QStringLiteral("org.freedesktop.appearance"), key = QStringLiteral("color-scheme");
    scheme.onSettingChanged(space, key, QDBusVariant(1U));
    EXPECT_EQ(scheme.dark(), true);
    scheme.onSettingChanged(space, key, QDBusVariant(1U));
    scheme.onSettingChanged(space, QStringLiteral("accent-color"), QDBusVariant(2U));
    EXPECT_EQ(changes, 1);
    scheme.onSettingChanged(
        space, key, QDBusVariant(QVariant::fromValue(QDBusVariant(2U)))); // as older portals wrap it
    EXPECT_EQ(scheme.dark(), false);
    scheme.onSettingChanged(space, key, QDBusVariant(0U));
    EXPECT_EQ(scheme.dark(), std::nullopt);
    EXPECT_EQ(changes, 3);
}

} // namespace
} // namespace slipway::ui
