// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/follow.h"
#include "report/report_tables.h"
#include "runs/alerts.h"
#include "runs/registry.h"

namespace slipway::cli {

namespace {

constexpr std::chrono::milliseconds kLook{250};
constexpr std::chrono::seconds kPlainLine{5}; // between lines where output is no terminal
constexpr std::size_t kErrorLines = 15;

volatile std::sig_atomic_t interrupted = 0; // a signal handler can reach nothing else

// The one line that is rewritten on a terminal, and lines one below another elsewhere.
class Display {
public:
    void progress(const std::string &line)
    {
        if (m_terminal) {
            print("\r\033[K" + line);
            m_open = true;
        } else if (const auto now = std::chrono::steady_clock::now(); now - m_last >= kPlainLine) {
            print(line + "\n");
            m_last = now;
        }
        std::fflush(stdout);
    }
    void line(const std::string &text)
    {
        if (m_open)
            print("\r\033[K");
        m_open = false;
        print(text + "\n");
        std::fflush(stdout);
    }

private:
    const bool m_terminal = ::isatty(STDOUT_FILENO) == 1;
    bool m_open = false;
    std::chrono::steady_clock::time_point m_last{};
};

std::string lastLines(const std::filesystem::path &file, std::size_t count)
{
    const Result<std::string> text = readFile(file, Bytes{256} * kMiB);
    if (!text)
        return "";
    std::string_view rest = trimmed(*text);
    std::size_t begin = rest.size();
    for (std::size_t lines = 0; lines < count && begin != std::string_view::npos && begin > 0; ++lines)
        begin = rest.rfind('\n', begin - 1);
    return std::string(begin == std::string_view::npos ? rest : rest.substr(begin == 0 ? 0 : begin + 1));
}

void showNews(const RunData &run, std::size_t &eventsShown, std::vector<Alert> &alertsShown, Display &display)
{
    for (; eventsShown < run.events.size(); ++eventsShown) {
        const RunEvent &event = run.events[eventsShown];
        display.line(fmt::format("{}  {}: {}", event.time, event.kind, event.message));
    }
    for (const Alert &alert : alertsOf(run, std::chrono::system_clock::now())) {
        const bool known = std::any_of(alertsShown.begin(), alertsShown.end(), [&](const Alert &shown) { return shown.kind == alert.kind; });
        if (known)
            continue;
        display.line(fmt::format("alert  {}: {}", enumName(alert.kind), alert.message));
        alertsShown.push_back(alert);
    }
}

int showEnd(const RunData &run, Display &display)
{
    display.line(outcomeText(run));
    if (run.state() == RunState::Failed || run.state() == RunState::Lost) {
        if (const std::string errors = lastLines(run.paths.errLog(), kErrorLines); !errors.empty())
            note("err.log ends with:\n" + errors);
    }
    return run.state() == RunState::Succeeded ? Done : No;
}

} // namespace

std::string progressLine(const RunData &run, const Progress &progress)
{
    std::string text = progress.totalSteps ? fmt::format("step {} of {}  {:.0f} %", progress.step, *progress.totalSteps, progress.fraction * 100) : fmt::format("step {}", progress.step);
    if (!run.metrics.empty()) {
        const StepMetrics &last = run.metrics.back();
        text += fmt::format("  loss {:.4f}  {} tokens/s", last.loss, formatCount(last.tokensPerSecond));
    }
    if (progress.remaining && !isTerminal(run.state()))
        text += "  " + formatSeconds(*progress.remaining) + " left";
    return text;
}

std::string outcomeText(const RunData &run)
{
    const RunSummary summary = summaryOf(run);
    std::string text = fmt::format("{}: {}", run.name, enumName(run.state()));
    if (run.standing.exitStatus && *run.standing.exitStatus != 0)
        text += fmt::format(" (exit status {})", *run.standing.exitStatus);
    if (!run.standing.detail.empty())
        text += ", " + run.standing.detail;
    text += fmt::format("\n{} steps, {} tokens in {}", summary.steps, formatCount(static_cast<double>(summary.tokens)), formatSeconds(summary.wallSeconds));
    if (summary.firstLoss && summary.finalLoss)
        text += fmt::format(", loss {:.4f} to {:.4f}", *summary.firstLoss, *summary.finalLoss);
    text += "\n";
    if (run.problemCount > 0)
        text += fmt::format("{} lines could not be read; the first: {}:{}: {}\n", run.problemCount, run.problems[0].file, run.problems[0].line, run.problems[0].what);
    std::vector<std::vector<std::string>> rows{{"", "predicted", "measured", "ratio"}};
    for (const Comparison &one : summary.comparisons) {
        if (one.measured)
            rows.push_back({one.name, formatInUnit(one.predicted, one.unit), formatInUnit(one.measured, one.unit), one.ratio() ? fmt::format("{:.2f}", *one.ratio()) : ""});
    }
    text += rows.size() > 1 ? alignedTable(rows, {false, true, true, true}) : "";
    text.pop_back();
    return text;
}

int followRun(const std::filesystem::path &directory)
{
    RunReader reader(directory);
    Display display;
    std::size_t eventsShown = 0;
    std::vector<Alert> alertsShown;
    std::string told;
    interrupted = 0;
    std::signal(SIGINT, [](int) { interrupted = 1; });
    for (;;) {
        const Result<RunChange> change = reader.poll();
        if (!change)
            return fail(change.error());
        const RunData &run = reader.run();
        if (run.state() == RunState::Draft)
            return fail({.what = "was never started", .where = directory.string(), .accepted = "slipway launch"});
        if (change->restarted || eventsShown > run.events.size())
            eventsShown = 0;
        showNews(run, eventsShown, alertsShown, display);
        if (isTerminal(run.state()))
            return showEnd(run, display);
        if (run.state() != RunState::Running && told != run.standing.detail) {
            told = run.standing.detail;
            display.line(fmt::format("{}: {}", enumName(run.state()), told));
        }
        if (change->metrics)
            display.progress(progressLine(run, progressOf(run)));
        if (interrupted) {
            display.line("the run goes on; `slipway watch " + run.name + "` follows it again, `slipway stop` ends it");
            return 128 + SIGINT;
        }
        std::this_thread::sleep_for(kLook);
    }
}

int watch(const RunOptions &options)
{
    const Result<std::filesystem::path> directory = Registry().find(options.run);
    return directory ? followRun(*directory) : fail(directory.error());
}

} // namespace slipway::cli
