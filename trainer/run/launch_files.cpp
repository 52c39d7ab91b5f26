// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/launch_files.h"

#include <string>
#include <system_error>
#include <unistd.h>

#include "base/file.h"
#include "runs/liveness.h"

namespace slipway {

namespace {

// The process group that a signal to the run must reach. For a job of an interactive shell, this is the group of this
// process; in a script, it is that of the script. If the leader of the group has ended, it cannot be verified that the
// group is still the same one; then this process is used by itself.
ProcessIdentity ownMark(const LocalMachine &machine)
{
    const pid_t group = ::getpgrp();
    const std::optional<std::string> start = processStartTime(machine, group);
    return {.processGroup = start ? group : ::getpid(),
        .startTime = start ? *start : processStartTime(machine, ::getpid()).value_or(""),
        .bootId = machine.bootId,
        .hostName = machine.hostName};
}

// This file exists only after a launch; it identifies the supervisor, which writes rc when this process has ended.
std::filesystem::path supervisorOf(const RunPaths &paths) { return paths.directory / "supervisor"; }

} // namespace

LaunchFiles LaunchFiles::create(const RunPaths &paths)
{
    const LocalMachine machine = LocalMachine::current();
    const ProcessIdentity own = ownMark(machine);
    const std::optional<ProcessIdentity> there = readProcessIdentity(paths);
    std::error_code ignored;
    const bool ended =
        std::filesystem::exists(paths.exitStatus(), ignored); // a launch removes it before it starts the process
    const bool earlierOfOurs = there == own && !std::filesystem::exists(supervisorOf(paths), ignored);
    if (there && !ended && !earlierOfOurs && livenessOf(*there, machine) == Liveness::Alive)
        return LaunchFiles(std::nullopt);
    for (const std::filesystem::path &path : {paths.exitStatus(), supervisorOf(paths)})
        std::filesystem::remove(path, ignored);
    // pgid is written last, so that all other files exist if it does.
    bool written = true;
    for (const auto &[path, text] : {std::pair(paths.startTime(), own.startTime), std::pair(paths.bootId(), own.bootId),
             std::pair(paths.directory / "host", own.hostName),
             std::pair(paths.processGroup(), std::to_string(own.processGroup))})
        written = written && writePrivateFile(path, text + "\n");
    return written ? LaunchFiles(paths) : LaunchFiles(std::nullopt);
}

LaunchFiles LaunchFiles::existing(const RunPaths &paths)
{
    std::error_code ignored;
    const bool ours = readProcessIdentity(paths) == ownMark(LocalMachine::current()) &&
                      !std::filesystem::exists(supervisorOf(paths), ignored);
    return LaunchFiles(ours ? std::optional(paths) : std::nullopt);
}

void LaunchFiles::writeExitStatus(int exitStatus) const
{
    if (m_paths) [[maybe_unused]]
        const Result<void> written = writePrivateFile(m_paths->exitStatus(), std::to_string(exitStatus) + "\n");
}

} // namespace slipway
