// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A device whose times are easy to compute by hand.
#pragma once

#include "plan/kernel_work.h"
#include "speed/device_rates.h"

namespace slipway::testing {

inline DeviceRates plainRates()
{
    return {.gemmFlops = 1e12,
        .attentionFlops = 5e11,
        .attentionBackwardFlops = 5e11,
        .memoryBandwidth = 1e11,
        .peakFlops = 2e12,
        .nodeLink = {.bandwidth = 1e10, .latency = 1e-6}};
}

inline Kernel withWork(Kernel kernel)
{
    addWork(kernel);
    return kernel;
}

} // namespace slipway::testing
