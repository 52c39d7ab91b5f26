// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/ssh_host.h"

#include "base/text.h"
#include "hosts/launch_script.h"
#include "hosts/preflight.h"
#include "hosts/script_command.h"
#include "hosts/shell_quote.h"

namespace slipway {

namespace {

std::vector<std::string> startArguments(const StartRequest &request)
{
    std::vector<std::string> arguments{request.directory.string(), std::to_string(request.attempt)};
    arguments.insert(arguments.end(), request.command.begin(), request.command.end());
    return arguments;
}

} // namespace

std::vector<PlannedCommand> SshHost::plannedCommands(const std::vector<PlannedRun> &runs) const
{
    std::vector<PlannedCommand> planned = ShellHost::plannedCommands(runs);
    for (const PlannedRun &run : runs) {
        const std::vector<std::string> command = trainerCommand(run.config, run.directory, false);
        const bool script = run.config.training.runsScript();
        planned.push_back(
            {.what = script ? "start the command there in its own process group, which outlives the connection"
                            : "start the trainer there in its own process group, which outlives the connection",
                .command = shell().shown(shellQuoted(script ? scriptWords(run.config, {}, false) : command)),
                .exact = shell().shownRun(launchScript(),
                    startArguments({.directory = remoteDirectory(run.directory), .command = command}))});
    }
    return planned;
}

Result<Started> SshHost::startOnHost(const StartRequest &request, const std::filesystem::path &)
{
    const Result<ChildResult> said = runWithRetry(launchScript(), startArguments(request));
    if (!said)
        return said.error();
    if (said->exitStatus != 0)
        return Error{.what = "the run could not be started: " + std::string(trimmed(said->err)),
            .where = name(),
            .accepted = "a directory that can be written",
            .fault = Fault::Outside};
    return parseLaunchReply(said->out, request);
}

RunStatus SshHost::judge(const RunQueryResult &result, const KnownStatus &)
{
    if (!result.directoryExists)
        return {.state = RunState::Unknown,
            .exitStatus = {},
            .detail = "the run directory cannot be found on the host now"};
    return statusFrom(result.facts);
}

void SshHost::addChecks(const RunConfig &config, const HostFacts &facts, Preflight &preflight)
{
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return;
    preflight.checks.push_back(gpuCheck(facts, config, *catalogue));
    preflight.checks.push_back(planCheck(facts, config, *catalogue));
}

} // namespace slipway
