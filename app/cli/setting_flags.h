// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <CLI/CLI.hpp>

#include "cli/config_source.h"
#include "config/settings.h"

namespace slipway::cli {

// A flag for each setting, in groups; what the user gives is kept in `source`. `runToo`: those that only a run needs,
// too.
void addSettingFlags(CLI::App &command, ConfigSource &source, bool runToo);

// A flag for each key of a serving configuration; what the user gives is kept in `settings`.
void addServeFlags(CLI::App &command, SettingTexts &settings);

} // namespace slipway::cli
