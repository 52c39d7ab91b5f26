// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace slipway::cli {

// The first argument that no option or command of `app` is called by, with the nearest one that is. For a command line
// that could not be parsed: what is missing in it is often only misspelt.
std::optional<Error> unknownArgument(const CLI::App &app, const std::vector<std::string> &arguments);

} // namespace slipway::cli
