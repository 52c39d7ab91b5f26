// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the commands of slipway-train share: how errors are shown, and the flags of the table of settings.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"

namespace slipway::train_app {

// "slipway-train: line" on stderr. Where that cannot be written, as on a full disk, nothing else happens: fmt would
// throw.
void complain(const std::string &line);

// "slipway-train: where: what (accepted: ...)" on stderr, or to the launcher where there is one, which shows one rank's
// cause on top; returns the exit status.
int report(const Error &error);

// The directory of a run: as it is given, else of the run that `slipway runs` lists by that name.
Result<std::filesystem::path> runCalled(const std::string &nameOrDirectory);

// Adds a command; `status` receives what it returns. `example` is shown under its --help.
CLI::App *addCommand(
    CLI::App &app, const std::string &name, const std::string &description, const std::string &example);

// The flags that `plan` knows too, as the user gave them, in their order.
using GivenSettings = std::vector<std::pair<std::string, std::string>>;
void addSettingFlags(CLI::App &command, GivenSettings &given);

void addRunCommand(CLI::App &app, int &status);
void addTokenizeCommand(CLI::App &app, int &status);
void addBenchCommand(CLI::App &app, int &status);
void addDevicesCommand(CLI::App &app, int &status);
void addConvertCommands(CLI::App &app, int &status);
void addSampleCommand(CLI::App &app, int &status);

} // namespace slipway::train_app
