// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "cli/commands.h"
#include "serve/serve_prediction.h"

namespace slipway::cli {

// Implements serve-plan --grid and returns its exit status.
int sweepServers(
    const ServeConfig &base, const ServePlanOptions &options, const Catalogue &catalogue, const Frameworks &frameworks);

} // namespace slipway::cli
