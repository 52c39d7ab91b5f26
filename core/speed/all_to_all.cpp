// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/all_to_all.h"

#include <algorithm>

namespace slipway {

Seconds allToAllTime(const Kernel &kernel, const Group &group, const DeviceRates &rates)
{
    const int onNode = std::clamp(rates.gpusPerNode / group.stride, 1, group.size), away = group.size - onNode;
    const double part = double(kernel.messageBytes) / group.size;
    const Link &near = rates.nodeLink, &far = rates.networkLink;
    const Seconds within = onNode > 1 ? transferTime(near, onNode, part * (onNode - 1)) : 0;
    const Seconds across = away > 0 ? transferTime(far, away, part * away * rates.gpusPerNode) : 0;
    return std::max(within, across);
}

} // namespace slipway
