// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The hosts to choose from: this machine, a Slurm cluster that it can submit to, the aliases of the user's SSH
// configuration, and the hosts that the user has added.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace slipway::ui {

// The hosts of an OpenSSH configuration and its included files, without patterns and duplicates, in order.
std::vector<std::string> sshAliases(const std::filesystem::path &config);

struct ListedHost {
    std::string name;   // the name that makeHost accepts
    std::string source; // "this machine", "ssh configuration", "added", "Slurm"
    bool added = false; // the user can remove it
    bool operator==(const ListedHost &) const = default;
};

class HostList {
public:
    // $XDG_CONFIG_HOME/slipway/hosts with one name per line, and ~/.ssh/config.
    static std::filesystem::path defaultFile();
    static std::filesystem::path sshConfig();

    explicit HostList(
        std::filesystem::path file = defaultFile(), std::filesystem::path ssh = sshConfig(), bool slurm = slurmHere());
    [[nodiscard]] std::vector<ListedHost> hosts() const;
    // Refuses empty names, names with spaces, and names that start with a dash, which ssh would read as an option.
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
