// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Uses the ssh client of the user: its configuration, aliases, jump hosts, keys and agent. SLIPWAY_SSH_CONFIG names
// another configuration file. Connections are shared (ControlMaster) over a socket in a private folder of the user.
// Unknown or changed host keys are never accepted.
#pragma once

#include <memory>
#include <string>

#include "hosts/shell.h"

namespace slipway {

class SshShell final : public Shell {
public:
    // Rejects names that ssh would parse as an option, and invalid host names. Contacts no host.
    static Result<std::unique_ptr<SshShell>> to(const std::string &alias);

    Result<ChildResult> run(
        const std::string &script, const std::vector<std::string> &arguments, const ChildLimits &limits) override;
    [[nodiscard]] std::string name() const override { return m_alias; }
    [[nodiscard]] bool isLocal() const override { return false; }
    [[nodiscard]] std::string shown(const std::string &command) const override;

private:
    [[nodiscard]] std::vector<std::string> runCommand() const override;
    [[nodiscard]] std::string runInput(
        const std::string &script, const std::vector<std::string> &arguments) const override;
    [[nodiscard]] std::vector<std::string> rsyncOptions() const override;
    [[nodiscard]] std::string rsyncPlace(const std::string &path) const override { return m_alias + ":" + path; }
    [[nodiscard]] std::optional<Error> connectionError(const std::string &errors) const override;
    SshShell(std::string alias, std::vector<std::string> ssh) : m_alias(std::move(alias)), m_ssh(std::move(ssh)) {}

    std::string m_alias;
    std::vector<std::string> m_ssh; // ssh and its options, without the host
};

// Explains a failure of ssh itself (exit status 255) and how to fix it, from its error output. The fault is always
// Fault::Outside.
Error sshError(const std::string &alias, const std::string &stderrText);

} // namespace slipway
