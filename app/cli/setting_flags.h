// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <CLI/CLI.hpp>

#include "cli/config_source.h"

namespace slipway::cli {

// A flag for each setting, in groups; what the user gives is kept in `source`. `runToo`: those that only a run needs,
// too.
void addSettingFlags(CLI::App &command, ConfigSource &source, bool runToo);

} // namespace slipway::cli
