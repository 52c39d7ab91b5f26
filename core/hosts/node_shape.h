// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How the ranks of a run are distributed over nodes. On a single node, one process runs all ranks; on several nodes,
// the launcher of the cluster starts one process per rank, with the same number of ranks on each node.
#pragma once

#include "base/result.h"
#include "base/units.h"
#include "config/run_config.h"

namespace slipway {

struct NodeShape {
    int nodes = 1, perNode = 1; // ranks per node
};

// The number of ranks on the node that has the most.
inline int ranksPerNode(const Parallelism &parallel)
{
    return static_cast<int>(ceilDiv(parallel.gpus, parallel.nodes()));
}

// Whether the run must request GPUs from a scheduler.
inline bool requestsGpus(const RunConfig &config)
{
    return config.training.device != DeviceKind::Cpu && config.gpu != "cpu";
}

// Fails if the number of ranks is not divisible by the number of nodes that they need.
inline Result<NodeShape> nodeShape(const Parallelism &parallel)
{
    const int nodes = parallel.nodes();
    if (parallel.gpus % nodes != 0)
        return Error{.what = std::to_string(parallel.gpus) + " ranks cannot be divided equally over " +
                             std::to_string(nodes) + " nodes of up to " + std::to_string(parallel.gpusPerNode),
            .where = "gpus",
            .accepted = "a multiple of the number of nodes, such as " + std::to_string(parallel.gpus / nodes * nodes) +
                        "; or another gpus_per_node"};
    return NodeShape{.nodes = nodes, .perNode = ranksPerNode(parallel)};
}

} // namespace slipway
