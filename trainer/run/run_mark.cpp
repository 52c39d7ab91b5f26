// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/run_mark.h"

#include <string>
#include <system_error>
#include <unistd.h>

#include "base/file.h"
#include "runs/liveness.h"

namespace slipway {

namespace {

// The group that a signal to the run has to reach: of a shell's job it is this process's own, in a script it is the
// script's. Where its leader has ended, nothing tells whether the group is still this one; then this process stands for
// itself.
ProcessMark ownMark(const LocalMachine &machine)
{
    const pid_t group = ::getpgrp();
    const std::optional<std::string> start = processStartTime(machine, group);
    return {.processGroup = start ? group : ::getpid(),
        .startTime = start ? *start : processStartTime(machine, ::getpid()).value_or(""),
        .bootId = machine.bootId,
        .hostName = machine.hostName};
}

// Only a launch leaves one: what supervises this process, and writes rc when it has ended.
std::filesystem::path supervisorOf(const RunPaths &paths) { return paths.directory / "supervisor"; }

} // namespace

RunMark RunMark::create(const RunPaths &paths)
{
    const LocalMachine machine = LocalMachine::here();
    const ProcessMark own = ownMark(machine);
    const std::optional<ProcessMark> there = readProcessMark(paths);
    std::error_code ignored;
    const bool ended =
        std::filesystem::exists(paths.exitStatus(), ignored); // a launch removes it before it starts anything
    const bool earlierOfOurs = there == own && !std::filesystem::exists(supervisorOf(paths), ignored);
    if (there && !ended && !earlierOfOurs && livenessOf(*there, machine) == Liveness::Alive)
        return RunMark(std::nullopt);
    for (const std::filesystem::path &path : {paths.exitStatus(), supervisorOf(paths)})
        std::filesystem::remove(path, ignored);
    // pgid comes last: where it is, the others are.
    bool written = true;
    for (const auto &[path, text] : {std::pair(paths.startTime(), own.startTime), std::pair(paths.bootId(), own.bootId),
             std::pair(paths.directory / "host", own.hostName),
             std::pair(paths.processGroup(), std::to_string(own.processGroup))})
        written = written && writePrivateFile(path, text + "\n");
    return written ? RunMark(paths) : RunMark(std::nullopt);
}

RunMark RunMark::existing(const RunPaths &paths)
{
    std::error_code ignored;
    const bool ours = readProcessMark(paths) == ownMark(LocalMachine::here()) &&
                      !std::filesystem::exists(supervisorOf(paths), ignored);
    return RunMark(ours ? std::optional(paths) : std::nullopt);
}

void RunMark::writeExitStatus(int exitStatus) const
{
    if (m_paths) [[maybe_unused]]
        const Result<void> written = writePrivateFile(m_paths->exitStatus(), std::to_string(exitStatus) + "\n");
}

} // namespace slipway
