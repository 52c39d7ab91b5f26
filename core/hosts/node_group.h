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

// "node1,ada@node2:/data": each is a host that ssh reaches. More than one, each once.
Result<std::vector<std::string>> nodeNames(const std::string &list);

struct MeetingPlace {
    std::string address; // of the first node, as the others reach it
    int port = 0;
    bool operator==(const MeetingPlace &) const = default;
};
// MASTER_ADDR and MASTER_PORT of the run's environment; else `address`, and a port that follows from the directory and
// the attempt. `address` comes from a host: anything but an IP address is refused.
Result<MeetingPlace> meetingPlace(
    const RunConfig &config, const std::string &address, const std::string &directory, int attempt);

// The configuration of another training script as node number `node` has it: with variables that say where the nodes
// meet. torchrun reads its options from the PET_ ones. The user's own count over them.
RunConfig configOfNode(RunConfig config, int node, int nodes, const MeetingPlace &place);

// Starts the trainer's ranks of one node, a process each, in the run's directory with its rendezvous.key.
struct RanksOfNode {
    int world = 1, first = 0, count = 1;
    int attempt = 0;
    MeetingPlace place;
};
std::vector<std::string> ranksCommand(const RanksOfNode &ranks, const std::vector<std::string> &trainer);

// 64 random hexadecimal digits, from the system's generator.
Result<std::string> newNodesKey();

// Fails if the ranks do not divide over this number of nodes, or if the checkpoints need a shared folder.
PreflightCheck nodesShapeCheck(const RunConfig &config, int nodes);

// The state of the run on one node.
struct NodeStanding {
    std::string name;
    RunStanding standing;
    std::string unreachable = {}; // why the node did not answer; empty: it did
};
// The node on which the run failed by itself, so that it must end on the others.
std::optional<std::size_t> firstFailed(const std::vector<NodeStanding> &nodes);
// The state of the whole run; the first node has its metrics. `cause`: the node that ended the run.
RunStanding standingTogether(const std::vector<NodeStanding> &nodes, std::optional<std::size_t> cause = {});

} // namespace slipway
