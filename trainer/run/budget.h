// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <optional>

#include "base/result.h"
#include "base/units.h"
#include "config/run_config.h"
#include "runs/run_directory.h"

namespace slipway {

// The time until `stop_at_usd` is spent, at the price per hour of the run's plan. Earlier attempts count as they are
// billed (progress.h). Empty: there is no such limit. An error if the plan has no price.
Result<std::optional<Seconds>> secondsOfBudget(const RunPaths &paths, const RunConfig &config);

} // namespace slipway
