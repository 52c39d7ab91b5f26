// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Measures the performance of the window: its first paint since the start of the process, a change on the Plan page
// from the keystroke to the painted result, the redraw of a live chart, a live run of a million steps, opening such a
// run, a table of a thousand runs, and a table of 100,000 points.
#include <QElapsedTimer>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "desktop/bench_points.h"
#include "desktop/bench_runs.h"
#include "desktop/session.h"
#include "desktop/work_clock.h"
#include "runs/liveness.h"
#include "ui/charts/line_chart.h"

namespace slipway::desktop {

namespace {

constexpr int kChanges = 200, kFrames = 100;
constexpr std::size_t kPoints = 1'000'000;

struct ChangeTimes {
    Times ms;
    Times workMs; // processor time of the thread that draws
};

ChangeTimes changeTimes(Session &session)
{
    std::vector<double> ms, work;
    ui::MainWindow &window = session.window();
    for (int i = 0; i < kChanges; ++i) {
        QElapsedTimer timer;
        timer.start();
        const double before = threadWorkMs();
        const Result<void> taken = session.document().edit("micro_batch", std::to_string(1 + i % 32));
        QApplication::processEvents();
        window.grab();
        if (!taken)
            continue;
        ms.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        work.push_back(threadWorkMs() - before);
    }
    return {timesOf(std::move(ms)), timesOf(std::move(work))};
}

// Measures a smoothed chart of a million points, which grows by one point and is redrawn.
Times chartTimes()
{
    ui::LineChart chart;
    chart.resize(800, 300);
    chart.setHalfLife(ui::LineChart::kAutomatic);
    chart.setAttribute(Qt::WA_DontShowOnScreen);
    chart.show();
    const auto series = std::make_shared<RunSeries>();
    std::vector<StepMetrics> steps(kPoints + kFrames);
    for (std::size_t i = 0; i < steps.size(); ++i)
        steps[i] = {.step = static_cast<std::int64_t>(i) + 1,
            .loss =
                3.0 + 7.0 * std::exp(-static_cast<double>(i) / 2e5) + 0.1 * std::sin(static_cast<double>(i) * 12.9898)};
    series->replaceFrom(0, std::span(steps).first(kPoints));
    chart.setLines({{.name = QStringLiteral("loss"),
        .light = Qt::blue,
        .dark = Qt::blue,
        .curve = series->curve({Quantity::Loss}, XAxis::Step)}});
    std::vector<double> ms;
    for (std::size_t i = 0; i < kFrames; ++i) {
        series->replaceFrom(kPoints + i, std::span(steps).subspan(kPoints + i, 1));
        QElapsedTimer timer;
        timer.start();
        chart.refresh();
        chart.grab();
        ms.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    return timesOf(ms);
}

// Returns the time since the system started this process, with a resolution of 10 ms.
double msSinceStart()
{
    const auto ticks = startTimeOfStat(readFile("/proc/self/stat").valueOr({}));
    const double started = parseNumber(ticks.value_or("0")).value_or(0) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return 1e3 * (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9 - started);
}

} // namespace

Times timesOf(std::vector<double> ms)
{
    if (ms.empty())
        return {};
    std::sort(ms.begin(), ms.end());
    return {ms[ms.size() / 2], ms[std::min(ms.size() - 1, ms.size() * 99 / 100)], ms.back()};
}

int bench(const Options &options, int &argc, char **argv)
{
    const OffscreenPlatform offscreen;
    QApplication application(argc, argv);
    Result<std::unique_ptr<Session>> session = Session::open(options, application);
    if (!session)
        return fail(session.error());
    (*session)->window().setAttribute(Qt::WA_DontShowOnScreen);
    (*session)->window().show();
    QApplication::processEvents();
    (*session)->window().grab();
    const double firstPaintMs = msSinceStart(), firstPaintWorkMs = workMs(CLOCK_PROCESS_CPUTIME_ID);
    const ChangeTimes change = changeTimes(**session);
    session->reset();
    const Times chart = chartTimes();
    const TableFigures table = benchTable();
    const PointFigures points = benchPoints();
    const LiveFigures live = benchLive(options.liveSeconds);
    const nlohmann::ordered_json figures{{"version", 1}, {"first_paint_ms", firstPaintMs},
        {"first_paint_work_ms", firstPaintWorkMs}, {"plan_change_ms", change.ms.median},
        {"plan_change_p99_ms", change.ms.p99}, {"plan_change_work_ms", change.workMs.median},
        {"plan_change_work_p99_ms", change.workMs.p99}, {"chart_points", kPoints}, {"chart_redraw_ms", chart.median},
        {"frame_p99_ms", chart.p99}, {"table_runs", table.runs}, {"table_first_list_ms", table.firstListMs},
        {"table_list_ms", table.listMs}, {"table_frame_p99_ms", table.frameP99Ms}, {"table_filter_ms", table.filterMs},
        {"grid_points", points.points}, {"grid_sort_ms", points.sortMs.median}, {"grid_sort_max_ms", points.sortMs.max},
        {"grid_sort_work_max_ms", points.sortWorkMs.max}, {"grid_scroll_p99_ms", points.scrollMs.p99},
        {"grid_scroll_work_p99_ms", points.scrollWorkMs.p99}, {"grid_scroll_work_max_ms", points.scrollWorkMs.max},
        {"open_1m_ms", live.openMs}, {"live_seconds", live.seconds}, {"live_points", live.points},
        {"live_rate_hz", live.rate}, {"live_frame_gap_p99_ms", live.gapP99Ms}, {"live_frame_gap_max_ms", live.gapMaxMs},
        {"live_frames", live.frames}, {"live_rss_begin_mib", live.rssBeginMib}, {"live_rss_end_mib", live.rssEndMib},
        {"live_equals_envelope", live.equalsEnvelope}};
    std::printf("%s\n", figures.dump(2).c_str());
    return 0;
}

} // namespace slipway::desktop
