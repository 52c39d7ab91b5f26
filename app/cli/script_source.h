// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Plans for another training script, which is given as a command line or in a file.
#pragma once

#include <set>
#include <string>

#include "cli/commands.h"
#include "hosts/script_plan.h"

namespace slipway::cli {

// Returns the keys that the file or a flag sets.
std::set<std::string> keysOf(const ConfigSource &source);

// Prints to standard error which settings were read from the command, and which are missing for a prediction. `config`
// is the configuration of the source, including its command.
Result<ScriptPlan> scriptPlanFrom(const LaunchOptions &options, RunConfig config);

} // namespace slipway::cli
