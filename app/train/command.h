// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Shared code of the commands of slipway-train: error messages, and the flags of the table of settings.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"

namespace slipway::train_app {

// Prints "slipway-train: line" to standard error. A failure to write, for example to a full disk, is ignored. It does
// not use fmt, which would throw an exception.
void complain(const std::string &line);

// Prints "slipway-train: where: what (accepted: ...)" to standard error, or sends it to the launcher if there is one.
// The launcher shows the error of the rank that caused the failure first. Returns the exit status.
int report(const Error &error);

// Returns a run directory, which is given as such or by the name that `slipway runs` lists.
Result<std::filesystem::path> runCalled(const std::string &nameOrDirectory);

// Adds a command. `status` receives its exit status. `example` is shown under its --help.
CLI::App *addCommand(
    CLI::App &app, const std::string &name, const std::string &description, const std::string &example);

// The flags that are shared with `slipway plan`, in the order on the command line.
using GivenSettings = std::vector<std::pair<std::string, std::string>>;
void addSettingFlags(CLI::App &command, GivenSettings &given);

void addRunCommand(CLI::App &app, int &status);
void addTokenizeCommand(CLI::App &app, int &status);
void addBenchCommand(CLI::App &app, int &status);
void addDevicesCommand(CLI::App &app, int &status);
void addConvertCommands(CLI::App &app, int &status);
void addSampleCommand(CLI::App &app, int &status);

} // namespace slipway::train_app
