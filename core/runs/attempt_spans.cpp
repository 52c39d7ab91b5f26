// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/attempt_spans.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "runs/progress.h"

namespace slipway {

namespace {

struct Span {
    double begin = std::numeric_limits<double>::infinity(), end = -begin;
    void take(double time, Seconds step)
    {
        if (!std::isfinite(time))
            return;
        begin = std::min(begin, time - (std::isfinite(step) ? step * 1000 : 0));
        end = std::max(end, time);
    }
};

} // namespace

std::vector<AttemptSpan> attemptSpans(const RunData &run)
{
    std::map<int, Span> attempts;
    const StepTable &steps = run.metrics;
    const Column *const seconds = steps.column({Quantity::StepSeconds});
    for (std::size_t first = 0, end = 0; first < steps.size(); first = end) {
        end = steps.attemptEnd(first);
        Span &span = attempts[steps.attempt(first)];
        for (std::size_t i = first; i < end; ++i)
            span.take(steps.times()[i], (*seconds)[i]);
    }
    for (const StepMetrics &step : run.superseded) {
        if (const auto time = fromIso8601(step.time))
            attempts[step.attempt].take(
                std::chrono::duration<double, std::milli>(time->time_since_epoch()).count(), step.stepSeconds);
    }
    std::vector<AttemptSpan> spans;
    for (const auto &[attempt, span] : attempts) {
        if (span.begin <= span.end)
            spans.push_back({.begin = span.begin, .end = span.end});
    }
    std::sort(spans.begin(), spans.end(), [](const AttemptSpan &a, const AttemptSpan &b) { return a.begin < b.begin; });
    return spans;
}

Interruptions interruptionsOf(const RunData &run)
{
    Interruptions lost;
    const std::vector<AttemptSpan> spans = attemptSpans(run);
    if (spans.size() < 2)
        return lost;
    lost.count = static_cast<int>(spans.size()) - 1;
    for (const StepMetrics &step : run.superseded)
        lost.redone += std::isfinite(step.stepSeconds) && step.stepSeconds > 0 ? step.stepSeconds : 0;
    double end = spans.front().end;
    lost.billed = lost.redone;
    for (const AttemptSpan &span : spans) {
        const double pause = std::max(0.0, span.begin - end);
        lost.between += pause / 1000;
        lost.billed += pause > kKeptFor ? 0 : pause / 1000;
        end = std::max(end, span.end);
    }
    if (const Seconds all = billedSeconds(run); all > 0)
        lost.goodput = std::clamp(1 - lost.billed / all, 0.0, 1.0);
    if (!run.prediction)
        return lost;
    const CostPrediction &cost = run.prediction->cost;
    lost.plannedGoodput = cost.goodput;
    if (cost.usdPerHour && !cost.relative)
        lost.usd = *cost.usdPerHour * lost.billed / 3600;
    return lost;
}

std::string interruptionsText(const Interruptions &lost)
{
    if (lost.count == 0)
        return "";
    return fmt::format("{} in {} interruption{}: {} of steps done again, {} between attempts{}",
        formatSeconds(lost.lost()), lost.count, lost.count == 1 ? "" : "s", formatSeconds(lost.redone),
        formatSeconds(lost.between), lost.usd ? "; " + formatUsd(*lost.usd) : "");
}

std::string goodputText(const Interruptions &lost)
{
    if (!lost.goodput)
        return "";
    return fmt::format("{:.1f} %", *lost.goodput * 100) +
           (lost.plannedGoodput ? fmt::format(", planned {:.1f} %", *lost.plannedGoodput * 100) : "");
}

} // namespace slipway
