// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where a command's configuration comes from: a file, flags on top of it, or flags alone.
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
    std::string file;                                          // empty: the defaults
    std::vector<std::pair<std::string, std::string>> settings; // key -> text, in the order of the table
};

Result<RunConfig> configFrom(const ConfigSource &source);

// A configuration and what it comes to, by the shipped tables and the user's own prices.
struct Planned {
    RunConfig config;
    Catalogue catalogue;
    Prediction prediction;
};
// Measures this machine's CPU before the first plan for it.
void knowProcessor(const RunConfig &config);

Result<Planned> planFrom(const ConfigSource &source);

// An error about a setting at the place where the user gave it: the flag, else the file's line.
Error placed(const Error &error, const ConfigSource &source);

} // namespace slipway::cli
