// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The charts of a run: which there are, over what they are drawn, and when.
#include <QComboBox>
#include <QLabel>
#include <QScrollArea>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTest>
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>

#include "runs/progress.h"
#include "runs/run_series.h"
#include "ui/charts/line_chart.h"
#include "ui/measured_run.h"
#include "ui/runs/monitor.h"
#include "ui/runs/run_display.h"
#include "ui/widgets/card.h"
#include "ui/widgets/legend.h"

namespace slipway::ui {
namespace {

void draw(Monitor &monitor, const RunData &run)
{
    monitor.resize(1200, 600);
    monitor.show(viewOf(run));
    monitor.drawAll();
}

TEST(Monitor, ShowsAChartForWhatWasMeasuredAndNoneForTheRest)
{
    Monitor monitor;
    draw(monitor, measuredRun(20));
    EXPECT_NE(monitor.chart(Quantity::Loss), nullptr);
    EXPECT_NE(monitor.chart(Quantity::GpuPower), nullptr);
    EXPECT_EQ(monitor.chart(Quantity::GpuMemory), nullptr);
    EXPECT_EQ(monitor.chart(Quantity::GpuUse)->drawnPoints(), 40u) << "a line for each GPU";
    EXPECT_EQ(monitor.chart(Quantity::Mfu)->drawnPoints(), 20u);
}

RunData runWithExperts(std::size_t experts)
{
    RunData run = measuredRun(20);
    run.metrics.clear();
    for (StepMetrics row : measuredRun(20).metrics) {
        row.expertShares.assign(experts, 0.5 / static_cast<double>(experts - 1));
        row.expertShares[1] = 0.5;
        run.metrics.push_back(row);
    }
    return run;
}

QStringList legendOf(const LineChart &chart)
{
    QStringList names;
    for (const Legend *legend : chart.parentWidget()->findChildren<Legend *>()) {
        for (const LegendEntry &entry : legend->entries())
            names << entry.name;
    }
    return names;
}

TEST(Monitor, ShowsTheLoadOfExpertsAndALineForEachOfAFew)
{
    Monitor monitor;
    draw(monitor, runWithExperts(4));
    ASSERT_NE(monitor.chart(Quantity::ExpertLoad), nullptr);
    EXPECT_EQ(monitor.chart(Quantity::ExpertLoad)->table().rows.front().last(), QStringLiteral("2.000"));
    ASSERT_NE(monitor.chart(Quantity::ExpertShare), nullptr);
    EXPECT_EQ(legendOf(*monitor.chart(Quantity::ExpertShare)),
        QStringList({QStringLiteral("Expert 0"), QStringLiteral("Expert 1"), QStringLiteral("Expert 2"),
            QStringLiteral("Expert 3")}));
}

TEST(Monitor, ShowsOnlyTheLoadOfManyExpertsAndNeitherForADenseModel)
{
    Monitor monitor;
    monitor.resize(1200, 600);
    monitor.show(viewOf(runWithExperts(64)));
    EXPECT_NE(monitor.chart(Quantity::ExpertLoad), nullptr);
    EXPECT_EQ(monitor.chart(Quantity::ExpertShare), nullptr);
    monitor.show(viewOf(measuredRun(20)));
    EXPECT_EQ(monitor.chart(Quantity::ExpertLoad), nullptr);
}

TEST(Monitor, ComparesTheLoadOfExpertsOfRunsButNotTheirShares)
{
    Monitor monitor;
    monitor.resize(1200, 600);
    monitor.compare(
        {{QStringLiteral("a"), viewOf(runWithExperts(4))}, {QStringLiteral("b"), viewOf(runWithExperts(8))}});
    EXPECT_NE(monitor.chart(Quantity::ExpertLoad), nullptr);
    EXPECT_EQ(monitor.chart(Quantity::ExpertShare), nullptr);
}

TEST(Monitor, NamesTheRunOfAComparedChartThatHasOneLine)
{
    Monitor monitor;
    monitor.setAttribute(Qt::WA_DontShowOnScreen);
    monitor.resize(1200, 600);
    monitor.QWidget::show();
    RunData lacking = measuredRun(20);
    lacking.metrics.clear();
    for (const StepMetrics &row : measuredRun(20).metrics) {
        StepMetrics without = row;
        without.mfu.reset();
        lacking.metrics.push_back(without);
    }
    monitor.compare({{QStringLiteral("lacking"), viewOf(lacking)}, {QStringLiteral("whole"), viewOf(measuredRun(20))}});
    const auto namesAt = [&monitor](Quantity quantity) {
        std::vector<std::string> names;
        const auto *card = qobject_cast<const Card *>(monitor.chart(quantity)->parentWidget());
        for (const Legend *legend : card->findChildren<Legend *>()) {
            for (const LegendEntry &entry : legend->isHidden() ? std::vector<LegendEntry>() : legend->entries())
                names.push_back(entry.name.toStdString());
        }
        return names;
    };
    EXPECT_EQ(namesAt(Quantity::Mfu), std::vector<std::string>{"whole"});
    EXPECT_TRUE(namesAt(Quantity::Loss).empty()) << "the list of runs names them";
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

TEST(Monitor, ShowsItsWholeHintAlsoInANarrowWindow)
{
    Monitor monitor;
    monitor.setAttribute(Qt::WA_DontShowOnScreen);
    for (const int width : {830, 1300}) {
        monitor.resize(width, 500);
        monitor.QWidget::show();
        QCoreApplication::processEvents();
        const QList<QLabel *> labels = monitor.findChildren<QLabel *>();
        const auto hint = std::find_if(labels.begin(), labels.end(),
            [](const QLabel *label) { return label->text().startsWith(QStringLiteral("Ctrl+scroll")); });
        ASSERT_NE(hint, labels.end());
        EXPECT_GE((*hint)->width(), (*hint)->fontMetrics().horizontalAdvance((*hint)->text())) << width;
        EXPECT_TRUE((*hint)->parentWidget()->rect().contains((*hint)->geometry())) << width;
        EXPECT_LE((*hint)->mapTo(&monitor, (*hint)->rect().topRight()).x(), width);
    }
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
    draw(monitor, run);
    EXPECT_EQ(monitor.chart(Quantity::Loss)->shownTo(), 40.0);    // as far as the steps that are over
    EXPECT_EQ(monitor.chart(Quantity::Forward)->shownTo(), 30.0); // several lines: nobody could tell whose they are
}

} // namespace
} // namespace slipway::ui
