// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The command of another training script, rewritten for a probe: few steps, a line of the log for each of them, and
// its own output folder.
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"
#include "frameworks/rewrite_arguments.h"

namespace slipway {

// `planned` has the command, and `probe` is one of its probes (propose_probe.h). `name`: of the probe's run; it ends
// the name of its output folder. An error says what cannot be rewritten, and what to change by hand.
Result<RewrittenCommand> probeCommand(
    const RunConfig &planned, const RunConfig &probe, const std::vector<ArgumentRule> &rules, const std::string &name);

// Whether the command can be given the micro-batches of a probe's step.
bool canShortenSteps(const RunConfig &planned, const std::vector<ArgumentRule> &rules);

// The probe's configuration with its command. Its log is in the command's output folder if it was there before.
RunConfig withCommand(RunConfig probe, const RewrittenCommand &command);

} // namespace slipway
