// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace slipway::cli {

// Returns an error about the first argument that is neither an option nor a command of `app`, with the nearest one that
// is. It is used after parsing has failed, because an argument that is reported as missing is often only misspelt.
std::optional<Error> unknownArgument(const CLI::App &app, const std::vector<std::string> &arguments);

// Explains an error of parsing in plainer words than CLI11's: an unknown argument, a flag without its value, or one
// that is given twice. Empty for any other error.
std::optional<Error> argumentError(
    const CLI::App &app, const std::vector<std::string> &arguments, const CLI::ParseError &error);

} // namespace slipway::cli
