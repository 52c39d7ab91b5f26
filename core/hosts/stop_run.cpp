// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/stop_run.h"

#include <algorithm>
#include <csignal>
#include <thread>

#include "base/text.h"
#include "runs/progress.h"
#include "runs/remote_run.h"
#include "runs/run_reader.h"
#include "runs/script_rules.h"

namespace slipway {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLeastLook{50}, kMostLook{500}; // between two checks whether the run has ended
constexpr double kSlowStep = 3, kEvaluatedStep = 10;                // limits, as multiples of the usual step time

// What would be lost if the run ended now.
struct UnderWay {
    bool checkpoint = false;     // the run reacts: it writes a checkpoint, or ends
    bool firstStep = false;      // the attempt has started and has not ended its first step, which can take any time
    std::optional<Seconds> step; // the usual step time, if the last step ended recently
};

UnderWay underWay(const RunPaths &paths)
{
    const Result<RunData> run = readRun(paths.directory, RunReader::Extent::Ends);
    UnderWay found;
    if (!run)
        return found;
    const int attempt = run->metrics.empty() ? -1 : run->metrics.back().attempt; // of the last step
    for (const RunEvent &event : run->events) {
        if (event.kind == "stopping") {
            found.checkpoint = true;
        } else if (event.kind == "started" || event.kind == "resumed") {
            found.checkpoint = false; // of an earlier attempt
            found.firstStep = event.attempt > attempt;
        }
    }
    const Progress progress = progressOf(*run);
    const auto last = run->metrics.empty() ? std::nullopt : fromIso8601(run->metrics.back().time);
    if (!progress.stepSeconds || !last)
        return found;
    const std::int64_t every = run->config ? run->config->training.evalEvery : 0;
    const double most =
        *progress.stepSeconds * (every > 0 && (progress.step + 1) % every == 0 ? kEvaluatedStep : kSlowStep);
    if (std::chrono::duration<double>(nowOnHostOf(paths, std::chrono::system_clock::now()) - *last).count() < most)
        found.step = progress.stepSeconds;
    return found;
}

// Where a run that was killed would resume.
std::string lostBy(const RunPaths &paths)
{
    const Result<RunData> run = readRun(paths.directory, RunReader::Extent::Ends);
    if (!run || run->metrics.empty())
        return "killed";
    const std::int64_t step = progressOf(*run).step;
    std::int64_t saved = 0;
    for (const RunEvent &event : run->events) {
        if (event.kind == "checkpoint" && event.step)
            saved = *event.step;
    }
    if (saved >= step)
        return "killed; its checkpoint holds all of its " + std::to_string(step) + " steps";
    return "killed at step " + std::to_string(step) + "; it resumes from " +
           (saved > 0 ? "its checkpoint of step " + std::to_string(saved)
                      : "the beginning, because it has no checkpoint");
}

class Stop {
public:
    Stop(RunPaths paths, Host &host, const StopTimeouts &timeouts,
        const std::function<void(const std::string &)> &report)
        : m_paths(std::move(paths)),
          m_host(host),
          m_timeouts(timeouts),
          m_report(report)
    {
    }

    RunStatus byRequest();
    RunStatus byItsSignal(const StopRule &rule);
    Result<RunStatus> bySignals();

private:
    void reportTo(const std::string &text) const
    {
        if (m_report)
            m_report(text);
    }
    [[nodiscard]] bool hasEnded() const { return isTerminal(m_host.status(m_paths).state); }
    void pause() const { std::this_thread::sleep_for(std::clamp(m_host.refreshInterval() / 4, kLeastLook, kMostLook)); }
    bool waitForEnd(std::chrono::milliseconds timeout) const;
    bool waitsFor(const UnderWay &busy, Clock::duration waited);
    // Also ends processes that the trainer started and left behind.
    RunStatus ended() const
    {
        [[maybe_unused]] const Result<void> swept = m_host.signalGroup(m_paths, SIGKILL);
        return m_host.status(m_paths);
    }

    RunPaths m_paths;
    Host &m_host;
    const StopTimeouts &m_timeouts;
    const std::function<void(const std::string &)> &m_report;
    std::string m_reportedWork;
};

bool Stop::waitForEnd(std::chrono::milliseconds timeout) const
{
    for (const auto until = Clock::now() + timeout; !hasEnded(); pause()) {
        if (Clock::now() >= until)
            return false;
    }
    return true;
}

// Whether to wait longer for what would be lost.
bool Stop::waitsFor(const UnderWay &busy, Clock::duration waited)
{
    const bool works = busy.checkpoint || busy.firstStep || busy.step;
    const std::string what = busy.checkpoint  ? "it writes a checkpoint"
                             : busy.firstStep ? "waits for the first step to end"
                             : busy.step
                                 ? "a step takes " + formatSeconds(*busy.step) + "; waits for the current step to end"
                                 : "";
    if (!works || waited >= m_timeouts.requestTimeout + m_timeouts.workTimeout)
        return false;
    if (m_reportedWork != what)
        reportTo(what);
    m_reportedWork = what;
    return true;
}

// Returns a terminal status if the run ended on request; otherwise one that is not terminal.
RunStatus Stop::byRequest()
{
    if (const Result<void> asked = m_host.requestStop(m_paths); !asked) {
        reportTo(asked.error().message() + ". Continues with signals"); // a full disk must not keep a run alive
        return m_host.status(m_paths);
    }
    if (const Result<ScriptRules> rules = readScriptRules(m_paths); rules)
        return byItsSignal(rules->script.stop);
    if (m_timeouts.requestTimeout.count() > 0)
        reportTo("requested a checkpoint and a clean end");
    for (const auto begin = Clock::now(); !hasEnded(); pause()) {
        const auto waited = Clock::now() - begin;
        if (waited >= m_timeouts.requestTimeout &&
            (m_timeouts.workTimeout.count() == 0 || !waitsFor(underWay(m_paths), waited)))
            return m_host.status(m_paths);
    }
    return ended();
}

// Other training scripts read no file. Their framework reacts to a signal, within the time that its profile gives.
RunStatus Stop::byItsSignal(const StopRule &rule)
{
    if (m_timeouts.requestTimeout.count() == 0)
        return m_host.status(m_paths);
    const int number = rule.signal == "INT"    ? SIGINT
                       : rule.signal == "USR1" ? SIGUSR1
                       : rule.signal == "USR2" ? SIGUSR2
                                               : SIGTERM;
    const std::chrono::milliseconds own = std::chrono::seconds(rule.waitSeconds);
    const auto timeout = std::max({m_timeouts.requestTimeout, own, m_timeouts.workTimeout});
    reportTo("sends SIG" + (rule.signal.empty() ? "TERM" : rule.signal) + " and waits up to " +
             formatSeconds(std::chrono::duration<double>(timeout).count()));
    if (const Result<void> sent = m_host.signalGroup(m_paths, number); !sent)
        reportTo(sent.error().message());
    return waitForEnd(timeout) ? ended() : m_host.status(m_paths);
}

Result<RunStatus> Stop::bySignals()
{
    const bool atCheckpoint = underWay(m_paths).checkpoint; // SIGTERM would request the same
    const struct {
        int number;
        const char *name;
        std::chrono::milliseconds timeout;
    } means[] = {{SIGTERM, "SIGTERM", m_timeouts.termTimeout}, {SIGKILL, "SIGKILL", m_timeouts.killTimeout}};
    for (const auto &one : means) {
        const bool quiet = atCheckpoint && one.number == SIGTERM;
        reportTo(quiet ? "it still writes its checkpoint" : std::string("sends ") + one.name);
        if (const Result<void> sent = quiet ? Result<void>() : m_host.signalGroup(m_paths, one.number);
            !sent && !hasEnded())
            return sent.error();
        if (!waitForEnd(one.timeout))
            continue;
        const RunStatus status = ended();
        if (one.number == SIGKILL)
            reportTo(lostBy(m_paths));
        return status;
    }
    return Error{.what = "still runs after SIGKILL", .where = m_paths.directory.string(), .fault = Fault::Outside};
}

} // namespace

Result<RunStatus> stopRun(const std::filesystem::path &directory, Host &host, const StopTimeouts &timeouts,
    const std::function<void(const std::string &)> &report)
{
    const RunPaths paths{directory};
    const RunStatus before = host.status(paths);
    if (isTerminal(before.state))
        return before;
    if (const Result<ScriptRules> rules = readScriptRules(paths); rules && rules->attached)
        return Error{.what = "was started without Slipway; only its log is followed",
            .where = directory.string(),
            .accepted = "a run that slipway launch has started; stop this one where it runs"};
    if (before.state == RunState::Draft)
        return Error{.what = "was never started", .where = directory.string()};
    if (before.state == RunState::Unknown)
        return Error{
            .what = "cannot be stopped: " + before.detail, .where = directory.string(), .fault = Fault::Outside};
    Stop stop(paths, host, timeouts, report);
    const RunStatus asked = stop.byRequest();
    return isTerminal(asked.state) ? asked : stop.bySignals();
}

} // namespace slipway
