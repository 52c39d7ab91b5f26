// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <thread>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/follow.h"
#include "hosts/host.h"
#include "hosts/run_moves.h"
#include "report/report_tables.h"
#include "runs/alerts.h"
#include "runs/attempt_spans.h"
#include "runs/loss_text.h"
#include "runs/registry.h"

namespace slipway::cli {

namespace {

constexpr std::chrono::milliseconds kLook{250};
constexpr std::chrono::seconds kPlainLine{5}; // interval between lines if the output is not a terminal
constexpr std::size_t kErrorLines = 15;
constexpr std::size_t kBar = 20, kLeastCurve = 8, kMostCurve = 40, kPlainWidth = 120;

volatile std::sig_atomic_t interrupted = 0; // a signal handler cannot access other variables safely

// On a terminal, one line is rewritten. Elsewhere, lines are printed one below another.
class Display {
public:
    void progress(const std::string &line)
    {
        if (m_terminal) {
            printRaw("\r\033[K");
            print(line);
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
            printRaw("\r\033[K");
        m_open = false;
        print(text + "\n");
        std::fflush(stdout);
    }

    // Returns the width of a line in characters.
    [[nodiscard]] std::size_t width() const
    {
        winsize size{};
        return m_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1U
                                                                                                : kPlainWidth;
    }

private:
    const bool m_terminal = ::isatty(STDOUT_FILENO) == 1;
    bool m_open = false;
    std::chrono::steady_clock::time_point m_last{};
};

void showNews(const RunData &run, const AlertRules &rules, std::size_t &eventsShown, std::vector<Alert> &alertsShown,
    Display &display)
{
    for (; eventsShown < run.events.size(); ++eventsShown) {
        const RunEvent &event = run.events[eventsShown];
        display.line(fmt::format("{}  {}: {}", event.time, event.kind, event.message));
    }
    for (const Alert &alert : alertsOf(run, std::chrono::system_clock::now(), rules)) {
        const bool known = std::any_of(
            alertsShown.begin(), alertsShown.end(), [&](const Alert &shown) { return shown.kind == alert.kind; });
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
        if (const std::string errors = lastErrors(run.paths, kErrorLines); !errors.empty())
            note("last lines of err.log:\n" + errors);
    }
    return run.state() == RunState::Succeeded ? Done : No;
}

} // namespace

std::string progressLine(const RunData &run, const Progress &progress, std::size_t width)
{
    const RunSummary summary = summaryOf(run);
    std::vector<std::string> parts;
    if (progress.totalSteps) {
        const auto filled = static_cast<std::size_t>(std::clamp(progress.fraction, 0.0, 1.0) * kBar);
        parts.push_back(fmt::format(
            "[{}{}] {:.0f} %", std::string(filled, '#'), std::string(kBar - filled, '.'), progress.fraction * 100));
        parts.push_back(fmt::format("step {} of {}", progress.step, *progress.totalSteps));
    } else {
        parts.push_back(fmt::format("step {}", progress.step));
    }
    if (!run.metrics.empty()) {
        // The same figures as in the list of runs.
        if (summary.steadyTokensPerSecond)
            parts.push_back(fmt::format("{} tokens/s", formatCount(*summary.steadyTokensPerSecond)));
        const double last = run.metrics.back().loss;
        parts.push_back("loss " + lossText(std::isfinite(last) ? summary.finalLoss.value_or(last) : last));
    }
    if (progress.remaining && !isTerminal(run.state()))
        parts.push_back(formatSeconds(*progress.remaining) + " left");
    if (summary.usdSoFar)
        parts.push_back(formatUsd(*summary.usdSoFar));
    std::string text;
    for (const std::string &part : parts)
        text += text.empty() || text.size() + 2 + part.size() > width ? (text.empty() ? part : "") : "  " + part;
    // The curve fills the remaining width of the line.
    if (text.size() + 2 + kLeastCurve <= width && run.metrics.size() > 1) {
        std::vector<double> losses;
        const Column &loss = *run.metrics.column({Quantity::Loss});
        for (std::size_t i = 0; i < loss.size(); ++i)
            losses.push_back(loss[i]);
        text += "  " + sparkline(losses, std::min(width - text.size() - 2, kMostCurve));
    }
    return text;
}

std::string outcomeText(const RunData &run)
{
    const RunSummary summary = summaryOf(run);
    std::string text = fmt::format("{}: {}", run.name, enumName(run.state()));
    if (run.status.exitStatus && *run.status.exitStatus != 0)
        text += fmt::format(" (exit status {})", *run.status.exitStatus);
    if (!run.status.detail.empty())
        text += ", " + run.status.detail;
    text += fmt::format("\n{} steps", summary.steps);
    if (summary.tokensKnown())
        text += fmt::format(", {} tokens", formatCount(static_cast<double>(summary.tokens)));
    if (summary.elapsedKnown())
        text += " in " + formatSeconds(summary.wallSeconds);
    if (summary.firstLoss && summary.finalLoss)
        text += ", loss " + lossText(*summary.firstLoss) + " to " + lossText(*summary.finalLoss);
    text += '\n';
    if (const Interruptions lost = interruptionsOf(run); lost.count > 0)
        text += "lost " + interruptionsText(lost) + "\ngoodput " + goodputText(lost) + "\n";
    for (const auto &[name, loss] : summary.finalEvalLosses)
        text += fmt::format("evaluation {}: {}\n", name, lossText(loss));
    if (run.problemCount > 0)
        text += fmt::format("{} lines could not be read; the first: {}:{}: {}\n", run.problemCount,
            run.problems[0].file, run.problems[0].line, run.problems[0].what);
    std::vector<std::vector<std::string>> rows{{"", "predicted", "measured", "ratio"}};
    for (const Comparison &one : summary.comparisons) {
        if (one.measured)
            rows.push_back({one.name, formatInUnit(one.predicted, one.unit), formatInUnit(one.measured, one.unit),
                one.ratio() ? fmt::format("{:.2f}", *one.ratio()) : ""});
    }
    if (rows.size() > 1)
        text += alignedTable(rows, {false, true, true, true}) + speedSentence() + "\n";
    text.pop_back();
    return text;
}

namespace {

// Formats a status such as "unknown: node7 cannot be reached; it was running at ..., 3 min ago".
std::string statusText(const RunStatus &status)
{
    std::string text = fmt::format("{}: {}", enumName(status.state), status.detail);
    if (const auto asOf = fromIso8601(status.asOf))
        text += ", " + formatSeconds(std::chrono::duration<double>(std::chrono::system_clock::now() - *asOf).count()) +
                " ago";
    return text;
}

// Follows a run by polling the run and its host.
class Following {
public:
    Following(std::filesystem::path directory, std::unique_ptr<Host> host, AlertRules rules)
        : m_directory(std::move(directory)),
          m_host(std::move(host)),
          m_rules(std::move(rules)),
          m_reader(m_directory)
    {
    }

    // Polls once and returns the exit status when the run has ended.
    Result<std::optional<int>> poll()
    {
        if (const auto now = std::chrono::steady_clock::now();
            !m_asked || now - *m_asked >= m_host->refreshInterval()) {
            if (const Result<void> refreshed = m_host->refresh({m_directory}); !refreshed)
                return refreshed.error();
            if (const Result<void> kept = keep(); !kept)
                return kept.error();
            m_asked = std::chrono::steady_clock::now();
        }
        const Result<RunChange> change = m_reader.poll();
        if (!change)
            return change.error();
        const RunData &run = m_reader.run();
        if (run.state() == RunState::Draft)
            return Error{.what = "has not been started",
                .where = m_directory.string(),
                .accepted = "slipway launch or slipway resume"};
        if (change->restarted || m_eventsShown > run.events.size())
            m_eventsShown = 0;
        showNews(run, m_rules, m_eventsShown, m_alertsShown, m_display);
        if (isTerminal(run.state()) && !m_waits) {
            sayProblem(m_keeper.finish());
            return std::optional(showEnd(run, m_display));
        }
        if (m_shownDetail != run.status.detail) {
            m_shownDetail = run.status.detail;
            if (run.state() != RunState::Running)
                m_display.line(statusText(run.status));
        }
        if (change->metrics)
            m_display.progress(progressLine(run, progressOf(run), m_display.width()));
        return std::optional<int>();
    }
    int leave()
    {
        const std::string name = m_directory.filename().string();
        m_display.line(
            "the run continues; `slipway watch " + name + "` follows it again, `slipway stop " + name + "` stops it");
        return 128 + SIGINT;
    }

private:
    // Copies the run's checkpoints to this machine, and moves the run to another host if its own host is gone.
    Result<void> keep()
    {
        const RunKeeper::Outcome outcome = m_keeper.update(m_directory);
        m_waits = outcome.waits;
        sayProblem(outcome.problem);
        if (outcome.movedTo.empty())
            return {};
        Result<std::unique_ptr<Host>> host = hostOfRun(m_directory);
        if (!host)
            return host.error();
        m_host = *std::move(host);
        return m_host->refresh({m_directory});
    }
    void sayProblem(const std::string &problem)
    {
        if (!problem.empty() && problem != m_problem)
            m_display.line(problem);
        m_problem = problem;
    }

    std::filesystem::path m_directory;
    std::unique_ptr<Host> m_host;
    AlertRules m_rules;
    RunReader m_reader;
    Display m_display;
    std::optional<std::chrono::steady_clock::time_point> m_asked;
    std::size_t m_eventsShown = 0;
    std::vector<Alert> m_alertsShown;
    std::string m_shownDetail, m_problem;
    RunKeeper m_keeper;
    bool m_waits = false; // waits for a host that takes over the run
};

} // namespace

int followRun(const std::filesystem::path &directory)
{
    Result<std::unique_ptr<Host>> host = hostOfRun(directory);
    if (!host)
        return fail(host.error());
    const Result<AlertRules> rules = readAlertRules();
    if (!rules)
        note(rules.error().message() + "; using the default alert thresholds");
    Following following(directory, *std::move(host), rules.valueOr({}));
    interrupted = 0;
    std::signal(SIGINT, [](int) { interrupted = 1; });
    for (;;) {
        const Result<std::optional<int>> ended = following.poll();
        if (interrupted)
            return following.leave();
        if (!ended)
            return fail(ended.error());
        if (*ended)
            return **ended;
        std::this_thread::sleep_for(kLook);
    }
}

int watch(const RunOptions &options)
{
    const Result<std::filesystem::path> directory = Registry().find(options.run);
    return directory ? followRun(*directory) : fail(directory.error());
}

} // namespace slipway::cli
