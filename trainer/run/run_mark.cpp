// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/run_mark.h"

#include <string>
#include <system_error>
#include <unistd.h>

#include "base/file.h"
#include "runs/liveness.h"

namespace slipway {

RunMark RunMark::leave(const RunPaths &paths)
{
    const LocalMachine machine = LocalMachine::here();
    const std::optional<ProcessMark> there = readProcessMark(paths);
    std::error_code ignored;
    const bool ended =
        std::filesystem::exists(paths.exitStatus(), ignored); // a launch removes it before it starts anything
    if (there && !ended && livenessOf(*there, machine) == Liveness::Alive)
        return RunMark(std::nullopt);
    std::filesystem::remove(paths.exitStatus(), ignored);
    const std::string startTime = processStartTime(machine, ::getpid()).value_or("");
    // pgid comes last: where it is, the others are.
    bool written = true;
    for (const auto &[path, text] : {std::pair(paths.startTime(), startTime), std::pair(paths.bootId(), machine.bootId),
             std::pair(paths.directory / "host", machine.hostName),
             std::pair(paths.processGroup(), std::to_string(::getpid()))})
        written = written && writeFileAtomically(path, text + "\n");
    return written ? RunMark(paths) : RunMark(std::nullopt);
}

RunMark RunMark::left(const RunPaths &paths)
{
    const std::optional<ProcessMark> there = readProcessMark(paths);
    return RunMark(there && there->processGroup == ::getpid() ? std::optional(paths) : std::nullopt);
}

void RunMark::ended(int exitStatus) const
{
    if (m_paths) [[maybe_unused]]
        const Result<void> written = writeFileAtomically(m_paths->exitStatus(), std::to_string(exitStatus) + "\n");
}

} // namespace slipway
