// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How a run's ranks lie on nodes. On one node a single process runs them all; over several a cluster's own launcher
// starts a process a rank, as many on each node.
#pragma once

#include "base/result.h"
#include "base/units.h"
#include "config/run_config.h"

namespace slipway {

struct NodeShape {
    int nodes = 1, perNode = 1; // ranks of a node
};

// Of the fullest node.
inline int ranksPerNode(const Parallelism &parallel)
{
    return static_cast<int>(ceilDiv(parallel.gpus, parallel.nodes()));
}

// Whether a scheduler is to be asked for GPUs.
inline bool asksForGpus(const RunConfig &config)
{
    return config.training.device != DeviceKind::Cpu && config.gpu != "cpu";
}

// Fails where the ranks do not divide over the nodes that they need.
inline Result<NodeShape> nodeShape(const Parallelism &parallel)
{
    const int nodes = parallel.nodes();
    if (parallel.gpus % nodes != 0)
        return Error{.what = std::to_string(parallel.gpus) + " ranks do not divide over " + std::to_string(nodes) +
                             " nodes of up to " + std::to_string(parallel.gpusPerNode),
            .where = "gpus",
            .accepted = "a multiple of the nodes, as " + std::to_string(parallel.gpus / nodes * nodes) +
                        "; or another gpus_per_node"};
    return NodeShape{.nodes = nodes, .perNode = ranksPerNode(parallel)};
}

} // namespace slipway
