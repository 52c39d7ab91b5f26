// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Follows a log on another host that belongs to a training that Slipway did not start: its new bytes are appended to
// script.log of the local run. The host is only queried; nothing is written, started or stopped there.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "hosts/host.h"
#include "hosts/shell.h"

namespace slipway {

// A remote log, which `slipway attach` accepts in place of a file: "node7:/data/train.log", "slurm:123",
// "slurm:login:123".
struct RemoteLog {
    std::string host; // an alias of ssh; empty: this machine
    std::string path; // absolute path; empty: the output file that Slurm reports for `job`
    std::string job;  // Slurm's job number
    bool operator==(const RemoteLog &) const = default;
};
// Empty if the text names a file on this machine.
Result<std::optional<RemoteLog>> remoteLogOf(const std::string &text);

class AttachedHost final : public Host {
public:
    // "log:", the host, and "#JOB" for a Slurm job.
    static Result<std::unique_ptr<Host>> make(const std::string &name);
    static std::string nameOf(const RemoteLog &log);

    // The path of the log: the given path if that can be read, else the path that Slurm reports for its job.
    Result<std::string> find(const RemoteLog &log);

    [[nodiscard]] std::string name() const override { return m_name; }
    [[nodiscard]] std::chrono::milliseconds refreshInterval() const override { return std::chrono::seconds(2); }
    Result<void> refresh(const RunPaths &paths) override;
    [[nodiscard]] RunStatus status(const RunPaths &paths) override;

    Result<HostFacts> facts() override { return refused(); }
    Preflight preflight(const RunConfig &config, const std::filesystem::path &directory, Bytes diskNeeded) override;
    [[nodiscard]] std::vector<std::string> trainerCommand(
        const RunConfig &, const std::filesystem::path &, bool) const override
    {
        return {};
    }
    [[nodiscard]] std::vector<PlannedCommand> plannedCommands(const std::vector<PlannedRun> &) const override
    {
        return {};
    }
    Result<void> prepare(const std::vector<PlannedRun> &) override { return refused(); }
    Result<Started> start(const StartRequest &) override { return refused(); }
    Result<void> requestStop(const RunPaths &) override { return refused(); }
    Result<void> signalGroup(const RunPaths &, int) override { return refused(); }
    Result<void> fetch(const RunPaths &, FetchScope) override { return refused(); }
    Result<Bytes> fetchBytes(const RunPaths &, FetchScope) override { return refused(); }

private:
    AttachedHost(std::string name, std::unique_ptr<Shell> shell, std::string job)
        : m_name(std::move(name)),
          m_shell(std::move(shell)),
          m_job(std::move(job))
    {
    }
    [[nodiscard]] Error refused() const;
    Result<bool> takeOnce(const RunPaths &paths, const std::string &file, RunStatus &status);

    std::string m_name;
    std::unique_ptr<Shell> m_shell;
    std::string m_job;
};

} // namespace slipway
