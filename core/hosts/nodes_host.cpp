// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/nodes_host.h"

#include <algorithm>
#include <csignal>
#include <future>

#include "base/file.h"
#include "base/text.h"
#include "config/config_io.h"
#include "hosts/preflight.h"
#include "hosts/script_command.h"
#include "hosts/script_plan.h"
#include "hosts/ssh_shell.h"
#include "runs/append_event.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kNodesAtOnce = 16;      // nodes that are asked at the same time
constexpr std::chrono::seconds kPatience{10}; // from SIGTERM to SIGKILL, after another node's part has ended the run

struct Address {
    std::string alias, home;
};

Result<Address> addressOf(const std::string &name)
{
    const std::size_t colon = name.find(':');
    Address address{
        .alias = name.substr(0, colon), .home = colon == std::string::npos ? std::string() : name.substr(colon + 1)};
    if (colon != std::string::npos && !address.home.starts_with('/'))
        return Error{
            .what = "'" + address.home + "' is not an absolute path", .where = "--on", .accepted = "HOST:/FOLDER"};
    return address;
}

NodeStatus statusOfNode(const std::string &name, const RunPaths &paths)
{
    const KnownStatus known = readKnownStatus(paths).value_or(KnownStatus{});
    return {.name = name, .status = known.status, .unreachable = known.unreachable};
}

} // namespace

NodesHost::NodesHost(std::string name, std::vector<std::string> names, std::unique_ptr<Shell> lead, std::string home,
    std::vector<std::unique_ptr<SshHost>> others)
    : SshHost(std::move(name), std::move(lead), std::move(home)),
      m_names(std::move(names)),
      m_others(std::move(others))
{
}

Result<std::unique_ptr<Host>> NodesHost::make(const std::string &list)
{
    Result<std::vector<std::string>> names = nodeNames(list);
    if (!names)
        return names.error();
    std::unique_ptr<Shell> lead;
    std::string home;
    std::vector<std::unique_ptr<SshHost>> others;
    for (const std::string &name : *names) {
        Result<Address> address = addressOf(name);
        if (!address)
            return address.error();
        Result<std::unique_ptr<SshShell>> shell = SshShell::to(address->alias);
        if (!shell)
            return shell.error();
        if (!lead) {
            lead = *std::move(shell);
            home = address->home;
        } else {
            others.push_back(std::make_unique<SshHost>(name, *std::move(shell), address->home));
        }
    }
    return std::unique_ptr<Host>(
        new NodesHost(list, *std::move(names), std::move(lead), std::move(home), std::move(others)));
}

Result<void> NodesHost::onOtherNodes(const OnNode &act) const
{
    Result<void> first;
    for (std::size_t begin = 0; begin < m_others.size(); begin += kNodesAtOnce) {
        std::vector<std::future<Result<void>>> answers;
        for (std::size_t i = begin; i < std::min(begin + kNodesAtOnce, m_others.size()); ++i)
            answers.push_back(
                std::async(std::launch::async, [&act, &host = *m_others[i], i] { return act(host, i + 1); }));
        for (std::future<Result<void>> &answer : answers) {
            Result<void> one = answer.get();
            if (first && !one)
                first = std::move(one);
        }
    }
    return first;
}

Preflight NodesHost::preflight(const RunConfig &config, const fs::path &directory, Bytes diskNeeded)
{
    Preflight all;
    if (!config.training.runsScript() || isPlanned(config))
        all.checks.push_back(nodesShapeCheck(config, nodes()));
    RunConfig onOne = config; // a node has some of the GPUs
    onOne.parallel.gpus = std::max(1, config.parallel.gpus / nodes());
    std::vector<Preflight> each(m_names.size());
    each[0] = SshHost::preflight(onOne, directory, diskNeeded);
    [[maybe_unused]] const Result<void> asked = onOtherNodes([&](SshHost &host, std::size_t node) -> Result<void> {
        each[node] = host.preflight(onOne, directory, diskNeeded);
        return {};
    });
    all.facts = each[0].facts;
    const Result<Catalogue> catalogue = loadCatalogue();
    for (std::size_t node = 0; node < each.size(); ++node) {
        for (PreflightCheck &check : each[node].checks) {
            if (check.what == "plan" && catalogue && each[node].facts) // for the whole run, not for one node
                check = planCheck(*each[node].facts, config, *catalogue);
            check.what = m_names[node] + ": " + check.what;
            all.checks.push_back(std::move(check));
        }
    }
    return all;
}

std::vector<std::string> NodesHost::commandOf(
    std::size_t node, const RunConfig &config, const fs::path &directory, const RanksOfNode &ranks) const
{
    const int number = static_cast<int>(node);
    const bool resume = ranks.attempt > 0;
    const fs::path part = pathsOfNode({directory}, node).directory;
    if (config.training.runsScript())
        return scriptCommand(
            configOfNode(config, number, nodes(), ranks.place), readScriptRules({directory}).valueOr({}), resume);
    RanksOfNode own = ranks;
    own.first = number * ranks.count;
    return ranksCommand(own, node == 0 ? SshHost::trainerCommand(config, part, resume)
                                       : m_others[node - 1]->trainerCommand(config, part, resume));
}

// The command of the first node, for display. The place where the nodes meet is determined at the start.
std::vector<std::string> NodesHost::trainerCommand(
    const RunConfig &config, const fs::path &directory, bool resume) const
{
    const RendezvousEndpoint place =
        rendezvousEndpoint(config, "", directory.string(), 0).valueOr({.address = m_names[0], .port = 0});
    return commandOf(0, config, directory,
        {.world = config.parallel.gpus,
            .count = config.parallel.gpus / nodes(),
            .attempt = resume ? 1 : 0,
            .place = place});
}

std::vector<PlannedCommand> NodesHost::plannedCommands(const std::vector<PlannedRun> &runs) const
{
    std::vector<PlannedCommand> planned = SshHost::plannedCommands(runs);
    std::vector<PlannedRun> parts = runs;
    for (std::size_t node = 1; node < m_names.size(); ++node) {
        for (std::size_t i = 0; i < runs.size(); ++i)
            parts[i].directory = pathsOfNode({runs[i].directory}, node).directory;
        for (PlannedCommand &step : m_others[node - 1]->plannedCommands(parts))
            planned.push_back(std::move(step));
    }
    return planned;
}

Result<void> NodesHost::prepare(const std::vector<PlannedRun> &runs)
{
    if (const Result<void> lead = SshHost::prepare(runs); !lead)
        return lead;
    return onOtherNodes([&](SshHost &host, std::size_t node) -> Result<void> {
        std::vector<PlannedRun> parts = runs;
        for (PlannedRun &part : parts) {
            part.directory = pathsOfNode({part.directory}, node).directory;
            if (const Result<void> made = makePrivateFolder(part.directory); !made)
                return made;
        }
        return host.prepare(parts);
    });
}

Result<void> NodesHost::shareKey(const RunPaths &paths)
{
    const Result<std::string> key = newNodesKey();
    if (!key)
        return key.error();
    if (const Result<void> left = writeText(paths, "rendezvous.key", *key + "\n"); !left)
        return left;
    return onOtherNodes([&](SshHost &host, std::size_t node) {
        return host.writeText(pathsOfNode(paths, node), "rendezvous.key", *key + "\n");
    });
}

// The first node wrote the checkpoint, and every rank reads its shard from it. So it is copied to the other nodes.
Result<void> NodesHost::shareCheckpoint(const RunPaths &paths)
{
    const Result<Bytes> there = SshHost::fetchBytes(paths, FetchScope::WithCheckpoint);
    if (!there || *there == 0) // there is no checkpoint
        return {};
    if (const Result<void> fetched = SshHost::fetch(paths, FetchScope::WithCheckpoint); !fetched)
        return fetched;
    return onOtherNodes(
        [&](SshHost &host, std::size_t node) { return host.sendCheckpoint(paths, pathsOfNode(paths, node)); });
}

Result<void> NodesHost::startOthers(const StartRequest &request, const RunConfig &config, const RanksOfNode &ranks)
{
    return onOtherNodes([&](SshHost &host, std::size_t node) -> Result<void> {
        StartRequest part = request;
        part.directory = pathsOfNode({request.directory}, node).directory;
        part.command = commandOf(node, config, request.directory, ranks);
        const Result<Started> started = host.start(part);
        return started ? Result<void>() : Result<void>(started.error());
    });
}

Result<Started> NodesHost::start(const StartRequest &request)
{
    const RunPaths paths{request.directory};
    const Result<RunConfig> config = readRunConfig(paths.config());
    if (!config)
        return config.error();
    const Result<std::string> address = remoteAddress();
    const Result<RendezvousEndpoint> place =
        rendezvousEndpoint(*config, address.valueOr({}), request.directory.string(), request.attempt);
    if (!place)
        return address ? place.error() : address.error();
    if (!config->training.runsScript()) {
        Result<void> shared = shareKey(paths);
        if (shared && request.attempt > 0)
            shared = shareCheckpoint(paths);
        if (!shared)
            return shared.error();
    }
    std::error_code ignored;
    fs::remove(nodesEndedFile(paths), ignored); // of an earlier attempt
    const RanksOfNode ranks{.world = config->parallel.gpus,
        .count = config->parallel.gpus / nodes(),
        .attempt = request.attempt,
        .place = *place};
    StartRequest lead = request;
    lead.command = commandOf(0, *config, request.directory, ranks);
    Result<Started> started = SshHost::start(lead);
    if (!started)
        return started;
    if (const Result<void> others = startOthers(request, *config, ranks); !others) {
        [[maybe_unused]] const Result<void> sent = signalGroup(paths, SIGKILL);
        return others.error();
    }
    return started;
}

RunStatus NodesHost::judge(const RunQueryResult &result, const KnownStatus &before)
{
    if (m_statuses.empty())
        return SshHost::judge(result, before);
    m_statuses.front() = {.name = m_names.front(), .status = SshHost::judge(result, before)};
    return statusTogether(m_statuses, m_cause);
}

Result<void> NodesHost::refresh(const RunPaths &paths)
{
    std::vector<NodeStatus> statuses(m_names.size());
    const Result<void> others = onOtherNodes([&](SshHost &host, std::size_t node) -> Result<void> {
        const RunPaths part = pathsOfNode(paths, node);
        const std::optional<KnownStatus> known = readKnownStatus(part);
        const bool open = !known || !isTerminal(known->status.state);
        Result<void> refreshed = open && isRemoteRun(part) ? host.refresh(part) : Result<void>();
        statuses[node] = statusOfNode(m_names[node], part);
        return refreshed;
    });
    m_statuses = std::move(statuses);
    const std::optional<NodesEnded> by = readNodesEnded(paths);
    m_cause = by ? std::optional(by->node) : std::nullopt;
    const Result<void> lead = SshHost::refresh(paths);
    if (!lead || !others)
        return lead ? others : lead;
    if (const auto known = readKnownStatus(paths))
        m_statuses.front().unreachable = known->unreachable;
    return endTogether(paths);
}

std::vector<Error> NodesHost::refreshAll(const std::vector<fs::path> &directories)
{
    return Host::refreshAll(directories); // NOLINT(bugprone-parent-virtual-call): one by one, each on its own nodes
}

// Ends the other nodes after one has failed. Nodes whose ranks wait for a failed one cost money, and some scripts wait
// forever.
Result<void> NodesHost::endTogether(const RunPaths &paths)
{
    const std::optional<std::size_t> failed = firstFailed(m_statuses);
    const bool left = std::any_of(m_statuses.begin(), m_statuses.end(),
        [](const NodeStatus &node) { return !isTerminal(node.status.state) && node.unreachable.empty(); });
    if (!failed || !left)
        return {};
    // If a signal does not arrive, a later check sends it again.
    const std::optional<NodesEnded> by = readNodesEnded(paths);
    if (by) {
        if (std::chrono::system_clock::now() - by->time > kPatience) [[maybe_unused]]
            const Result<void> sent = signalGroup(paths, SIGKILL);
        return {};
    }
    if (const Result<void> noted =
            writePrivateFile(nodesEndedFile(paths), std::to_string(*failed) + " " + utcNow() + "\n");
        !noted)
        return noted;
    if (hasScriptRules(paths)) // otherwise events.jsonl is an exact copy of the host's file
        appendEvent(
            paths, {.time = utcNow(),
                       .kind = "fault",
                       .message = m_names[*failed] + " is " + std::string(enumName(m_statuses[*failed].status.state)) +
                                  "; the other nodes are ended"});
    [[maybe_unused]] const Result<void> sent = signalGroup(paths, SIGTERM);
    return {};
}

Result<void> NodesHost::requestStop(const RunPaths &paths)
{
    const Result<void> lead = SshHost::requestStop(paths);
    const Result<void> others =
        onOtherNodes([&](SshHost &host, std::size_t node) { return host.requestStop(pathsOfNode(paths, node)); });
    return lead ? others : lead;
}

// A node whose part has ended has no process group any more. This is not an error.
Result<void> NodesHost::signalGroup(const RunPaths &paths, int signalNumber)
{
    const auto send = [&](SshHost &host, std::size_t node) -> Result<void> {
        const RunPaths part = pathsOfNode(paths, node);
        const std::optional<KnownStatus> known = readKnownStatus(part);
        const bool over = node > 0 ? known && isTerminal(known->status.state)
                                   : !m_statuses.empty() && isTerminal(m_statuses.front().status.state);
        if (!isRemoteRun(part))
            return {};
        const Result<void> sent =
            node == 0 ? SshHost::signalGroup(part, signalNumber) : host.signalGroup(part, signalNumber);
        return over ? Result<void>() : sent;
    };
    const Result<void> lead = send(*this, 0);
    const Result<void> others = onOtherNodes(send);
    return lead ? others : lead;
}

Result<void> NodesHost::fetch(const RunPaths &paths, FetchScope what)
{
    const Result<void> lead = SshHost::fetch(paths, what);
    if (!lead)
        return lead.error();
    if (what == FetchScope::WithCheckpoint) // the first node has the complete checkpoint
        return {};
    return onOtherNodes([&](SshHost &host, std::size_t node) { return host.fetch(pathsOfNode(paths, node), what); });
}

} // namespace slipway
