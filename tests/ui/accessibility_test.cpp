// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a screen reader is told: each control has a role and a name, each value can be read, and each chart has a table.
#include <QAbstractButton>
#include <QAccessible>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QTableView>
#include <QTableWidget>
#include <gmock/gmock.h>

#include "runs/alerts.h"
#include "ui/charts/area_chart.h"
#include "ui/charts/chart_table.h"
#include "ui/charts/column_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/lane_chart.h"
#include "ui/charts/line_chart.h"
#include "ui/charts/scatter_chart.h"
#include "ui/charts/stacked_bar.h"
#include "ui/controls.h"
#include "ui/plan/price_dialog.h"
#include "ui/plan/script_dialog.h"
#include "ui/runs/launch_dialog.h"
#include "ui/runs/run_dialogs.h"
#include "ui/window_fixture.h"

namespace slipway::ui {
namespace {

void expectAccessible(const QString &place, QWidget &top)
{
    int controls = 0;
    for (QWidget *widget : top.findChildren<QWidget *>()) {
        if (!widget->isVisibleTo(&top) || !isControl(*widget) || isPartOfAnother(*widget))
            continue;
        ++controls;
        QAccessibleInterface *spoken = QAccessible::queryAccessibleInterface(widget);
        const std::string where =
            place.toStdString() + ", " + widget->metaObject()->className() + " " + widget->objectName().toStdString();
        ASSERT_NE(spoken, nullptr) << where;
        EXPECT_FALSE(spoken->text(QAccessible::Name).trimmed().isEmpty()) << where << " has no name";
        EXPECT_NE(spoken->role(), QAccessible::NoRole) << where;
        EXPECT_NE(spoken->role(), QAccessible::Client) << where << " has no role of its own";
        if (isChart(*widget)) {
            EXPECT_EQ(spoken->role(), QAccessible::Chart) << where;
            EXPECT_EQ(spoken->childCount(), 0) << where;
        }
        if (const auto *edit = qobject_cast<QLineEdit *>(widget)) {
            EXPECT_EQ(spoken->text(QAccessible::Value), edit->text()) << where;
        }
        if (const auto *box = qobject_cast<QComboBox *>(widget)) {
            EXPECT_EQ(spoken->text(QAccessible::Value), box->currentText()) << where;
        }
    }
    EXPECT_GT(controls, 2) << place.toStdString();
}

void settle(QWidget &widget)
{
    widget.setAttribute(Qt::WA_DontShowOnScreen);
    widget.show();
    for (int round = 0; round < 20; ++round)
        QApplication::processEvents();
}

TEST_F(WindowTest, EveryControlOfThePagesHasARoleANameAndAValue)
{
    using Page = MainWindow::Page;
    settle(static_cast<QWidget &>(window));
    for (const auto &[page, name] :
        {std::pair(Page::Plan, "plan"), std::pair(Page::Explore, "explore"), std::pair(Page::Runs, "runs"),
            std::pair(Page::Hosts, "hosts"), std::pair(Page::Serve, "serve"), std::pair(Page::Welcome, "welcome")}) {
        window.show(page);
        for (int round = 0; round < 20; ++round)
            QApplication::processEvents();
        expectAccessible(QString::fromLatin1(name), window);
    }
}

TEST_F(WindowTest, EveryControlOfTheDialogsHasARoleANameAndAValue)
{
    LabelsDialog labels(QStringLiteral("run"), {});
    settle(labels);
    expectAccessible(QStringLiteral("labels"), labels);
    AlertRulesDialog rules{AlertRules()};
    settle(rules);
    expectAccessible(QStringLiteral("alert thresholds"), rules);
    ScriptDialog script(document, catalogue.frameworks);
    settle(script);
    expectAccessible(QStringLiteral("my own script"), script);
    PriceDialog prices(catalogue, home.path());
    settle(prices);
    expectAccessible(QStringLiteral("prices"), prices);
    LaunchDialog launch(
        RunConfig{.gpu = "card"},
        [](const RunConfig &config) -> Result<Prediction> { return examplePrediction(config); }, host, registry);
    settle(launch);
    expectAccessible(QStringLiteral("launch"), launch);
}

QString joined(const ChartTable &table)
{
    QString text = table.columns.join(u'|');
    for (const QStringList &row : table.rows)
        text += u'\n' + row.join(u'|');
    return text;
}

TEST(ChartTables, HoldWhatTheChartsShow)
{
    StackedBar bar;
    bar.setData({.parts = {{QStringLiteral("a"), 3}, {QStringLiteral("b"), 1}},
        .limit = 5,
        .limitName = QStringLiteral("capacity")});
    EXPECT_EQ(
        joined(tableOfChart(bar)), QStringLiteral("Part|Value|Share\na|3|75.0 %\nb|1|25.0 %\nTotal|4|\ncapacity|5|"));

    AreaChart areas;
    areas.setData({.layers = {{.name = QStringLiteral("weights"), .values = {1, 1}},
                       {.name = QStringLiteral("activations"), .values = {2, 4}}},
        .positions = {QStringLiteral("first"), QStringLiteral("last")}});
    EXPECT_EQ(joined(areas.table()), QStringLiteral("Position|weights|activations|Total\nfirst|1|2|3\nlast|1|4|5"));

    ColumnChart columns;
    columns.setData({.xTitle = QStringLiteral("length"),
        .columns = {QStringLiteral("1K")},
        .layers = {{.name = QStringLiteral("cache"), .values = {7}}},
        .notes = {QStringLiteral("OOM")}});
    EXPECT_EQ(joined(columns.table()), QStringLiteral("length|cache|Total|Note\n1K|7|7|OOM"));

    HeatMap heat;
    heat.setData({.rowTitle = QStringLiteral("GPUs"),
        .columnTitle = QStringLiteral("batch"),
        .rows = {QStringLiteral("1"), QStringLiteral("2")},
        .columns = {QStringLiteral("4")},
        .cells = {{.kind = HeatCell::Kind::Value, .value = 5, .text = QStringLiteral("5K")},
            {.kind = HeatCell::Kind::Missing}},
        .missingText = QStringLiteral("OOM")});
    EXPECT_EQ(joined(heat.table()), QStringLiteral("GPUs / batch|4\n1|5K\n2|OOM"));

    ScatterChart scatter;
    scatter.setData({.xTitle = QStringLiteral("GPUs"),
        .yTitle = QStringLiteral("speed"),
        .series = {{.name = QStringLiteral("DDP"), .dots = {{.x = 1, .y = 2}, {.x = 2, .missing = true}}}}});
    EXPECT_EQ(scatter.table().rows.size(), 2u);
    EXPECT_EQ(scatter.table().rows[1].last(), QStringLiteral("out of memory"));

    LaneChart lanes;
    lanes.setData({.lanes = {{QStringLiteral("Compute"), {{.start = 0, .end = 0.001, .name = QStringLiteral("gemm")}}}},
        .kinds = {{.name = QStringLiteral("GEMM")}},
        .end = 0.001});
    EXPECT_EQ(lanes.table().rows.at(0).mid(0, 3),
        QStringList({QStringLiteral("Compute"), QStringLiteral("gemm"), QStringLiteral("GEMM")}));

    LineChart line;
    line.setQuantity(QStringLiteral("Loss"), [](double value) { return QString::number(value); }, false);
    line.setPoints({1, 2, 3}, {5, NAN, 4});
    EXPECT_EQ(joined(line.table()), QStringLiteral("Step|measured\n1|5\n3|4"));
}

TEST(ChartTables, AreShownByTheKeyboardAndCopied)
{
    StackedBar bar;
    bar.setAccessibleName(QStringLiteral("Memory"));
    bar.setData({.parts = {{QStringLiteral("a"), 3}}});
    bar.show();
    QApplication::setActiveWindow(&bar);
    bar.setFocus();
    QTest::keyClick(&bar, Qt::Key_T, Qt::ControlModifier);
    auto *dialog = bar.findChild<ChartTableDialog *>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_THAT(dialog->windowTitle().toStdString(), ::testing::HasSubstr("Memory"));
    EXPECT_EQ(dialog->table().rowCount(), 2);
    dialog->copy();
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("Part\tValue\tShare\na\t3\t100.0 %\nTotal\t3\t\n"));
}

} // namespace
} // namespace slipway::ui
