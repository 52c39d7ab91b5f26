// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which rank this process is: torchrun's variables, else Slurm's, else the only process.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace slipway {

struct LaunchEnvironment {
    int rank = 0;
    int world = 1;
    std::string origin; // "torchrun", "Slurm"; empty: the only process
    bool operator==(const LaunchEnvironment &) const = default;
};

// `variable` is getenv. The error names the variable that is no rank.
Result<LaunchEnvironment> launchEnvironment(const std::function<const char *(const char *)> &variable);

} // namespace slipway
