// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "desktop/bench_runs.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "config/config_io.h"
#include "hosts/local_host.h"
#include "runs/run_index.h"
#include "ui/runs/runs_page.h"

namespace slipway::desktop {

namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr int kLimitMs = 120'000;
constexpr int kRate = 1000; // steps per second
constexpr int kWritesASecond = 50;
constexpr int kFrameMs = 16;

template<typename Condition>
void waitUntil(Condition holds)
{
    QTimer wake; // the condition may become true without an event
    wake.start(5);
    QElapsedTimer timer;
    timer.start();
    while (!holds() && elapsedMs(timer) < kLimitMs)
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
}

double lossAt(std::int64_t step)
{
    return 3.0 + 7.0 * std::exp(-static_cast<double>(step) / 2e5) + 0.1 * std::sin(static_cast<double>(step) * 12.9898);
}

// Appends a line of metrics with all values that a trainer writes for one GPU.
void appendLine(std::string &text, std::int64_t step)
{
    static constexpr const char *kFormat =
        R"({"v":1,"attempt":0,"step":%lld,"tokens":%lld,"time":"2026-01-02T%02d:%02d:%02d.%03dZ",)"
        R"("step_s":0.001,"tokens_per_s":%.17g,"loss":%.17g,)"
        R"("lr":0.0003,"grad_norm":%.17g,"mfu":0.41234567,"allocated_peak":12884901888,)"
        R"("reserved_peak":13958643712,"device_used":15032385536,)"
        R"("data_wait_s":0.0001234,"phases":{"forward":0.0003,"backward":0.0006,"optimizer":0.0001,)"
        R"("communication_exposed":0.00002},)"
        R"("gpus":[{"util":97,"power_w":391.5,"temp_c":61,"used":15032385536}]})"
        "\n";
    char line[700];
    const auto ms = static_cast<int>(step % 1000), s = static_cast<int>(step / 1000 % 60),
               min = static_cast<int>(step / 60'000 % 60), h = static_cast<int>(step / 3'600'000);
    const int length =
        std::snprintf(line, sizeof line, kFormat, static_cast<long long>(step), static_cast<long long>(step) * 8192, h,
            min, s, ms, 8.192e6 * (1 + 0.01 * std::sin(static_cast<double>(step) * 0.7)), lossAt(step),
            0.9 + 0.1 * std::sin(static_cast<double>(step) * 3.1));
    text.append(line, static_cast<std::size_t>(length));
}

std::filesystem::path makeRun(const Registry &registry, const std::string &name, std::int64_t steps, bool ended)
{
    const std::filesystem::path directory = *registry.create(name);
    RunConfig config;
    config.training.name = name;
    config.training.steps = 2 * kMillion;
    config.training.tags = {"bench"};
    std::ofstream metrics(RunPaths{directory}.metrics(), std::ios::binary);
    std::string text;
    for (std::int64_t step = 1; step <= steps; ++step) {
        appendLine(text, step);
        if (text.size() > (1U << 20) || step == steps) {
            metrics << text;
            text.clear();
        }
    }
    if (ended)
        (void)writeNamedFile(RunPaths{directory}.exitStatus(), "0\n");
    (void)writeRunConfig(RunPaths{directory}, config);
    return directory;
}

double rssMib()
{
    const Result<std::string> text = readFile("/proc/self/statm", kMiB);
    const std::vector<std::string_view> fields = text ? split(*text, ' ') : std::vector<std::string_view>();
    const auto pages = fields.size() > 1 ? parseInteger(fields[1]) : std::nullopt;
    return pages ? static_cast<double>(*pages) * 4096 / static_cast<double>(kMiB) : 0;
}

// Records the intervals between repaints of a window.
class FrameClock : public QObject {
public:
    explicit FrameClock(QWidget &window) { window.installEventFilter(this); }
    [[nodiscard]] const std::vector<double> &gaps() const { return m_gaps; }

protected:
    bool eventFilter(QObject *, QEvent *event) override
    {
        if (event->type() == QEvent::UpdateRequest) {
            if (m_since.isValid())
                m_gaps.push_back(elapsedMs(m_since));
            m_since.restart();
        }
        return false;
    }

private:
    QElapsedTimer m_since;
    std::vector<double> m_gaps;
};

// Appends steps at the rate kRate on its own thread, as a trainer would do from its process.
class Writer {
public:
    Writer(std::filesystem::path file, std::int64_t from)
        : m_step(from),
          m_thread([this, path = std::move(file)] { write(path); })
    {
    }
    ~Writer() { stop(); }
    std::int64_t stop()
    {
        m_stopped = true;
        if (m_thread.joinable())
            m_thread.join();
        return m_step;
    }

private:
    void write(const std::filesystem::path &path)
    {
        std::ofstream out(path, std::ios::binary | std::ios::app);
        const auto begin = std::chrono::steady_clock::now();
        const std::int64_t first = m_step;
        for (int tick = 1; !m_stopped; ++tick) {
            std::this_thread::sleep_until(begin + std::chrono::milliseconds(1000 / kWritesASecond * tick));
            std::string text;
            for (const std::int64_t until = first + static_cast<std::int64_t>(tick) * kRate / kWritesASecond;
                m_step < until;)
                appendLine(text, ++m_step);
            out << text << std::flush;
        }
    }
    std::atomic<std::int64_t> m_step;
    std::atomic<bool> m_stopped = false;
    std::thread m_thread;
};

bool equalsEnvelope(const ui::RunDisplay &run, std::int64_t steps)
{
    std::vector<double> x, y;
    for (std::int64_t step = 1; step <= steps; ++step) {
        x.push_back(static_cast<double>(step));
        y.push_back(lossAt(step));
    }
    const auto curve = run.series->curve({Quantity::Loss}, XAxis::Step);
    for (const CurveRange range : {CurveRange{0, 1e9}, CurveRange{123'456, 234'567}}) {
        if (curve->buckets(700, range, 0) != envelope(x, y, 700, range.from, range.to))
            return false;
    }
    return true;
}

} // namespace

TableFigures benchTable()
{
    TableFigures figures;
    const QTemporaryDir home;
    const Registry registry(std::filesystem::path(home.path().toStdString()) / "runs");
    for (int i = 0; i < figures.runs; ++i)
        makeRun(registry, "run-" + std::to_string(i), 100, true);
    QElapsedTimer timer;
    timer.start();
    RunIndex(registry).list();
    figures.firstListMs = elapsedMs(timer);
    timer.restart();
    RunIndex(registry).list();
    figures.listMs = elapsedMs(timer);

    LocalHost host;
    ui::RunsPage page(registry, host);
    page.setAttribute(Qt::WA_DontShowOnScreen);
    page.resize(1280, 800);
    page.show();
    waitUntil([&] { return page.model().rowCount() == figures.runs && page.shown() != nullptr; });
    QApplication::processEvents();
    std::vector<double> ms;
    for (int row = 0; row < 300; ++row) {
        timer.restart();
        page.table()->verticalScrollBar()->setValue(row * 97 % page.table()->verticalScrollBar()->maximum());
        page.table()->grab();
        ms.push_back(elapsedMs(timer));
    }
    figures.frameP99Ms = timesOf(ms).p99;
    ms.clear();
    for (int i = 0; i < 20; ++i) {
        timer.restart();
        page.filter(QStringLiteral("run-%1").arg(i));
        page.table()->grab();
        ms.push_back(elapsedMs(timer));
    }
    figures.filterMs = timesOf(ms).median;
    return figures;
}

LiveFigures benchLive(int seconds)
{
    LiveFigures figures{.seconds = static_cast<double>(seconds), .rate = kRate};
    const QTemporaryDir home;
    const Registry registry(std::filesystem::path(home.path().toStdString()) / "runs");
    const std::int64_t before = kMillion - static_cast<std::int64_t>(seconds) * kRate;
    const std::filesystem::path directory = makeRun(registry, "live", before, false);
    const std::filesystem::path finished = makeRun(registry, "finished", kMillion, true);
    LocalHost host;
    ui::RunsPage page(registry, host);
    page.resize(1280, 800);
    page.show();
    waitUntil([&] { return page.model().rowCount() == 2; });

    page.select(directory); // so that the finished run is opened again
    waitUntil([&] { return page.shown() && page.shown()->directory == directory; });
    QElapsedTimer timer;
    timer.start();
    page.select(finished);
    do {
        waitUntil(
            [&] { return page.shown() && page.shown()->directory == finished && page.detail().monitor().isDrawn(); });
        page.grab(); // lays out the widgets that became visible
    } while (!page.detail().monitor().isDrawn());
    figures.openMs = elapsedMs(timer);

    page.select(directory);
    waitUntil([&] { return page.shown() && page.shown()->directory == directory; });
    figures.rssBeginMib = rssMib();
    // A cursor moves over the charts, so that every frame has something to paint.
    const FrameClock clock(page);
    QTimer hand;
    hand.setTimerType(Qt::PreciseTimer);
    double at = 0;
    QObject::connect(&hand, &QTimer::timeout, &page, [&] {
        at = std::fmod(at + 997, static_cast<double>(before));
        for (ui::LineChart *chart : page.detail().monitor().shownCharts())
            chart->followCursor(at);
    });
    Writer writer(RunPaths{directory}.metrics(), before);
    hand.start(kFrameMs);
    timer.restart();
    while (elapsedMs(timer) < seconds * 1000.0)
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    hand.stop();
    figures.points = writer.stop();
    const Times gap = timesOf(clock.gaps());
    figures.gapP99Ms = gap.p99;
    figures.gapMaxMs = gap.max;
    figures.frames = static_cast<std::int64_t>(clock.gaps().size());
    waitUntil([&] { return static_cast<std::int64_t>(page.shown()->series->size()) == figures.points; });
    figures.rssEndMib = rssMib();
    figures.equalsEnvelope = equalsEnvelope(*page.shown(), figures.points);
    return figures;
}

} // namespace slipway::desktop
