// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "hosts/host.h"

namespace slipway {

class LocalHost final : public Host {
public:
    // Empty: slipway-train beside this program, else on PATH.
    explicit LocalHost(std::filesystem::path trainer = {});

    [[nodiscard]] std::string name() const override { return "local"; }
    Preflight preflight(const RunConfig &config, const std::filesystem::path &directory, Bytes diskNeeded) override;
    [[nodiscard]] std::vector<std::string> trainerCommand(const RunConfig &config, const std::filesystem::path &directory, bool resume) const override;
    Result<Started> start(const StartRequest &request) override;
    [[nodiscard]] RunStanding standing(const RunPaths &paths) const override;
    Result<void> requestStop(const RunPaths &paths) override;
    Result<void> signalGroup(const RunPaths &paths, int signalNumber) override;

    [[nodiscard]] const std::filesystem::path &trainer() const { return m_trainer; }

private:
    std::filesystem::path m_trainer;
};

// A program of this name beside the running one, else on PATH; empty where there is none.
std::filesystem::path siblingProgram(const std::string &name);

} // namespace slipway
