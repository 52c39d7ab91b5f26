// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What `slipway launch` says of one run, whoever made its order: of a run as planned and of a probe.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/commands.h"
#include "hosts/host.h"
#include "hosts/launch.h"
#include "runs/registry.h"

namespace slipway::cli {

// What would be run and what is missing. `head`: keys before those of every dry run. The exit status.
int sayDryRun(const LaunchOptions &options, const LaunchOrder &order, Host &host, const Registry &registry,
    const nlohmann::ordered_json &head);

std::string startedText(const LaunchedRun &run);

} // namespace slipway::cli
