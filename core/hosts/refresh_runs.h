// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Brings the copies of many runs up to date: hosts at once, the runs of one host one after another.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace slipway {

// Runs of this machine, and ended ones, are left as they are. What could not be written is told; a host that does not
// answer is a standing, and its other runs are not asked for.
std::vector<Error> refreshRuns(const std::vector<std::filesystem::path> &directories);

} // namespace slipway
