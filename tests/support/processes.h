// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/types.h>
#include <vector>

namespace slipway {

struct Process {
    pid_t pid = 0, parent = 0, group = 0;
    char state = 0; // of proc(5): 'Z' and 'X' have ended
};

// Of this machine; one that ends while it is read is left out.
inline std::vector<Process> processes()
{
    std::vector<Process> all;
    std::error_code ignored;
    for (std::filesystem::directory_iterator entry("/proc", ignored), end; !ignored && entry != end;
        entry.increment(ignored)) {
        if (entry->path().filename().string().find_first_not_of("0123456789") != std::string::npos)
            continue;
        std::ostringstream read; // empty where the process is gone, which an iterator would throw at
        read << std::ifstream(entry->path() / "stat").rdbuf();
        const std::string stat = read.str();
        const std::size_t close = stat.rfind(')'); // of its name, which may hold anything
        if (close == std::string::npos)
            continue;
        Process process{.pid = std::stoi(stat)};
        std::istringstream(stat.substr(close + 1)) >> process.state >> process.parent >> process.group;
        all.push_back(process);
    }
    return all;
}

} // namespace slipway
