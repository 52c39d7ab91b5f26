// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The common base of the ssh and Slurm hosts: a host that is queried by shell scripts and on which runs have a
// directory, with a local copy. If the shell runs on this machine, the run has only one directory and nothing is
// copied.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "hosts/fetched_files.h"
#include "hosts/host.h"
#include "hosts/host_probe.h"
#include "hosts/kept_folder.h"
#include "hosts/preflight.h"
#include "hosts/run_query.h"
#include "hosts/shell.h"
#include "runs/remote_run.h"

namespace slipway {

class ShellHost : public Host {
public:
    [[nodiscard]] std::string name() const override { return m_name; }
    [[nodiscard]] std::chrono::milliseconds refreshInterval() const override { return std::chrono::seconds(2); }
    Result<HostFacts> facts() override;
    Preflight preflight(const RunConfig &config, const std::filesystem::path &directory, Bytes diskNeeded) override;
    [[nodiscard]] std::vector<std::string> trainerCommand(
        const RunConfig &config, const std::filesystem::path &directory, bool resume) const override;
    [[nodiscard]] std::vector<PlannedCommand> plannedCommands(const std::vector<PlannedRun> &runs) const override;
    Result<void> prepare(const std::vector<PlannedRun> &runs) override;
    Result<Started> start(const StartRequest &request) override;
    Result<void> refresh(const RunPaths &paths) override;
    std::vector<Error> refreshAll(const std::vector<std::filesystem::path> &directories) override;
    [[nodiscard]] RunStatus status(const RunPaths &paths) override;
    Result<void> requestStop(const RunPaths &paths) override;
    Result<void> signalGroup(const RunPaths &paths, int signalNumber) override;
    Result<void> fetch(const RunPaths &paths, FetchScope what) override;
    Result<Bytes> fetchBytes(const RunPaths &paths, FetchScope what) override;
    Result<bool> fetchFolder(const RunPaths &paths, const std::string &workdir, const std::string &folder) override;
    Result<void> uploadRun(const RunPaths &paths, const RunConfig &config, const std::string &folder) override;

    // Writes a small file into the run directory on the host, readable only by its owner.
    Result<void> writeText(const RunPaths &paths, const std::string &name, const std::string &text);
    // Copies the latest checkpoint from the local copy `from` into the directory of the run `to` on the host.
    Result<void> sendCheckpoint(const RunPaths &from, const RunPaths &to);
    // The address at which the host accepted the connection. The host reports it, so it must be validated.
    Result<std::string> remoteAddress();

protected:
    // `home`: Slipway's folder on the host; empty: ~/.local/share/slipway.
    ShellHost(std::string name, std::unique_ptr<Shell> shell, std::string home, std::vector<std::string> options);

    // Starts an attempt, only once even if called repeatedly. `request`: the directory on the host; `copy`: the local
    // one.
    virtual Result<Started> startOnHost(const StartRequest &request, const std::filesystem::path &copy) = 0;
    // The state of the run from a query; `before`: the last known state. Slurm adds what its controller reports.
    [[nodiscard]] virtual RunStatus judge(const RunQueryResult &result, const KnownStatus &before) = 0;
    [[nodiscard]] virtual RunQuery::Job jobQuery(const std::string &)
    {
        return RunQuery::Job::None;
    } // for the next query of a directory on the host
    virtual void addChecks(const RunConfig &config, const HostFacts &facts, Preflight &preflight) = 0;
    [[nodiscard]] virtual bool listsPartitions() const { return false; }

    Result<ChildResult> runWithRetry(const std::string &script, const std::vector<std::string> &arguments);
    // Returns the output of the script, or its error message as an error.
    Result<std::string> ask(
        const std::string &script, const std::vector<std::string> &arguments, const std::string &where);
    [[nodiscard]] std::string trainer() const; // path on the host
    [[nodiscard]] std::string remoteDirectory(const std::filesystem::path &directory) const;
    [[nodiscard]] Shell &shell() const { return *m_shell; }
    [[nodiscard]] const std::vector<std::string> &options() const { return m_options; }

private:
    // A file to write on the host.
    struct RemoteText {
        std::string directory, name, text;
    };
    using Moved = std::map<std::string, std::string>; // copied files: local path, path on the host
    Result<std::vector<RemoteRun>> makeDirectories(const std::vector<PlannedRun> &runs);
    Result<Moved> copyFiles(const std::vector<PlannedRun> &runs, const std::string &home);
    [[nodiscard]] static RunConfig remoteConfig(RunConfig config, const std::string &directory, const Moved &moved);
    Result<void> writeRuns(
        const std::vector<PlannedRun> &runs, const std::vector<RemoteRun> &there, const Moved &moved);
    Result<void> writeRemoteFiles(const std::vector<RemoteText> &files);
    [[nodiscard]] NodeBundle trainerToCopy() const;
    Result<void> copyTrainer(const HostFacts &facts);
    Result<void> fetchSmallFiles(const RunPaths &paths, const std::string &directory);
    Result<void> fetchCheckpoint(const RunPaths &paths, const std::string &directory);
    Result<void> fetchLatest(const RunPaths &paths, const std::string &directory, const std::string &second);
    // `known`: the rsync option that names a local folder; files that it contains unchanged are not sent again.
    Result<void> fetchInto(FetchFolder &folder, const std::string &from, const std::string &known,
        const FetchRules &rules, std::chrono::milliseconds timeLimit);
    Result<RemoteFolder> remoteFolder(const std::string &workdir, const std::string &folder);
    Result<void> fetchEntry(const RunPaths &paths, const std::string &from, const FolderEntry &entry);
    struct Followed;
    std::vector<Error> refreshLocked(std::vector<Followed> runs);
    Result<bool> take(Followed &run, const RunQueryResult &result); // true: there is more to copy
    Result<HostProbeResult> probe(const RunConfig &config, const std::filesystem::path &directory, Bytes diskNeeded);

    std::string m_name;
    std::unique_ptr<Shell> m_shell;
    std::string m_home;
    std::vector<std::string> m_options;
    std::optional<HostFacts> m_facts; // from the last preflight
    std::map<std::string, Bytes>
        m_inputsOnHost; // from the last preflight: data on the host under the same path as here
};

} // namespace slipway
