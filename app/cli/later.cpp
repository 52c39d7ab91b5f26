// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/commands.h"
#include "cli/console.h"

namespace slipway::cli {

int notInThisVersion(const std::string &command)
{
    return fail({.what = "is not in this version", .where = command, .accepted = "the commands that slipway --help lists"});
}

} // namespace slipway::cli
