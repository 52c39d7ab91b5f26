// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/framework_use.h"

namespace slipway {

FrameworkUse frameworkUse(const RunConfig &config, const Gpu &gpu)
{
    // A traced graph runs operations on plain tensors. DTensor's decisions were made when it was traced.
    return {.framework = enumName(config.framework),
        .torch = config.simulated.torchVersion(),
        .olderRecipe = config.simulated.olderRecipe,
        .tensorParallel = config.parallel.tp > 1 && !config.simulated.tracesGraph(),
        .arch = gpu.arch};
}

} // namespace slipway
