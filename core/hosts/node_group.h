// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One run on several machines without a shared folder or scheduler: the rendezvous of its ranks, the configuration of
// each machine, and the state of the run from the states of its nodes. No function contacts a host.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/run_config.h"
#include "hosts/host.h"

namespace slipway {

inline constexpr std::size_t kMostNodes = 256;

// Parses "node1,ada@node2:/data". Each entry is a host that ssh reaches; there must be at least two, and no host twice.
Result<std::vector<std::string>> nodeNames(const std::string &list);

struct RendezvousEndpoint {
    std::string address; // address of the first node, as the other nodes reach it
    int port = 0;
    bool operator==(const RendezvousEndpoint &) const = default;
};
// MASTER_ADDR and MASTER_PORT of the run's environment; else `address`, and a port derived from the directory and the
// attempt. `address` comes from a host: anything but an IP address is rejected.
Result<RendezvousEndpoint> rendezvousEndpoint(
    const RunConfig &config, const std::string &address, const std::string &directory, int attempt);

// The configuration of another training script for node number `node`: sets the environment variables of the
// rendezvous. torchrun reads its options from variables that begin with PET_. Variables that the user has set have
// precedence.
RunConfig configOfNode(RunConfig config, int node, int nodes, const RendezvousEndpoint &place);

// Starts the trainer's ranks of one node, each in a process, in the run directory with its rendezvous.key.
struct RanksOfNode {
    int world = 1, first = 0, count = 1;
    int attempt = 0;
    RendezvousEndpoint place;
};
std::vector<std::string> ranksCommand(const RanksOfNode &ranks, const std::vector<std::string> &trainer);

// 64 random hexadecimal digits from the system's random number generator.
Result<std::string> newNodesKey();

// Fails if the number of ranks is not divisible by the number of nodes, or if the checkpoints need a shared folder.
PreflightCheck nodesShapeCheck(const RunConfig &config, int nodes);

// The state of the run on one node.
struct NodeStatus {
    std::string name;
    RunStatus status;
    std::string unreachable = {}; // why the node did not answer; empty: it did
};
// The node on which the run failed first by itself, so that it must be ended on the others.
std::optional<std::size_t> firstFailed(const std::vector<NodeStatus> &nodes);
// The state of the whole run; the first node writes its metrics. `cause`: the node whose failure ended the run.
RunStatus statusTogether(const std::vector<NodeStatus> &nodes, std::optional<std::size_t> cause = {});

} // namespace slipway
