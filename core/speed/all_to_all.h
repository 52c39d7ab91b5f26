// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "plan/step_plan.h"
#include "speed/device_rates.h"

namespace slipway {

// Every rank of the group sends an equal part of its message to each: parts for its node's ranks over their links, the
// others over the network, which all of a node's ranks use at once, those of the groups beside this one too. Both at
// the same time.
Seconds allToAllTime(const Kernel &kernel, const Group &group, const DeviceRates &rates);

} // namespace slipway
