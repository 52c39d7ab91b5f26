// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "desktop/bench_points.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QTableView>

#include <utility>

#include "desktop/work_clock.h"
#include "ui/explore/point_delegate.h"
#include "ui/explore/sweep_model.h"

namespace slipway::desktop {

namespace {

// Creates 100,000 points of 5 settings, with results in no order.
std::shared_ptr<const Sweep> manyPoints()
{
    auto sweep = std::make_shared<Sweep>();
    const auto numbers = [](const char *key, int count) {
        GridAxis axis{.key = key};
        for (int i = 1; i <= count; ++i)
            axis.values.push_back(std::to_string(i));
        return axis;
    };
    sweep->grid = {.name = "bench",
        .axes = {numbers("gpus", 10), numbers("micro_batch", 50), numbers("grad_accum", 50),
            {"attention", {"flash", "vanilla"}}, {"tied", {"true", "false"}}}};
    for (std::size_t i = 0; i < sweep->grid.size(); ++i) {
        const double value = static_cast<double>(i * 7919 % 100'003);
        sweep->points.push_back({.index = i,
            .verdict = i % 5 == 0 ? Verdict::Oom : Verdict::Fits,
            .peak = static_cast<Bytes>(i * 104'729 % 80'000'000'000),
            .tokensPerSecond = value,
            .tokensPerSecondPerGpu = value / 8,
            .mfu = value / 200'000,
            .tokensPerUsd = value * 3,
            .usdPerBillionTokens = 1 + value});
    }
    return sweep;
}

} // namespace

PointFigures benchPoints()
{
    PointFigures figures;
    ui::SweepModel model;
    model.setSweep(manyPoints());
    figures.points = model.rowCount();
    QTableView table;
    table.setModel(&model);
    table.setItemDelegate(new ui::PointDelegate(&table));
    table.setAttribute(Qt::WA_DontShowOnScreen);
    table.resize(1180, 620);
    table.show();
    QApplication::processEvents();
    QElapsedTimer timer;
    std::vector<double> ms, work;
    for (int column = 0; column < model.columnCount(); ++column) {
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            timer.restart();
            const double before = threadWorkMs();
            model.sort(column, order);
            table.grab();
            ms.push_back(elapsedMs(timer));
            work.push_back(threadWorkMs() - before);
        }
    }
    figures.sortMs = timesOf(std::exchange(ms, {}));
    figures.sortWorkMs = timesOf(std::exchange(work, {}));
    for (int frame = 0; frame < 300; ++frame) {
        timer.restart();
        const double before = threadWorkMs();
        table.verticalScrollBar()->setValue(frame * 331 % table.verticalScrollBar()->maximum());
        table.grab();
        ms.push_back(elapsedMs(timer));
        work.push_back(threadWorkMs() - before);
    }
    figures.scrollMs = timesOf(std::move(ms));
    figures.scrollWorkMs = timesOf(std::move(work));
    return figures;
}

} // namespace slipway::desktop
