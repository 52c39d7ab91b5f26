// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The plan of another training script, as a command line or a file gives it.
#pragma once

#include <set>
#include <string>

#include "cli/commands.h"
#include "hosts/script_plan.h"

namespace slipway::cli {

// Keys that the file or a flag sets.
std::set<std::string> keysOf(const ConfigSource &source);

// Says on standard error what was read from the command, and what is missing for a prediction. `config`: of the source,
// with its command.
Result<ScriptPlan> scriptPlanFrom(const LaunchOptions &options, RunConfig config);

} // namespace slipway::cli
