// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The source of a command's configuration: a file, flags that override it, or flags alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "hardware/catalogue.h"
#include "predict/prediction.h"

namespace slipway::cli {

struct ConfigSource {
    std::string file;                                          // the defaults are used if it is empty
    std::vector<std::pair<std::string, std::string>> settings; // key and text, in the order of the settings table
};

Result<RunConfig> configFrom(const ConfigSource &source);

// A configuration and its results, computed with the shipped tables and the user's own prices.
struct Planned {
    RunConfig config;
    Catalogue catalogue;
    Prediction prediction;
};
// Measures this machine's CPU before the first plan for it.
void knowProcessor(const RunConfig &config);

Result<Planned> planFrom(const ConfigSource &source);

// Moves an error about a setting to the place where the user gave it, which is a flag or a line of the file.
Error placed(const Error &error, const ConfigSource &source);

} // namespace slipway::cli
