// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The hosts that can be named without typing: this machine, the aliases of the user's ssh configuration, a Slurm
// cluster that this machine submits to, and those that the user has added.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace slipway::ui {

// Host lines of an OpenSSH configuration without patterns, those of its Include lines too; each once, in order.
std::vector<std::string> sshAliases(const std::filesystem::path &config);

struct ListedHost {
    std::string name;   // as makeHost takes it
    std::string source; // "this machine", "ssh configuration", "added", "Slurm"
    bool added = false; // may be taken off the list
    bool operator==(const ListedHost &) const = default;
};

class HostList {
public:
    // $XDG_CONFIG_HOME/slipway/hosts, a name a line; ~/.ssh/config.
    static std::filesystem::path defaultFile();
    static std::filesystem::path sshConfig();

    explicit HostList(
        std::filesystem::path file = defaultFile(), std::filesystem::path ssh = sshConfig(), bool slurm = slurmHere());
    [[nodiscard]] std::vector<ListedHost> hosts() const;
    // Refused: empty, with white space, beginning with a dash (ssh would take it for an option).
    Result<void> add(const std::string &name);
    Result<void> remove(const std::string &name);

private:
    static bool slurmHere(); // sbatch is on PATH
    [[nodiscard]] std::vector<std::string> added() const;
    Result<void> write(const std::vector<std::string> &names) const;

    std::filesystem::path m_file, m_ssh;
    bool m_slurm;
};

} // namespace slipway::ui
