// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <array>
#include <string_view>

#include "base/enum_names.h"
#include "plan/step_plan.h"
#include "speed/device_rates.h"

namespace slipway {

// NCCL's algorithms. Nvls: the node's switch reduces and multicasts (NVLink SHARP). Pairwise: every rank with every
// other.
enum class CollectiveAlgorithm { Ring, Tree, Nvls, Pairwise };
template<>
struct EnumNames<CollectiveAlgorithm> {
    static constexpr std::array<std::string_view, 4> names{"ring", "tree", "nvls", "pairwise"};
};

struct Collective {
    CollectiveAlgorithm algorithm{};
    Seconds seconds = 0;
};

// The node's link, or the network if the group spans nodes.
const Link &linkOf(const Group &group, const DeviceRates &rates);

// The fastest algorithm for the collective, as NCCL chooses it (src/graph/tuning.cc), and its time: latency by ranks or
// tree levels, then the message over the links. Between nodes, the ranks of a node combine the message first, and
// parallel groups share the node's network.
Collective collectiveOf(const Kernel &kernel, const Group &group, const DeviceRates &rates);

} // namespace slipway
