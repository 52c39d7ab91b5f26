// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>

#include "config/run_config.h"
#include "hardware/catalogue.h"

namespace slipway::testing {

// Plans with this version of PyTorch, and with what it does. Options that follow from it stay as they are;
// applyFramework() would set them.
inline void setTorch(RunConfig &config, const std::string &version)
{
    static const Frameworks shipped = readFrameworks(resourceDirectory() / "frameworks").value();
    config.simulated.torch = version;
    config.simulated.torchChanges = shipped.changesOf(config.simulated.torchVersion());
}

} // namespace slipway::testing
