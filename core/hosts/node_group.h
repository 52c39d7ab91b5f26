// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One run on several machines that share no folder and no scheduler: where its ranks meet, what each machine is told,
// and how the run stands by how each of them does. Asks nobody.
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

// 64 hexadecimal digits that nobody can guess.
Result<std::string> newNodesKey();

// Whether the run divides over so many nodes, and whether its checkpoints need no folder that they share.
PreflightCheck nodesShapeCheck(const RunConfig &config, int nodes);

// How one node's part of the run stands.
struct NodeStanding {
    std::string name;
    RunStanding standing;
    std::string unreachable = {}; // why it could not be asked; empty: it could
};
// A node that ended for a reason of its own, while the others were still to go on.
std::optional<std::size_t> firstFailed(const std::vector<NodeStanding> &nodes);
// How the run stands as a whole; the first node is where its metrics are. `cause`: the node that ended all.
RunStanding standingTogether(const std::vector<NodeStanding> &nodes, std::optional<std::size_t> cause = {});

} // namespace slipway
