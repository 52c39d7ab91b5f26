// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <chrono>
#include <map>

#include "hosts/shell_host.h"
#include "hosts/slurm_script.h"

namespace slipway {

// A Slurm cluster, used over ssh from its login node, or directly if this machine is one. Runs are stored on the shared
// file system of the cluster.
class SlurmHost final : public ShellHost {
public:
    // The controller is queried for a run at most every `controllerPace`; between these queries the state follows from
    // the run directory.
    SlurmHost(std::string name, std::unique_ptr<Shell> shell, std::string home, std::vector<std::string> options,
        std::chrono::milliseconds controllerPace = std::chrono::seconds(15))
        : ShellHost(std::move(name), std::move(shell), std::move(home), std::move(options)),
          m_controllerPace(controllerPace)
    {
    }

    [[nodiscard]] std::vector<std::string> trainerCommand(
        const RunConfig &config, const std::filesystem::path &directory, bool resume) const override;
    [[nodiscard]] std::vector<PlannedCommand> plannedCommands(const std::vector<PlannedRun> &runs) const override;
    Result<void> requestStop(const RunPaths &paths) override;
    Result<void> signalGroup(const RunPaths &paths, int signalNumber) override;

    [[nodiscard]] bool supportsStartAll() const override { return true; }
    Result<std::vector<Started>> startAll(const std::vector<StartRequest> &requests) override;

protected:
    Result<Started> startOnHost(const StartRequest &request, const std::filesystem::path &copy) override;
    [[nodiscard]] RunStatus judge(const RunQueryResult &result, const KnownStatus &before) override;
    [[nodiscard]] RunQuery::Job jobQuery(const std::string &directory) override;
    void addChecks(const RunConfig &config, const HostFacts &facts, Preflight &preflight) override;
    [[nodiscard]] bool listsPartitions() const override { return true; }

private:
    Result<std::string> submit(const std::vector<StartRequest> &tasks, const JobResources &resources, bool &already);

    std::chrono::milliseconds m_controllerPace;
    std::map<std::string, std::chrono::steady_clock::time_point> m_asked; // time of the last query, by run directory
};

} // namespace slipway
