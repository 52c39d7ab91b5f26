// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/alerts.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "runs/progress.h"
#include "runs/remote_run.h"
#include "runs/slow_down.h"
#include "runs/slow_reasons.h"

namespace slipway {

namespace {

void lossAlert(const RunSummary &summary, std::vector<Alert> &alerts)
{
    if (!summary.firstNotFinite)
        return;
    const char *const what = summary.firstNotFiniteIsLoss ? "loss" : "gradient norm";
    alerts.push_back({.kind = AlertKind::LossNotFinite,
        .message = fmt::format("the {} has not been finite since step {}", what, *summary.firstNotFinite),
        .step = *summary.firstNotFinite});
}

bool isStart(const RunEvent &event) { return event.kind == "started" || event.kind == "resumed"; }

// Returns the time since which a step is due: that of the last step, or of the latest start if that came later. While a
// stopped run starts again, none is due.
std::optional<std::chrono::system_clock::time_point> stepDueSince(const RunData &run)
{
    const auto step = fromIso8601(run.metrics.back().time);
    const auto turn = std::find_if(run.events.rbegin(), run.events.rend(),
        [](const RunEvent &event) { return isStart(event) || event.kind == "stopping"; });
    if (!step || turn == run.events.rend())
        return step;
    if (!isStart(*turn))
        return std::nullopt;
    const auto start = fromIso8601(turn->time);
    return start && *start > *step ? start : step;
}

// Reports another training script that has logged no step since its start. Slipway's trainer itself reports what it
// does before the first step.
void silenceAlert(const RunData &run, std::chrono::system_clock::time_point now, std::vector<Alert> &alerts)
{
    constexpr Seconds kSilentFor = 600;
    const bool script = run.config && run.config->training.runsScript();
    if (run.state() != RunState::Running || !run.metrics.empty() || !script)
        return;
    const auto start = std::find_if(run.events.rbegin(), run.events.rend(), isStart);
    const auto began = start == run.events.rend() ? std::nullopt : fromIso8601(start->time);
    const Seconds silent = began ? std::chrono::duration<double>(now - *began).count() : 0;
    if (silent < kSilentFor)
        return;
    alerts.push_back({.kind = AlertKind::Stalled,
        .message = fmt::format("no step in the {} since the start. The log shows the output of the script; if it is "
                               "empty, the script buffers its output or has not begun to train",
            formatSeconds(silent)),
        .step = 0});
}

void stallAlert(const RunData &run, const Progress &progress, std::chrono::system_clock::time_point now,
    const AlertRules &rules, std::vector<Alert> &alerts)
{
    if (run.state() != RunState::Running || run.metrics.empty())
        return;
    const Seconds stepSeconds = progress.stepSeconds.value_or(run.metrics.back().stepSeconds);
    const auto due = stepDueSince(run);
    if (!due)
        return;
    const Seconds silent = std::chrono::duration<double>(now - *due).count();
    if (silent < std::max(rules.stallFloor, rules.stallFactor * stepSeconds))
        return;
    alerts.push_back({.kind = AlertKind::Stalled,
        .message = fmt::format("no step for {}; a step takes {}", formatSeconds(silent), formatSeconds(stepSeconds)),
        .step = progress.step});
}

void speedAlert(const RunData &run, const RunSummary &summary, const AlertRules &rules, std::vector<Alert> &alerts)
{
    if (!run.prediction || !summary.steadyStepSeconds || static_cast<int>(run.metrics.size()) < rules.settledSteps)
        return;
    const SpeedPrediction &speed = run.prediction->speed;
    if (speed.stepP90 <= 0 || *summary.steadyStepSeconds <= speed.stepP90 * rules.slowFactor)
        return;
    std::string message = fmt::format("a step takes {}; the prediction is {}, at most {}",
        formatSeconds(*summary.steadyStepSeconds), formatSeconds(speed.step), formatSeconds(speed.stepP90));
    for (std::string reason : slowReasons(run)) {
        reason[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(reason[0]))); // it begins a sentence
        message += ". " + reason;
    }
    alerts.push_back({.kind = AlertKind::SlowerThanPredicted, .message = std::move(message), .step = summary.steps});
}

void memoryAlert(const RunData &run, const RunSummary &summary, const AlertRules &rules, std::vector<Alert> &alerts)
{
    const Bytes capacity = run.prediction ? run.prediction->memory.capacity : 0;
    const std::optional<Bytes> used = summary.peakDeviceUsed ? summary.peakDeviceUsed : summary.peakReserved;
    if (capacity <= 0 || !used || static_cast<double>(*used) < rules.memoryFraction * static_cast<double>(capacity))
        return;
    alerts.push_back({.kind = AlertKind::MemoryNearLimit,
        .message = fmt::format("{} of {} in use", formatBytes(*used), formatBytes(capacity)),
        .step = summary.steps});
}

void limitAlerts(const RunData &run, const RunSummary &summary, const Progress &progress, const AlertRules &rules,
    std::vector<Alert> &alerts)
{
    if (!run.config)
        return;
    const TrainingChoice &training = run.config->training;
    const bool ended = isTerminal(run.state());
    const Seconds left = ended ? 0 : progress.remaining.value_or(0), expected = summary.wallSeconds + left;
    if (training.usdLimit && summary.usdSoFar && run.prediction->cost.usdPerHour) {
        const Usd end = *run.prediction->cost.usdPerHour * (summary.billedSeconds + left) / 3600;
        if (end > *training.usdLimit * rules.budgetFraction) {
            alerts.push_back({.kind = AlertKind::OverBudget,
                .message = fmt::format("{} spent, {} expected in total; the limit is {}", formatUsd(*summary.usdSoFar),
                    formatUsd(end), formatUsd(*training.usdLimit)),
                .step = summary.steps});
        }
    }
    if (training.timeLimit && expected > *training.timeLimit * rules.timeFraction) {
        alerts.push_back({.kind = AlertKind::OverTime,
            .message = fmt::format(
                "{} expected in total; the limit is {}", formatSeconds(expected), formatSeconds(*training.timeLimit)),
            .step = summary.steps});
    }
}

void baselineAlert(const RunData &run, const AlertRules &rules, std::vector<Alert> &alerts)
{
    if (run.state() != RunState::Running)
        return;
    if (const std::optional<SlowDown> slow = slowDownOf(run.metrics, rules.baselineFactor, rules.baselineFor)) {
        alerts.push_back({.kind = AlertKind::SlowerThanBaseline,
            .message = fmt::format("a step has taken {} since step {}; before, it took {}", formatSeconds(slow->recent),
                slow->since, formatSeconds(slow->usual)),
            .step = slow->since});
    }
}

bool idleStep(const StepMetrics &step, double threshold)
{
    bool known = false;
    for (const GpuSample &gpu : step.gpus) {
        if (!gpu.utilisation)
            continue;
        known = true;
        if (*gpu.utilisation / 100.0 >= threshold)
            return false;
    }
    return known;
}

// Reports that the node is paid for but computes nothing: no step arrives, or steps arrive and no GPU is busy.
void idleAlert(const RunData &run, const Progress &progress, std::chrono::system_clock::time_point now,
    const AlertRules &rules, std::vector<Alert> &alerts)
{
    if (run.state() != RunState::Running || run.metrics.empty() || !run.prediction || run.prediction->cost.relative)
        return;
    const std::optional<Usd> price = run.prediction->cost.usdPerHour;
    const auto due = stepDueSince(run);
    if (!price || *price <= 0 || !due)
        return;
    auto idleSince = *due;
    bool gpusKnown = false;
    const bool stepped = due == fromIso8601(run.metrics.back().time); // since the latest start
    for (std::size_t i = stepped ? run.metrics.size() : 0; i-- > 0;) {
        const StepMetrics step = run.metrics[i];
        if (!idleStep(step, rules.idleUse))
            break;
        gpusKnown = true;
        idleSince = fromIso8601(step.time).value_or(idleSince);
    }
    const Seconds idle = std::chrono::duration<double>(now - idleSince).count();
    const Seconds usual = progress.stepSeconds.value_or(run.metrics.back().stepSeconds);
    if (idle < rules.idleAfter || (!gpusKnown && idle < rules.stallFactor * usual))
        return;
    alerts.push_back({.kind = AlertKind::IdleBilled,
        .message = fmt::format("the node has been idle for {} at {} per hour: {} wasted", formatSeconds(idle),
            formatUsd(*price), formatUsd(*price * idle / 3600)),
        .step = progress.step});
}

void checkpointAlert(const RunData &run, const Progress &progress, std::vector<Alert> &alerts)
{
    std::optional<std::int64_t> saved;
    const RunEvent *failed = nullptr;
    for (const RunEvent &event : run.events) {
        if (event.kind == "checkpoint") {
            saved = event.step;
            failed = nullptr; // a later checkpoint was written
        } else if ((event.kind == "fault" || event.kind == "alert") &&
                   event.message.find("checkpoint") != std::string::npos) {
            failed = &event;
        }
    }
    if (failed) {
        alerts.push_back({.kind = AlertKind::CheckpointFailing,
            .message = failed->message,
            .step = failed->step.value_or(progress.step)});
        return;
    }
    const std::int64_t every = run.config ? run.config->training.checkpointEvery : 0;
    if (run.state() != RunState::Running || every <= 0 || progress.step - saved.value_or(0) < 2 * every)
        return;
    alerts.push_back({.kind = AlertKind::CheckpointFailing,
        .message = fmt::format("no checkpoint since step {}; one is due every {} steps", saved.value_or(0), every),
        .step = progress.step});
}

} // namespace

std::vector<Alert> alertsOf(const RunData &run, std::chrono::system_clock::time_point now, const AlertRules &rules)
{
    return alertsOf(run, summaryOf(run), now, rules);
}

std::vector<Alert> alertsOf(const RunData &run, const RunSummary &summary, std::chrono::system_clock::time_point ourNow,
    const AlertRules &rules)
{
    const auto now = nowOnHostOf(run.paths, ourNow); // the run's times come from its host's clock
    std::vector<Alert> alerts;
    const Progress progress = progressOf(run);
    if (run.state() == RunState::Lost)
        alerts.push_back({.kind = AlertKind::Lost, .message = run.status.detail, .step = progress.step});
    lossAlert(summary, alerts);
    silenceAlert(run, now, alerts);
    stallAlert(run, progress, now, rules, alerts);
    speedAlert(run, summary, rules, alerts);
    baselineAlert(run, rules, alerts);
    memoryAlert(run, summary, rules, alerts);
    limitAlerts(run, summary, progress, rules, alerts);
    idleAlert(run, progress, now, rules, alerts);
    checkpointAlert(run, progress, alerts);
    std::erase_if(alerts, [&](const Alert &alert) {
        return std::find(rules.off.begin(), rules.off.end(), alert.kind) != rules.off.end();
    });
    return alerts;
}

} // namespace slipway
