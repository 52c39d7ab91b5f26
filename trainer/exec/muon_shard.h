// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a rank has of the matrices in Muon's ops: a shard of each of them under tensor parallelism, and of these shards
// the elements in its shard of the unit under sharded data parallelism.
#pragma once

#include <algorithm>

#include "cpu_ops/muon.h"
#include "exec/op_table.h"

namespace slipway {

inline cpu_ops::Matrices matricesOf(const OpCall &c, const StepContext &context)
{
    const Kernel &k = c.kernel;
    return {.count = std::max(1, k.batch),
        .rows = k.m,
        .columns = k.n,
        .shards = k.group == GroupId::None ? 1 : groupOf(c, context).size() / k.sharers,
        .byColumns = k.placement == WeightPlacement::Columns};
}

// Elements from one shard to the next in the gathered update of the unit.
inline std::int64_t shardStride(const OpCall &c, const StepContext &context)
{
    return context.units[static_cast<std::size_t>(c.kernel.unit)].padded * c.kernel.sharers;
}

struct MuonShard {
    int shard = 0;
    std::int64_t first = 0, last = 0; // elements of the shard [count, shardRows, shardColumns] that this rank updates
    std::int64_t place = 0;           // of the first one in this rank's shard of the unit

    [[nodiscard]] bool empty() const { return first >= last; }
};

inline MuonShard muonShardOf(const OpCall &c, const StepContext &context)
{
    const Kernel &k = c.kernel;
    const cpu_ops::Matrices m = matricesOf(c, context);
    const std::int64_t elements = m.count * m.shardRows() * m.shardColumns(),
                       shard = context.units[static_cast<std::size_t>(k.unit)].shardElements,
                       begin = shardOfUnit(c, context) * shard;
    MuonShard own{.shard = k.group == GroupId::None ? 0 : groupOf(c, context).rank() / k.sharers,
        .first = std::clamp<std::int64_t>(begin - k.k, 0, elements),
        .last = std::clamp<std::int64_t>(begin + shard - k.k, 0, elements)};
    own.place = k.k + own.first - begin;
    return own;
}

} // namespace slipway
