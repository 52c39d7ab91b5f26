// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "plan/step_plan.h"
#include "speed/device_rates.h"

namespace slipway {

// The time of an all-to-all. Each rank sends an equal part of its message to every rank of the group: to ranks of its
// node over the node's links, to the others over the network. All ranks of a node, including those of parallel groups,
// share the network. Both transfers overlap.
Seconds allToAllTime(const Kernel &kernel, const Group &group, const DeviceRates &rates);

} // namespace slipway
