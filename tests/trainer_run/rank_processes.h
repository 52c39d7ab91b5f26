// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ranks that are processes of this machine, for tests that start and end them.
#pragma once

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <sys/types.h>
#include <vector>

#include <fmt/format.h>

#include "scratch_folder.h"
#include "tiny_run.h"

namespace slipway::testing {

using Flags = std::vector<std::string>;

inline Flags runCommand(const RunPaths &run, const Flags &flags)
{
    Flags command{SLIPWAY_TRAIN, "run", run.directory.string(), "--threads", "2"};
    command.insert(command.end(), flags.begin(), flags.end());
    return command;
}

// Processes whose parent this is, of the launcher's ranks the one with this RANK.
inline pid_t pidOfRank(const RunPaths &run, int rank)
{
    for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
        const std::string command = readBytes(entry.path() / "cmdline"),
                          environment = readBytes(entry.path() / "environ");
        if (command.find(run.directory.string() + std::string(1, '\0')) != std::string::npos &&
            environment.find(std::string(1, '\0') + "RANK=" + std::to_string(rank) + std::string(1, '\0')) !=
                std::string::npos)
            return static_cast<pid_t>(std::strtol(entry.path().filename().c_str(), nullptr, 10));
    }
    return -1;
}

// Throws where the rank has no process: kill(-1) would reach every process of this user.
inline void signalRank(const RunPaths &run, int rank, int number)
{
    const pid_t pid = pidOfRank(run, rank);
    if (pid <= 0)
        throw std::runtime_error(fmt::format("rank {} has no process", rank));
    ::kill(pid, number);
}

inline const Flags kEndless{"gpus: 2", "parallel: fsdp-full", "steps: 1000000", "checkpoint_every: 5"};

// As torchrun sets them.
inline void setRank(int rank, int world, const std::string &host, int port)
{
    for (const auto &[name, value] : std::map<const char *, std::string>{{"RANK", std::to_string(rank)},
             {"WORLD_SIZE", std::to_string(world)}, {"MASTER_ADDR", host}, {"MASTER_PORT", std::to_string(port)}})
        ::setenv(name, value.c_str(), 1);
}

} // namespace slipway::testing
