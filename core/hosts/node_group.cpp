// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/node_group.h"

#include <algorithm>
#include <array>
#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <set>
#include <sys/random.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "hosts/host_text.h"
#include "hosts/node_shape.h"

namespace slipway {

namespace {

// Below the range of ports that systems use for outgoing connections.
constexpr int kFirstPort = 20000, kPorts = 12000;

// The ranks detect by themselves that another rank has ended. A signal to the group reaches all of them. Status 4 means
// that another rank has failed. If any rank has a status of its own, that one is reported.
const char *const ranksScript = R"script(
world=$1 first=$2 count=$3 attempt=$6
export WORLD_SIZE="$world" LOCAL_WORLD_SIZE="$count" MASTER_ADDR="$4" MASTER_PORT="$5" SLIPWAY_RESTART="$attempt"
export SLIPWAY_SECRET_FILE="$(pwd)/rendezvous.key"
shift 6
pids= rank=0 status=0
trap : TERM INT USR1
while [ "$rank" -lt "$count" ]; do
    (trap - TERM INT USR1; export RANK=$((first + rank)) LOCAL_RANK="$rank"; exec "$@") &
    pids="$pids $!"
    rank=$((rank + 1))
done
for pid in $pids; do
    while :; do
        wait "$pid"
        one=$?
        kill -0 "$pid" 2> /dev/null || break
    done
    if [ "$one" -ne 0 ] && { [ "$status" -eq 0 ] || [ "$status" -eq 4 ]; }; then status=$one; fi
done
exit "$status"
)script";

std::optional<std::string> variableOf(const RunConfig &config, std::string_view name)
{
    std::optional<std::string> value;
    for (const std::string &variable : config.training.environment) {
        if (variable.starts_with(name) && variable.size() > name.size() && variable[name.size()] == '=')
            value = variable.substr(name.size() + 1);
    }
    return value;
}

bool isAddress(const std::string &text)
{
    std::array<unsigned char, 16> bytes{};
    return ::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
           ::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

int portOf(const std::string &directory, int attempt)
{
    std::uint32_t hash = 0x811c9dc5U; // FNV-1a
    for (const char c : directory + "/" + std::to_string(attempt))
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193U;
    return kFirstPort + static_cast<int>(hash % kPorts);
}

// The trainer ends with status 4 if a rank on another node has failed. The reason is then on that rank's node.
bool followsAnother(const RunStatus &status) { return status.state == RunState::Failed && status.exitStatus == 4; }

// The position in the order of severity: the most severe end is first.
int weight(const RunStatus &status)
{
    constexpr std::array order{RunState::Failed, RunState::Lost, RunState::TimedOut, RunState::Preempted,
        RunState::Draft, RunState::Cancelled, RunState::Succeeded}; // Draft: failed because of another node
    const RunState state = followsAnother(status) ? RunState::Draft : status.state;
    return static_cast<int>(std::find(order.begin(), order.end(), state) - order.begin());
}

std::string describe(const NodeStatus &node)
{
    return node.name + " is " + std::string(enumName(node.status.state)) +
           (node.status.detail.empty() ? "" : ": " + node.status.detail);
}

RunStatus ended(const std::vector<NodeStatus> &nodes, std::optional<std::size_t> cause)
{
    const auto worse = [](const NodeStatus &a, const NodeStatus &b) { return weight(a.status) < weight(b.status); };
    const bool known = cause && *cause < nodes.size() && !followsAnother(nodes[*cause].status);
    const NodeStatus &worst = known ? nodes[*cause] : *std::min_element(nodes.begin(), nodes.end(), worse);
    RunStatus all = worst.status;
    if (all.state != RunState::Succeeded && all.state != RunState::Cancelled)
        all.detail = describe(worst) + (cause ? "; the other nodes were ended" : "");
    return all;
}

} // namespace

Result<std::vector<std::string>> nodeNames(const std::string &list)
{
    std::vector<std::string> names;
    std::set<std::string> known;
    for (const std::string_view word : split(list, ',')) {
        const std::string name(trimmed(word));
        const auto refuse = [&](const std::string &what) {
            return Error{.what = what, .where = "--on", .accepted = "names of ssh hosts, as in node1,node2"};
        };
        if (name.empty())
            return refuse("has an empty name in '" + list.substr(0, 200) + "'");
        if (name == "local" || name.starts_with("slurm:") || name.starts_with("log:"))
            return refuse("'" + name.substr(0, 100) + "' cannot be one of several nodes");
        if (!known.insert(name).second)
            return refuse("names '" + name.substr(0, 100) + "' twice");
        names.push_back(name);
    }
    if (names.size() > kMostNodes)
        return Error{.what = "names " + std::to_string(names.size()) + " nodes",
            .where = "--on",
            .accepted = "up to " + std::to_string(kMostNodes)};
    return names;
}

Result<RendezvousEndpoint> rendezvousEndpoint(
    const RunConfig &config, const std::string &address, const std::string &directory, int attempt)
{
    RendezvousEndpoint place{.address = address, .port = portOf(directory, attempt)};
    if (const auto own = variableOf(config, "MASTER_ADDR")) {
        place.address = *own;
    } else if (!isAddress(address)) {
        return Error{
            .what = "reports '" + shownLine(address, 60) + "' instead of the address at which the other nodes reach it",
            .where = "the first node",
            .accepted = "MASTER_ADDR in `environment`",
            .fault = Fault::Outside};
    }
    if (const auto own = variableOf(config, "MASTER_PORT")) {
        const auto port = parseInteger(*own);
        if (!port || *port < 1 || *port > 65535)
            return Error{.what = "'" + own->substr(0, 20) + "' is not a port",
                .where = "MASTER_PORT in `environment`",
                .accepted = "1 to 65535"};
        place.port = static_cast<int>(*port);
    }
    return place;
}

RunConfig configOfNode(RunConfig config, int node, int nodes, const RendezvousEndpoint &place)
{
    const std::string rank = std::to_string(node), count = std::to_string(nodes), port = std::to_string(place.port);
    // A static rendezvous: the ranks of the first node are the first ranks, so that its log has the steps.
    std::vector<std::string> variables{"NNODES=" + count, "NODE_RANK=" + rank, "MASTER_ADDR=" + place.address,
        "MASTER_PORT=" + port, "PET_NNODES=" + count, "PET_NODE_RANK=" + rank, "PET_RDZV_BACKEND=static",
        "PET_MASTER_ADDR=" + place.address, "PET_MASTER_PORT=" + port};
    std::vector<std::string> &own = config.training.environment;
    variables.insert(variables.end(), own.begin(), own.end());
    own = std::move(variables);
    return config;
}

std::vector<std::string> ranksCommand(const RanksOfNode &ranks, const std::vector<std::string> &trainer)
{
    std::vector<std::string> command{"/bin/sh", "-c", ranksScript, "slipway-node", std::to_string(ranks.world),
        std::to_string(ranks.first), std::to_string(ranks.count), ranks.place.address, std::to_string(ranks.place.port),
        std::to_string(ranks.attempt)};
    command.insert(command.end(), trainer.begin(), trainer.end());
    return command;
}

Result<std::string> newNodesKey()
{
    std::array<unsigned char, 32> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return Error{.what = "the system provided no random bytes: " + systemMessage(errno), .fault = Fault::Outside};
    std::string text;
    for (const unsigned char byte : bytes)
        text += fmt::format("{:02x}", byte);
    return text;
}

PreflightCheck nodesShapeCheck(const RunConfig &config, int nodes)
{
    const Parallelism &parallel = config.parallel;
    const auto missing = [](std::string detail) {
        return PreflightCheck{.what = "nodes", .detail = std::move(detail)};
    };
    if (parallel.gpus % nodes != 0 || parallel.nodes() != nodes)
        return missing(
            fmt::format("{} ranks with up to {} per node do not fill {} nodes equally; set gpus to a multiple of {} "
                        "and gpus_per_node to gpus / {}",
                parallel.gpus, parallel.gpusPerNode, nodes, nodes, nodes));
    const int perNode = parallel.gpus / nodes;
    if (config.training.runsScript())
        return {.what = "nodes", .passed = true, .detail = fmt::format("{}, with {} ranks each", nodes, perNode)};
    // Every node has its own folder, so the ranks of the first node together must hold all weights.
    const bool whole =
        parallel.kind == ParallelKind::Ddp || (parallel.kind == ParallelKind::Hsdp && parallel.shardRanks() <= perNode);
    if (!whole || parallel.pp > 1 || parallel.ep > 1 || parallel.modelParallel() > perNode)
        return missing(
            "without a shared folder the first node has to hold all weights, for checkpoints: use --parallel "
            "ddp, or hsdp within each node; or Slurm with a shared folder");
    return {.what = "nodes", .passed = true, .detail = fmt::format("{}, with {} ranks each", nodes, perNode)};
}

std::optional<std::size_t> firstFailed(const std::vector<NodeStatus> &nodes)
{
    std::optional<std::size_t> follower;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const RunState state = nodes[i].status.state;
        if (!isTerminal(state) || state == RunState::Succeeded || state == RunState::Cancelled)
            continue;
        if (!followsAnother(nodes[i].status))
            return i;
        if (!follower)
            follower = i;
    }
    return follower;
}

RunStatus statusTogether(const std::vector<NodeStatus> &nodes, std::optional<std::size_t> cause)
{
    const RunStatus &lead = nodes.front().status;
    if (lead.state == RunState::Draft || lead.state == RunState::Unknown)
        return lead;
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!isTerminal(nodes[i].status.state))
            left.push_back(i);
    }
    if (left.empty())
        return ended(nodes, cause);
    RunStatus all = isTerminal(lead.state) ? nodes[left.front()].status : lead;
    all.exitStatus = {};
    const auto silent = std::find_if(nodes.begin(), nodes.end(),
        [](const NodeStatus &node) { return !node.unreachable.empty() && !isTerminal(node.status.state); });
    if (silent != nodes.end()) {
        if (isTerminal(lead.state))
            all.state = RunState::Unknown;
        all.detail = silent->name + " cannot be queried: " + silent->unreachable;
    } else if (const auto failed = firstFailed(nodes)) {
        all.detail = describe(nodes[*failed]) + "; the other nodes are being ended";
    }
    return all;
}

} // namespace slipway
