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

namespace slipway {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLeastLook{50}, kMostLook{500}; // between two looks whether a run has ended
constexpr double kSlowStep = 3, kEvaluatedStep = 10; // as often the usual time may it take

// What would be lost if the run were ended now.
struct UnderWay {
    bool checkpoint = false;           // it has heeded: it writes one, or ends
    std::optional<Seconds> step;       // the usual time of one, where the last one ended not long ago
};

UnderWay underWay(const RunPaths &paths)
{
    const Result<RunData> run = readRun(paths.directory, RunReader::Extent::Ends);
    UnderWay found;
    if (!run)
        return found;
    for (const RunEvent &event : run->events) {
        if (event.kind == "stopping")
            found.checkpoint = true;
        else if (event.kind == "started" || event.kind == "resumed")
            found.checkpoint = false; // of an earlier attempt
    }
    const Progress progress = progressOf(*run);
    const auto last = run->metrics.empty() ? std::nullopt : fromIso8601(run->metrics.back().time);
    if (!progress.stepSeconds || !last)
        return found;
    const std::int64_t every = run->config ? run->config->training.evalEvery : 0;
    const double most = *progress.stepSeconds * (every > 0 && (progress.step + 1) % every == 0 ? kEvaluatedStep : kSlowStep);
    if (std::chrono::duration<double>(nowOnHostOf(paths, std::chrono::system_clock::now()) - *last).count() < most)
        found.step = progress.stepSeconds;
    return found;
}

class Stop {
public:
    Stop(RunPaths paths, Host &host, const StopPatience &patience, const std::function<void(const std::string &)> &told)
        : m_paths(std::move(paths)), m_host(host), m_patience(patience), m_told(told) {}

    Result<RunStanding> byRequest();
    Result<RunStanding> bySignals();

private:
    void tell(const std::string &text) const
    {
        if (m_told)
            m_told(text);
    }
    [[nodiscard]] bool hasEnded() const { return isTerminal(m_host.standing(m_paths).state); }
    void pause() const { std::this_thread::sleep_for(std::clamp(m_host.pace() / 4, kLeastLook, kMostLook)); }
    bool waitForEnd(std::chrono::milliseconds patience) const;
    bool waitForStep(const UnderWay &busy);
    // What the trainer had started and left behind goes too.
    RunStanding ended() const
    {
        [[maybe_unused]] const Result<void> swept = m_host.signalGroup(m_paths, SIGKILL);
        return m_host.standing(m_paths);
    }

    RunPaths m_paths;
    Host &m_host;
    const StopPatience &m_patience;
    const std::function<void(const std::string &)> &m_told;
    bool m_toldOfStep = false;
};

bool Stop::waitForEnd(std::chrono::milliseconds patience) const
{
    for (const auto until = Clock::now() + patience; !hasEnded(); pause()) {
        if (Clock::now() >= until)
            return false;
    }
    return true;
}

bool Stop::waitForStep(const UnderWay &busy)
{
    if (busy.step && !m_toldOfStep)
        tell("a step takes " + formatSeconds(*busy.step) + "; waits for the end of the one under way, as --now does not");
    m_toldOfStep = m_toldOfStep || busy.step;
    return busy.step.has_value();
}

// Where it ended so; an error where it is still at its checkpoint; a standing that is not terminal where it did not heed.
Result<RunStanding> Stop::byRequest()
{
    if (const Result<void> asked = m_host.requestStop(m_paths); !asked) {
        tell(asked.error().message() + "; going on with signals"); // a full disk must not keep a run alive
        return m_host.standing(m_paths);
    }
    tell("asked for a checkpoint and a clean end");
    const auto begin = Clock::now();
    for (bool heeded = false; !hasEnded(); pause()) {
        const auto waited = Clock::now() - begin;
        if (waited < m_patience.forRequest)
            continue;
        const UnderWay busy = m_patience.forCheckpoint.count() > 0 ? underWay(m_paths) : UnderWay();
        if (!busy.checkpoint && !waitForStep(busy))
            return m_host.standing(m_paths);
        if (busy.checkpoint && !heeded)
            tell("it writes a checkpoint");
        heeded = busy.checkpoint;
        if (busy.checkpoint && waited >= m_patience.forRequest + m_patience.forCheckpoint)
            return Error{.what = "has not ended yet: its checkpoint is still being written. It ends once that is done; `slipway stop --now` ends it without", .where = m_paths.directory.string(), .fault = Fault::Outside};
    }
    return ended();
}

Result<RunStanding> Stop::bySignals()
{
    const struct { int number; const char *name; std::chrono::milliseconds patience; } means[] = {
        {SIGTERM, "SIGTERM", m_patience.forTerm}, {SIGKILL, "SIGKILL", m_patience.forKill}};
    for (const auto &one : means) {
        tell(std::string("sends ") + one.name);
        if (const Result<void> sent = m_host.signalGroup(m_paths, one.number); !sent && !hasEnded())
            return sent.error();
        if (waitForEnd(one.patience))
            return ended();
    }
    return Error{.what = "still runs after SIGKILL", .where = m_paths.directory.string(), .fault = Fault::Outside};
}

} // namespace

Result<RunStanding> stopRun(const std::filesystem::path &directory, Host &host, const StopPatience &patience, const std::function<void(const std::string &)> &told)
{
    const RunPaths paths{directory};
    const RunStanding before = host.standing(paths);
    if (isTerminal(before.state))
        return before;
    if (before.state == RunState::Draft)
        return Error{.what = "was never started", .where = directory.string()};
    if (before.state == RunState::Unknown)
        return Error{.what = "cannot be stopped: " + before.detail, .where = directory.string(), .fault = Fault::Outside};
    Stop stop(paths, host, patience, told);
    const Result<RunStanding> asked = stop.byRequest();
    return !asked || isTerminal(asked->state) ? asked : stop.bySignals();
}

} // namespace slipway
