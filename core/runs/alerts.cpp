// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/alerts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "runs/progress.h"

namespace slipway {

namespace {

void lossAlert(const RunData &run, std::vector<Alert> &alerts)
{
    for (const StepMetrics &step : run.metrics) {
        if (std::isfinite(step.loss) && std::isfinite(step.gradNorm))
            continue;
        const char *const what = std::isfinite(step.loss) ? "gradient norm" : "loss";
        alerts.push_back({.kind = AlertKind::LossNotFinite, .message = fmt::format("the {} is not finite since step {}", what, step.step), .step = step.step});
        return;
    }
}

void stallAlert(const RunData &run, const Progress &progress, std::chrono::system_clock::time_point now, const AlertRules &rules, std::vector<Alert> &alerts)
{
    if (run.state() != RunState::Running || run.metrics.empty())
        return;
    const Seconds stepSeconds = progress.stepSeconds.value_or(run.metrics.back().stepSeconds);
    const auto last = fromIso8601(run.metrics.back().time);
    if (!last)
        return;
    const Seconds silent = std::chrono::duration<double>(now - *last).count();
    if (silent < std::max(rules.stallFloor, rules.stallFactor * stepSeconds))
        return;
    alerts.push_back({.kind = AlertKind::Stalled,
        .message = fmt::format("no step for {}; a step takes {}", formatSeconds(silent), formatSeconds(stepSeconds)), .step = progress.step});
}

void speedAlert(const RunData &run, const RunSummary &summary, const AlertRules &rules, std::vector<Alert> &alerts)
{
    if (!run.prediction || !summary.steadyStepSeconds || static_cast<int>(run.metrics.size()) < rules.settledSteps)
        return;
    const SpeedPrediction &speed = run.prediction->speed;
    if (speed.stepP90 <= 0 || *summary.steadyStepSeconds <= speed.stepP90)
        return;
    alerts.push_back({.kind = AlertKind::SlowerThanPredicted,
        .message = fmt::format("a step takes {}; predicted were {}, at most {}", formatSeconds(*summary.steadyStepSeconds), formatSeconds(speed.step),
            formatSeconds(speed.stepP90)),
        .step = summary.steps});
}

void memoryAlert(const RunData &run, const RunSummary &summary, const AlertRules &rules, std::vector<Alert> &alerts)
{
    const Bytes capacity = run.prediction ? run.prediction->memory.capacity : 0;
    const std::optional<Bytes> used = summary.peakDeviceUsed ? summary.peakDeviceUsed : summary.peakReserved;
    if (capacity <= 0 || !used || static_cast<double>(*used) < rules.memoryFraction * static_cast<double>(capacity))
        return;
    alerts.push_back({.kind = AlertKind::MemoryNearLimit, .message = fmt::format("{} of {} in use", formatBytes(*used), formatBytes(capacity)), .step = summary.steps});
}

void limitAlerts(const RunData &run, const RunSummary &summary, const Progress &progress, std::vector<Alert> &alerts)
{
    if (!run.config)
        return;
    const TrainingChoice &training = run.config->training;
    const bool ended = isTerminal(run.state());
    const Seconds expected = summary.wallSeconds + (ended ? 0 : progress.remaining.value_or(0));
    if (training.usdLimit && summary.usdSoFar && run.prediction->cost.usdPerHour) {
        const Usd end = *run.prediction->cost.usdPerHour * expected / 3600;
        if (end > *training.usdLimit) {
            alerts.push_back({.kind = AlertKind::OverBudget,
                .message = fmt::format("{} spent, {} expected in all; the limit is {}", formatUsd(*summary.usdSoFar), formatUsd(end), formatUsd(*training.usdLimit)),
                .step = summary.steps});
        }
    }
    if (training.timeLimit && expected > *training.timeLimit) {
        alerts.push_back({.kind = AlertKind::OverTime,
            .message = fmt::format("{} expected in all; the limit is {}", formatSeconds(expected), formatSeconds(*training.timeLimit)), .step = summary.steps});
    }
}

} // namespace

std::vector<Alert> alertsOf(const RunData &run, std::chrono::system_clock::time_point now, const AlertRules &rules)
{
    std::vector<Alert> alerts;
    const Progress progress = progressOf(run);
    const RunSummary summary = summaryOf(run);
    if (run.state() == RunState::Lost)
        alerts.push_back({.kind = AlertKind::Lost, .message = run.standing.detail, .step = progress.step});
    lossAlert(run, alerts);
    stallAlert(run, progress, now, rules, alerts);
    speedAlert(run, summary, rules, alerts);
    memoryAlert(run, summary, rules, alerts);
    limitAlerts(run, summary, progress, alerts);
    return alerts;
}

} // namespace slipway
