// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "hosts/shell_host.h"

namespace slipway {

// A machine that ssh reaches and on which runs are executed directly.
class SshHost : public ShellHost {
public:
    SshHost(std::string name, std::unique_ptr<Shell> shell, std::string home)
        : ShellHost(std::move(name), std::move(shell), std::move(home), {})
    {
    }

    [[nodiscard]] std::vector<PlannedCommand> plannedCommands(const std::vector<PlannedRun> &runs) const override;

protected:
    Result<Started> startOnHost(const StartRequest &request, const std::filesystem::path &copy) override;
    [[nodiscard]] RunStatus judge(const RunQueryResult &result, const KnownStatus &before) override;
    void addChecks(const RunConfig &config, const HostFacts &facts, Preflight &preflight) override;
};

} // namespace slipway
