// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The command of another training script as a run starts it: in its folder, with its environment, its two outputs in
// out.log, and beside it a clock that notes how its log grows. POSIX sh and coreutils are all that it needs on its
// host.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "runs/script_rules.h"

namespace slipway {

// Of a shell: newest_metrics FOLDER [TEST OF find...] prints the file with metrics that was written to last.
extern const char *const newestMetricsFunction;

// Names of variables and the command itself, before anything is written.
Result<void> checkScript(const RunConfig &config);

// The command as words: one line goes through a shell. `resume`: with what makes it go on from its last checkpoint.
std::vector<std::string> scriptWords(const RunConfig &config, const ScriptRules &rules, bool resume);

// The whole argv for StartRequest: sh -c SCRIPT slipway-script WORKDIR LOG LIMIT SIGNAL WAIT COUNT NAME=VALUE...
// COMMAND..., in the run's directory. `before`: words that run the command, such as srun with its options.
std::vector<std::string> scriptCommand(
    const RunConfig &config, const ScriptRules &rules, bool resume, const std::vector<std::string> &before = {});

} // namespace slipway
