// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <vector>

namespace slipway::cli {

// Parses a command line, runs its command, and returns the exit status.
int runCommand(const std::vector<std::string> &arguments);

} // namespace slipway::cli
