// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "hosts/host.h"

namespace slipway {

class LocalHost : public Host {
public:
    // If `trainer` is empty, slipway-train is searched next to this program and then in PATH.
    explicit LocalHost(std::filesystem::path trainer = {});

    [[nodiscard]] std::string name() const override { return "local"; }
    [[nodiscard]] std::chrono::milliseconds refreshInterval() const override { return std::chrono::milliseconds(250); }
    Result<HostFacts> facts() override;
    Preflight preflight(const RunConfig &config, const std::filesystem::path &directory, Bytes diskNeeded) override;
    [[nodiscard]] std::vector<std::string> trainerCommand(
        const RunConfig &config, const std::filesystem::path &directory, bool resume) const override;
    [[nodiscard]] std::vector<PlannedCommand> plannedCommands(const std::vector<PlannedRun> &runs) const override;
    Result<void> prepare(const std::vector<PlannedRun> &) override { return {}; }
    Result<Started> start(const StartRequest &request) override;
    Result<void> refresh(const RunPaths &) override { return {}; }
    [[nodiscard]] RunStatus status(const RunPaths &paths) override;
    Result<void> requestStop(const RunPaths &paths) override;
    Result<void> signalGroup(const RunPaths &paths, int signalNumber) override;
    Result<void> fetch(const RunPaths &, FetchScope) override { return {}; }
    Result<Bytes> fetchBytes(const RunPaths &, FetchScope) override { return Bytes{0}; }
    Result<bool> fetchFolder(const RunPaths &paths, const std::string &workdir, const std::string &folder) override;
    Result<void> uploadRun(const RunPaths &paths, const RunConfig &config, const std::string &folder) override;

    [[nodiscard]] const std::filesystem::path &trainer() const { return m_trainer; }

private:
    void addGpuChecks(const RunConfig &config, Preflight &preflight);

    std::filesystem::path m_trainer;
};

// A program with this name in the folder of the running program, else in PATH; empty if there is none.
std::filesystem::path siblingProgram(const std::string &name);

} // namespace slipway
