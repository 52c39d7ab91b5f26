// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Output of `slipway launch` about one run. It is the same for a planned run and for a probe.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/commands.h"
#include "hosts/host.h"
#include "hosts/launch.h"
#include "runs/registry.h"

namespace slipway::cli {

// Prints what would be run and what is missing, and returns the exit status. The keys of `head` precede those of every
// dry run.
int sayDryRun(const LaunchOptions &options, const RunLaunchRequest &request, Host &host, const Registry &registry,
    const nlohmann::ordered_json &head);

std::string startedText(const LaunchedRun &run);

} // namespace slipway::cli
