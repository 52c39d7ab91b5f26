// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <optional>

#include "base/result.h"
#include "base/units.h"
#include "config/run_config.h"
#include "runs/run_directory.h"

namespace slipway {

// How long the run may go on until `stop_at_usd` is spent, by the price per hour that it was planned with. What earlier
// attempts took counts as it is billed (progress.h). Empty: there is no such limit. Fails where there is no price.
Result<std::optional<Seconds>> secondsOfBudget(const RunPaths &paths, const RunConfig &config);

} // namespace slipway
