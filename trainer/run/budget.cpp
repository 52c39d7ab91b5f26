// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/budget.h"

#include "runs/progress.h"

namespace slipway {

Result<std::optional<Seconds>> secondsOfBudget(const RunPaths &paths, const RunConfig &config)
{
    const std::optional<Usd> limit = config.training.stopAtUsd;
    if (!limit)
        return std::optional<Seconds>();
    const Result<RunData> run = readRun(paths.directory);
    if (!run)
        return run.error();
    const bool priced = run->prediction && run->prediction->cost.usdPerHour && *run->prediction->cost.usdPerHour > 0 &&
                        !run->prediction->cost.relative;
    if (!priced)
        return Error{.what = "stop_at_usd: prediction.json has no price per hour to compare with",
            .where = paths.config().string(),
            .accepted = "a `prices` book with a price for this GPU"};
    return std::optional(*limit / *run->prediction->cost.usdPerHour * 3600 - billedSeconds(*run));
}

} // namespace slipway
