// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the window costs: a change on the Plan page from keystroke to painted answer, and a live chart's redraw.
#include <QElapsedTimer>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "desktop/session.h"
#include "ui/charts/line_chart.h"

namespace slipway::desktop {

namespace {

constexpr int kChanges = 200, kFrames = 100;
constexpr std::size_t kPoints = 1'000'000;

struct Times {
    double median = 0, p99 = 0;
};

Times timesOf(std::vector<double> ms)
{
    std::sort(ms.begin(), ms.end());
    return {ms[ms.size() / 2], ms[std::min(ms.size() - 1, ms.size() * 99 / 100)]};
}

Times changeTimes(Session &session)
{
    std::vector<double> ms;
    ui::MainWindow &window = session.window();
    for (int i = 0; i < kChanges; ++i) {
        QElapsedTimer timer;
        timer.start();
        const Result<void> taken = session.document().edit("micro_batch", std::to_string(1 + i % 32));
        QApplication::processEvents();
        window.grab();
        if (taken)
            ms.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    return timesOf(ms);
}

Times chartTimes()
{
    ui::LineChart chart;
    chart.resize(800, 300);
    chart.setSmoothing(true);
    chart.setAttribute(Qt::WA_DontShowOnScreen);
    chart.show();
    std::vector<double> x(kPoints), y(kPoints);
    for (std::size_t i = 0; i < kPoints; ++i) {
        x[i] = static_cast<double>(i);
        y[i] = 3.0 + 7.0 * std::exp(-static_cast<double>(i) / 2e5) + 0.1 * std::sin(static_cast<double>(i) * 12.9898);
    }
    std::vector<double> ms;
    for (int i = 0; i < kFrames; ++i) {
        QElapsedTimer timer;
        timer.start();
        chart.setPoints(x, y);
        chart.grab();
        ms.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    return timesOf(ms);
}

} // namespace

int bench(const Options &options, int &argc, char **argv)
{
    drawWithoutScreen();
    QApplication application(argc, argv);
    Result<std::unique_ptr<Session>> session = Session::open(options, application);
    if (!session)
        return fail(session.error());
    (*session)->window().setAttribute(Qt::WA_DontShowOnScreen);
    (*session)->window().show();
    QApplication::processEvents();
    const Times change = changeTimes(**session);
    const Times chart = chartTimes();
    const nlohmann::ordered_json figures{{"version", 1}, {"plan_change_ms", change.median}, {"plan_change_p99_ms", change.p99},
        {"chart_points", kPoints}, {"chart_redraw_ms", chart.median}, {"frame_p99_ms", chart.p99}};
    std::printf("%s\n", figures.dump(2).c_str());
    return 0;
}

} // namespace slipway::desktop
