// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks as processes of this machine: starts them, passes signals on, and where one fails ends all, names the cause,
// and may start them again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/memory_group.h"
#include "runs/run_directory.h"

namespace slipway {

struct LaunchRequest {
    std::optional<RunPaths> paths;    // of a run; empty: another command, which leaves no mark
    std::vector<std::string> command; // of one rank; runs without --resume at first
    int ranks = 1;
    int maxRestarts = 0;
    std::string memory = {}; // what a rank was predicted to need, for where the system has less; empty: not known
    std::function<void(const std::string &)> warn;
    std::optional<MemoryGroup> group = MemoryGroup::ofThisProcess(); // that ranks share their memory in
};

// The exit status: a rank's that failed first, 4 where a signal or its silence ended it.
Result<int> launchRanks(const LaunchRequest &request);

} // namespace slipway
