// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Several machines that ssh reaches, used as one host: a run is started on all of them. The local copy of the run is
// that of the first machine, where the first rank writes the metrics. The copies of the other machines are in its
// folder `nodes`. If a machine fails, the run is ended on the others, at the latest when the run is next refreshed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hosts/node_group.h"
#include "hosts/ssh_host.h"

namespace slipway {

class NodesHost final : public SshHost {
public:
    // Parses "node1,node2:/data".
    static Result<std::unique_ptr<Host>> make(const std::string &list);

    Preflight preflight(const RunConfig &config, const std::filesystem::path &directory, Bytes diskNeeded) override;
    [[nodiscard]] std::vector<std::string> trainerCommand(
        const RunConfig &config, const std::filesystem::path &directory, bool resume) const override;
    [[nodiscard]] std::vector<PlannedCommand> plannedCommands(const std::vector<PlannedRun> &runs) const override;
    Result<void> prepare(const std::vector<PlannedRun> &runs) override;
    Result<Started> start(const StartRequest &request) override;
    Result<void> refresh(const RunPaths &paths) override;
    std::vector<Error> refreshAll(const std::vector<std::filesystem::path> &directories) override;
    Result<void> requestStop(const RunPaths &paths) override;
    Result<void> signalGroup(const RunPaths &paths, int signalNumber) override;
    Result<void> fetch(const RunPaths &paths, FetchScope what) override;
    // NOLINTBEGIN(bugprone-parent-virtual-call): ShellHost's would serve the first node alone
    Result<bool> fetchFolder(const RunPaths &paths, const std::string &workdir, const std::string &folder) override
    {
        return Host::fetchFolder(paths, workdir, folder);
    }
    Result<void> uploadRun(const RunPaths &paths, const RunConfig &config, const std::string &folder) override
    {
        return Host::uploadRun(paths, config, folder);
    }
    // NOLINTEND(bugprone-parent-virtual-call)

protected:
    [[nodiscard]] RunStatus judge(const RunQueryResult &result, const KnownStatus &before) override;

private:
    NodesHost(std::string name, std::vector<std::string> names, std::unique_ptr<Shell> lead, std::string home,
        std::vector<std::unique_ptr<SshHost>> others);

    using OnNode = std::function<Result<void>(SshHost &host, std::size_t node)>;
    // Calls `act` on all nodes but the first, several at a time; returns the first error.
    Result<void> onOtherNodes(const OnNode &act) const;
    [[nodiscard]] int nodes() const { return static_cast<int>(m_names.size()); }
    [[nodiscard]] std::vector<std::string> commandOf(std::size_t node, const RunConfig &config,
        const std::filesystem::path &directory, const RanksOfNode &ranks) const;
    Result<void> startOthers(const StartRequest &request, const RunConfig &config, const RanksOfNode &ranks);
    Result<void> shareKey(const RunPaths &paths);
    Result<void> shareCheckpoint(const RunPaths &paths);
    Result<void> endTogether(const RunPaths &paths);

    std::vector<std::string> m_names;
    std::vector<std::unique_ptr<SshHost>> m_others; // nodes 1 and up
    std::vector<NodeStatus> m_statuses;             // from the last refresh; the first node as if it were alone
    std::optional<std::size_t> m_cause;             // the node whose failure ended the run that is being refreshed
};

} // namespace slipway
