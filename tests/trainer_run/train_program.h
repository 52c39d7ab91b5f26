// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// slipway-train as a child process.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "child.h"
#include "tiny_run.h"

namespace slipway::testing {

inline Ended trainer(std::vector<std::string> arguments, const std::function<void()> &before = {})
{
    arguments.insert(arguments.begin(), SLIPWAY_TRAIN);
    return runProgram(arguments, before);
}

inline Ended trainerRun(
    const RunPaths &run, const std::vector<std::string> &flags = {}, const std::function<void()> &before = {})
{
    std::vector<std::string> arguments{"run", run.directory.string(), "--threads", "1"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return trainer(arguments, before);
}

} // namespace slipway::testing
