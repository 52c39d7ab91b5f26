// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The models behind the list of runs: rows that come, change and go, sorted and filtered.
#include <QAbstractItemModelTester>
#include <QPersistentModelIndex>
#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "ui/runs/run_display.h"
#include "ui/runs/runs_model.h"

namespace slipway::ui {
namespace {

TEST(RunsModel, KeepsItsPromisesWhileRowsComeChangeAndGo)
{
    RunsModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    RunRow a{.directory = "/a", .name = QStringLiteral("a")}, b{.directory = "/b", .name = QStringLiteral("b")};
    model.setRows({a, b});
    a.loss = QStringLiteral("3.1");
    model.setRows({a, b});
    EXPECT_EQ(model.index(0, RunsModel::Loss).data().toString(), QStringLiteral("3.1"));
    model.setRows({b});
    EXPECT_EQ(model.rowCount(), 1);
    EXPECT_EQ(model.find("/b"), 0);
    EXPECT_EQ(model.find("/a"), -1);
}

TEST(RunsFilterModelTest, WhatIsNotKnownComesLastBothWays)
{
    const auto row = [](const char *name, std::optional<double> loss) {
        RunRow made;
        made.directory = name;
        made.name = QString::fromLatin1(name);
        made.lossValue = loss;
        return made;
    };
    RunsModel model;
    RunsFilterModel sorted(&model);
    model.setRows({row("a", 3), row("b", std::nullopt), row("c", 1)});
    const auto names = [&]() -> QString {
        return sorted.index(0, 0).data().toString() + sorted.index(1, 0).data().toString() +
               sorted.index(2, 0).data().toString();
    };
    sorted.sort(RunsModel::Loss, Qt::AscendingOrder);
    EXPECT_EQ(names(), QStringLiteral("cab"));
    sorted.sort(RunsModel::Loss, Qt::DescendingOrder);
    EXPECT_EQ(names(), QStringLiteral("acb"));
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

} // namespace
} // namespace slipway::ui
