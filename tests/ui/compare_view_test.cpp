// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Several runs compared: their charts, what differs between them, and the key of the lines.
#include <QListWidget>
#include <QPushButton>
#include <QTableWidget>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runs/compare.h"
#include "support/edit_steps.h"
#include "support/temporary_directory.h"
#include "ui/measured_run.h"
#include "ui/runs/compare_view.h"
#include "ui/runs/monitor.h"
#include "ui/runs/run_legend.h"

namespace slipway::ui {
namespace {

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

TEST(CompareViewTest, SaysThatTheSettingsOfAnImportedRunAreNotKnown)
{
    const TemporaryDirectory folder;
    const RunData a = measuredRun(20);
    RunData b = measuredRun(20);
    b.name = "theirs";
    b.paths = {folder.path()};
    writeText(folder.path() / "imported.json", "{}");
    const auto compared = std::make_shared<CompareData>();
    compared->runs = {viewOf(a), viewOf(b)};
    compared->comparison = *compareRuns(std::vector<const RunData *>{&a, &b});
    CompareView view;
    view.show(compared);
    EXPECT_EQ(view.table()->verticalHeaderItem(0)->text(), QStringLiteral("Settings not known: theirs"));
}

} // namespace
} // namespace slipway::ui
