// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/refresh_runs.h"

#include <future>
#include <map>

#include "hosts/host.h"
#include "runs/remote_run.h"

namespace slipway {

namespace {

std::vector<Error> refreshOnOneHost(const std::vector<std::filesystem::path> &directories)
{
    std::vector<Error> errors;
    const Result<std::unique_ptr<Host>> host = hostOfRun(directories.front());
    if (!host)
        return {host.error()};
    std::string unreachable;
    for (const std::filesystem::path &directory : directories) {
        const RunPaths paths{directory};
        std::optional<KnownStanding> known = readKnownStanding(paths);
        if (!unreachable.empty() && known) { // waited for once
            known->unreachable = unreachable;
            if (const Result<void> written = writeKnownStanding(paths, *known); !written)
                errors.push_back(written.error());
            continue;
        }
        if (const Result<void> refreshed = (*host)->refresh(paths); !refreshed)
            errors.push_back(refreshed.error());
        if (known = readKnownStanding(paths); known)
            unreachable = known->unreachable;
    }
    return errors;
}

} // namespace

std::vector<Error> refreshRuns(const std::vector<std::filesystem::path> &directories)
{
    std::map<std::string, std::vector<std::filesystem::path>> byHost;
    for (const std::filesystem::path &directory : directories) {
        const RunPaths paths{directory};
        const Result<RemoteRun> run = isRemoteRun(paths) ? readRemoteRun(paths) : Result<RemoteRun>(RemoteRun{});
        if (!run || run->host.empty())
            continue;
        const std::optional<KnownStanding> known = readKnownStanding(paths);
        if (known && !isTerminal(known->standing.state) && known->standing.state != RunState::Draft)
            byHost[run->host].push_back(directory);
    }
    std::vector<std::future<std::vector<Error>>> hosts;
    for (const auto &[host, runs] : byHost)
        hosts.push_back(std::async(std::launch::async, refreshOnOneHost, runs));
    std::vector<Error> errors;
    for (auto &host : hosts) {
        const std::vector<Error> some = host.get();
        errors.insert(errors.end(), some.begin(), some.end());
    }
    return errors;
}

} // namespace slipway
