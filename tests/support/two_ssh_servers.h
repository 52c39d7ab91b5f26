// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Two real sshds with one configuration of ssh, in which they are node1 and node2.
#pragma once

#include "support/ssh_server.h"

namespace slipway {

class TwoSshServers {
public:
    TwoSshServers()
    {
        writeText(m_folder.path() / "ssh_config", both());
        ::setenv("SLIPWAY_SSH_CONFIG", (m_folder.path() / "ssh_config").c_str(), 1);
        ::setenv("XDG_RUNTIME_DIR", m_folder.path().c_str(), 1);
    }
    ~TwoSshServers()
    {
        for (const char *alias : {"node1", "node2"})
            (void)runChild(
                {"ssh", "-F", (m_folder.path() / "ssh_config").string(), "-o",
                    "ControlPath=" + (m_folder.path() / "slipway-ssh/%C").string(), "-O", "exit", "--", alias},
                std::chrono::seconds(10));
    }
    [[nodiscard]] std::string problem() const
    {
        return m_first.problem().empty() ? m_second.problem() : m_first.problem();
    }
    [[nodiscard]] SshServer &first() { return m_first; }
    [[nodiscard]] SshServer &second() { return m_second; }

private:
    [[nodiscard]] std::string both() const
    {
        return "Include " + m_first.path("ssh_config") + "\nInclude " + m_second.path("ssh_config") + "\n";
    }

    TemporaryDirectory m_folder;
    SshServer m_first{{}, {}, "node1"}, m_second{{}, {}, "node2"};
};

} // namespace slipway
