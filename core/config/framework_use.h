// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "config/run_config.h"
#include "hardware/gpu.h"
#include "hardware/speed_rates.h"

namespace slipway {

// The properties of a configuration's training loop that select its rates.
FrameworkUse frameworkUse(const RunConfig &config, const Gpu &gpu);

} // namespace slipway
