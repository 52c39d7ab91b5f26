// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <CLI/CLI.hpp>

#include "cli/config_source.h"
#include "config/settings.h"

namespace slipway::cli {

// Adds a flag for each setting, in groups. The values that the user gives are stored in `source`. `forTraining`
// includes the settings that only a run needs.
void addSettingFlags(CLI::App &command, ConfigSource &source, bool forTraining);

// Adds a flag for each key of a serving configuration. The values that the user gives are stored in `settings`.
void addServeFlags(CLI::App &command, SettingTexts &settings);

} // namespace slipway::cli
