// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <vector>

namespace slipway::cli {

// Reads a command line and runs what it asks for; the exit status.
int runCommand(const std::vector<std::string> &arguments);

} // namespace slipway::cli
