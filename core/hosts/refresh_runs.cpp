// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/refresh_runs.h"

#include <future>

#include "runs/remote_run.h"

namespace slipway {

std::vector<Error> RunRefresher::refresh(const std::vector<std::filesystem::path> &directories)
{
    std::map<std::string, std::vector<std::filesystem::path>> byHost;
    for (const std::filesystem::path &directory : directories) {
        const RunPaths paths{directory};
        const Result<RemoteRun> run = isRemoteRun(paths) ? readRemoteRun(paths) : Result<RemoteRun>(RemoteRun{});
        if (!run || run->host.empty())
            continue;
        const std::optional<KnownStatus> known = readKnownStatus(paths);
        if (known && !isTerminal(known->status.state) && known->status.state != RunState::Draft)
            byHost[run->host].push_back(directory);
    }
    std::vector<Error> errors;
    std::vector<std::future<std::vector<Error>>> answers;
    for (const auto &[name, runs] : byHost) {
        std::unique_ptr<Host> &host = m_hosts[name];
        if (!host) {
            Result<std::unique_ptr<Host>> made = m_makeHost(runs.front());
            if (!made) {
                errors.push_back(made.error());
                continue;
            }
            host = std::move(*made);
        }
        answers.push_back(
            std::async(std::launch::async, [&host = *host, runs = runs] { return host.refreshAll(runs); }));
    }
    for (auto &answer : answers) {
        const std::vector<Error> some = answer.get();
        errors.insert(errors.end(), some.begin(), some.end());
    }
    return errors;
}

} // namespace slipway
