// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/budget.h"

#include <chrono>
#include <map>

#include "runs/run_reader.h"

namespace slipway {

namespace {

using Clock = std::chrono::system_clock;

Seconds secondsTaken(const RunData &run)
{
    struct Span {
        Clock::time_point begin = Clock::time_point::max(), end = Clock::time_point::min();
    };
    std::map<int, Span> attempts;
    const auto take = [&attempts](const StepMetrics &step) {
        const auto end = fromIso8601(step.time);
        if (!end)
            return;
        Span &span = attempts[step.attempt];
        span.begin = std::min(span.begin, *end - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(step.stepSeconds)));
        span.end = std::max(span.end, *end);
    };
    for (const StepMetrics &step : run.metrics)
        take(step);
    for (const StepMetrics &step : run.superseded)
        take(step);
    Seconds taken = 0;
    for (const auto &[attempt, span] : attempts)
        taken += std::chrono::duration<double>(span.end - span.begin).count();
    return taken;
}

} // namespace

Result<std::optional<Seconds>> secondsOfBudget(const RunPaths &paths, const RunConfig &config)
{
    const std::optional<Usd> limit = config.training.stopAtUsd;
    if (!limit)
        return std::optional<Seconds>();
    const Result<RunData> run = readRun(paths.directory);
    if (!run)
        return run.error();
    const bool priced = run->prediction && run->prediction->cost.usdPerHour && *run->prediction->cost.usdPerHour > 0 && !run->prediction->cost.relative;
    if (!priced)
        return Error{.what = "stop_at_usd: prediction.json has no price per hour to hold it against", .where = paths.config().string(), .accepted = "a `prices` book with a price for this card"};
    return std::optional(*limit / *run->prediction->cost.usdPerHour * 3600 - secondsTaken(*run));
}

} // namespace slipway
