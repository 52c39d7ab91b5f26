// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <array>
#include <string_view>

#include "base/enum_names.h"
#include "plan/step_plan.h"
#include "speed/device_rates.h"

namespace slipway {

// Of NCCL. Nvls: the node's switch adds and copies (NVLink SHARP). Pairwise: each rank with each.
enum class CollectiveAlgorithm { Ring, Tree, Nvls, Pairwise };
template<>
struct EnumNames<CollectiveAlgorithm> {
    static constexpr std::array<std::string_view, 4> names{"ring", "tree", "nvls", "pairwise"};
};

struct Collective {
    CollectiveAlgorithm algorithm{};
    Seconds seconds = 0;
};

// Between two ranks.
bool isMessage(OpKind kind);

// The links that a group's ranks meet over.
const Link &linkOf(const Group &group, const DeviceRates &rates);

// The fastest of the algorithms that the kind of collective has there, as NCCL chooses (src/graph/tuning.cc): latency
// by ranks or levels, then the message over the links. Between nodes the ranks of one bring the message together first,
// and groups that lie side by side share its network.
Collective collectiveOf(const Kernel &kernel, const Group &group, const DeviceRates &rates);

} // namespace slipway
