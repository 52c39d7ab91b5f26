// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Launches ranks as processes of this machine and forwards signals. If a rank fails, it ends all ranks, reports the
// cause, and may restart them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "run/memory_group.h"
#include "runs/run_directory.h"

namespace slipway {

struct LaunchRequest {
    std::optional<RunPaths> paths;    // paths of the run; empty: the command is not `run`
    std::vector<std::string> command; // command of one rank; restarts add --resume
    int ranks = 1;
    Parallelism mesh = {}; // messages name a rank's place in it
    int maxRestarts = 0;
    std::string memory = {}; // predicted memory of a rank, for messages; empty: unknown
    std::function<void(const std::string &)> warn;
    std::optional<MemoryGroup> group = MemoryGroup::ofThisProcess(); // control group of the ranks
};

// Returns the exit status of the rank that failed first, or 4 if it was killed by a signal or did not answer.
Result<int> launchRanks(const LaunchRequest &request);

} // namespace slipway
