// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The hosts that can be chosen: this machine, a Slurm cluster to which it can submit jobs, the aliases of the user's
// SSH configuration, and the hosts that the user has added.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace slipway::ui {

// Returns the hosts of an OpenSSH configuration and its included files in order, without patterns and duplicates.
std::vector<std::string> sshAliases(const std::filesystem::path &config);

struct ListedHost {
    std::string name;   // the name that makeHost accepts
    std::string source; // "this machine", "ssh configuration", "added", "Slurm"
    bool added = false; // the user can remove this host
    bool operator==(const ListedHost &) const = default;
};

class HostList {
public:
    // Return $XDG_CONFIG_HOME/slipway/hosts, which has one name per line, and ~/.ssh/config.
    static std::filesystem::path defaultFile();
    static std::filesystem::path sshConfig();

    explicit HostList(
        std::filesystem::path file = defaultFile(), std::filesystem::path ssh = sshConfig(), bool slurm = slurmHere());
    [[nodiscard]] std::vector<ListedHost> hosts() const;
    // Refuses empty names, names with spaces, and names that start with a dash, because ssh would read these as
    // options.
    Result<void> add(const std::string &name);
    Result<void> remove(const std::string &name);

private:
    static bool slurmHere(); // whether sbatch is on PATH
    [[nodiscard]] std::vector<std::string> added() const;
    Result<void> write(const std::vector<std::string> &names) const;

    std::filesystem::path m_file, m_ssh;
    bool m_slurm;
};

} // namespace slipway::ui
