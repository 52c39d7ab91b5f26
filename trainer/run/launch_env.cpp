// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/launch_env.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace slipway {

namespace {

using Variable = std::function<const char *(const char *)>;

// A number within [least, most], or an error that names the variable.
Result<int> number(const Variable &variable, const char *name, std::int64_t least, std::int64_t most, const char *what)
{
    const char *const text = variable(name);
    const std::optional<std::int64_t> value = text ? parseInteger(text) : std::nullopt;
    if (!value || *value < least || *value > most)
        return Error{.what = text ? "is not a " + std::string(what) : "is not set",
            .where = name,
            .accepted = most >= 1'000'000 ? "1 or more" : std::to_string(least) + " to " + std::to_string(most)};
    return static_cast<int>(*value);
}

Result<void> setNumber(
    const Variable &variable, const char *name, std::int64_t least, std::int64_t most, const char *what, int &target)
{
    if (!name || !variable(name))
        return {};
    const Result<int> value = number(variable, name, least, most, what);
    if (!value)
        return value.error();
    target = *value;
    return {};
}

std::string textOf(const Variable &variable, const char *name)
{
    const char *const text = variable(name);
    return text ? text : "";
}

struct Names {
    const char *origin, *rank, *world, *localRank, *localWorld;
};

Result<LaunchEnvironment> read(const Variable &variable, const Names &names)
{
    LaunchEnvironment environment{.origin = names.origin};
    Rendezvous &r = environment.rendezvous;
    const Result<int> world = number(variable, names.world, 1, 1'000'000, "number of ranks");
    if (!world)
        return world.error();
    r.worldSize = *world;
    const Result<int> rank = number(variable, names.rank, 0, r.worldSize - 1, "rank");
    if (!rank)
        return rank.error();
    r.rank = *rank;
    r.localRank = r.rank;
    r.localWorldSize = r.worldSize;
    Result<void> set = setNumber(variable, names.localRank, 0, r.worldSize - 1, "rank", r.localRank);
    if (set)
        set = setNumber(variable, names.localWorld, 1, r.worldSize, "number of ranks", r.localWorldSize);
    if (set)
        set = setNumber(variable, "MASTER_PORT", 1, 65535, "port", r.port);
    if (!set)
        return set.error();
    if (const char *host = variable("MASTER_ADDR"))
        r.host = host;
    r.secretFile = textOf(variable, "SLIPWAY_SECRET_FILE");
    return environment;
}

std::optional<int> descriptor(const Variable &variable, const char *name)
{
    const char *const text = variable(name);
    const std::optional<std::int64_t> fd = text ? parseInteger(text) : std::nullopt;
    return fd && *fd > 2 && *fd < 1'000'000 ? std::optional(static_cast<int>(*fd)) : std::nullopt;
}

std::int64_t countOf(const Variable &variable, const char *name)
{
    return parseInteger(textOf(variable, name)).value_or(0);
}

// A port that is the same for all tasks of a step, and differs between steps that run on a node at the same time, also
// of other jobs, or of another cluster with the same job numbers. It is below the range that systems use for outgoing
// connections.
int portOfStep(const Variable &variable)
{
    std::uint32_t hash = 0x811c9dc5U; // FNV-1a
    for (const char *name : {"SLURM_CLUSTER_NAME", "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_SRUN_COMM_PORT"}) {
        for (const char c : textOf(variable, name) + "/")
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193U;
    }
    return 20000 + static_cast<int>(hash % 12000);
}

// A launcher that sets the number of ranks on the machine starts all of them at once. Ranks of other machines cannot
// connect to a loopback address.
void setTogether(Rendezvous &r, const char *ranksOfMachine)
{
    const bool together = r.localWorldSize == r.worldSize && ranksOfMachine;
    r.oneMachine = together || r.host == "localhost" || r.host == "::1" || r.host.starts_with("127.");
    if (together)
        r.joinTimeout = r.peerTimeout;
}

} // namespace

std::string firstHost(std::string_view nodeList)
{
    const std::size_t bracket = nodeList.find('['), comma = nodeList.find(',');
    if (bracket == std::string_view::npos || comma < bracket)
        return std::string(nodeList.substr(0, comma));
    const std::string_view inner = nodeList.substr(bracket + 1);
    return std::string(nodeList.substr(0, bracket)) + std::string(inner.substr(0, inner.find_first_of("-,]")));
}

Rendezvous withTimeouts(Rendezvous rendezvous, const GivenTimeouts &given, bool gpus)
{
    rendezvous.peerTimeout = given.peer;
    rendezvous.loadTimeout = std::max(given.load > 0 ? given.load : kLoading, given.peer);
    if (given.join > 0)
        rendezvous.joinTimeout = given.join;
    else
        rendezvous.joinTimeout =
            std::max({rendezvous.joinTimeout, given.peer, gpus ? rendezvous.loadTimeout : Seconds(0)});
    rendezvous.startTimeout = std::max(given.peer, std::min(rendezvous.joinTimeout, deadline::kPeer));
    return rendezvous;
}

Result<LaunchEnvironment> launchEnvironment(const Variable &variable)
{
    if (variable("WORLD_SIZE")) {
        Result<LaunchEnvironment> environment =
            read(variable, {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"});
        if (!environment)
            return environment;
        Rendezvous &r = environment->rendezvous;
        if (r.worldSize > 1 && !variable("MASTER_ADDR"))
            return Error{.what = "is not set, and WORLD_SIZE is " + std::to_string(r.worldSize),
                .where = "MASTER_ADDR",
                .accepted = "the name or address of the first node, as torchrun sets it"};
        r.hosted = textOf(variable, "TORCHELASTIC_USE_AGENT_STORE") == "True";
        r.generation = textOf(variable, "TORCHELASTIC_RUN_ID") + "/" + textOf(variable, "TORCHELASTIC_RESTART_COUNT") +
                       textOf(variable, "SLIPWAY_RESTART");
        environment->restarted = countOf(variable, "TORCHELASTIC_RESTART_COUNT") > 0;
        r.listenFd = descriptor(variable, "SLIPWAY_LISTEN_FD");
        r.secretFd = descriptor(variable, "SLIPWAY_SECRET_FD");
        environment->causeFd = descriptor(variable, "SLIPWAY_CAUSE_FD");
        r.launched = environment->causeFd.has_value();
        setTogether(r, variable("LOCAL_WORLD_SIZE"));
        return environment;
    }
    // sbatch also sets SLURM_NTASKS for the batch script, which is not a rank. Only a step has SLURM_STEP_NUM_TASKS.
    if (variable("SLURM_STEP_NUM_TASKS") && variable("SLURM_PROCID")) {
        Result<LaunchEnvironment> environment =
            read(variable, {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr});
        if (!environment)
            return environment;
        Rendezvous &r = environment->rendezvous;
        // "4(x2),3": number of tasks on each node. The first number is close enough, as it only divides the cores.
        if (const auto local = parseInteger(textOf(variable, "SLURM_STEP_TASKS_PER_NODE")
                    .substr(0, textOf(variable, "SLURM_STEP_TASKS_PER_NODE").find_first_of("(,"))))
            r.localWorldSize = std::clamp(static_cast<int>(*local), 1, r.worldSize);
        if (!variable("MASTER_ADDR") && variable("SLURM_STEP_NODELIST"))
            r.host = firstHost(textOf(variable, "SLURM_STEP_NODELIST"));
        setTogether(r, variable("SLURM_STEP_TASKS_PER_NODE"));
        if (!variable("MASTER_PORT"))
            r.port = portOfStep(variable);
        environment->restarted = countOf(variable, "SLURM_RESTART_COUNT") > 0;
        r.generation = textOf(variable, "SLURM_JOB_ID") + "/" + textOf(variable, "SLURM_STEP_ID");
        return environment;
    }
    return LaunchEnvironment{};
}

} // namespace slipway
