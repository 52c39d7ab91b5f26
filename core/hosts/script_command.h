// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Builds the command that starts another training script: in its folder, with its environment, and with standard output
// and standard error in out.log. A second process records how the log grows. On the host it needs only POSIX sh and
// coreutils.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "runs/script_rules.h"

namespace slipway {

// A shell function: newest_metrics FOLDER [TEST OF find...] prints the metrics file that was written to last.
extern const char *const newestMetricsFunction;

// Validates the environment variable names and the command before anything is written.
Result<void> checkScript(const RunConfig &config);

// The command as a list of arguments; a command given as one line is passed to a shell. `resume`: adds the arguments
// with which it continues from its latest checkpoint.
std::vector<std::string> scriptWords(const RunConfig &config, const ScriptRules &rules, bool resume);

// The whole argv for StartRequest: sh -c SCRIPT slipway-script WORKDIR LOG LIMIT SIGNAL WAIT COUNT NAME=VALUE...
// COMMAND..., in the run directory. `before`: a prefix of the command, such as srun with its options.
std::vector<std::string> scriptCommand(
    const RunConfig &config, const ScriptRules &rules, bool resume, const std::vector<std::string> &before = {});

} // namespace slipway
