// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which process runs a run, whether it is alive, and the state of the run that follows. Nothing is guessed: a process
// that cannot be seen from this machine is Unknown, not Gone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runs/run_directory.h"

namespace slipway {

enum class Liveness { Alive, Gone, Unknown };

// The process group that runs a run, as the launch script wrote it: the files pgid, starttime, boot_id and host of the
// run directory. If a start was interrupted before these files were moved there, those of the last attempt's folder.
struct ProcessIdentity {
    std::int64_t processGroup = 0;
    std::string startTime; // field 22 of /proc/PID/stat, in clock ticks since boot
    std::string bootId;
    std::string hostName; // empty: the version that created the directory did not write it
    bool operator==(const ProcessIdentity &) const = default;
};

std::optional<ProcessIdentity> readProcessIdentity(const RunPaths &paths);

// What identifies this machine. It is a value, so that tests can supply another machine.
struct LocalMachine {
    std::string hostName;
    std::string bootId;
    std::filesystem::path proc = "/proc";
    static LocalMachine current();
};

// The start time of a process in /proc; empty if there is no such process, or if it is a zombie.
std::optional<std::string> processStartTime(const LocalMachine &machine, std::int64_t pid);

// The start time in the text of /proc/PID/stat; empty for a zombie.
std::optional<std::string> startTimeOfStat(std::string_view stat);

// Whether the run's process group is alive on `machine`. `startTime` is the start time of its leader there.
Liveness livenessFrom(
    const ProcessIdentity &process, const LocalMachine &machine, const std::optional<std::string> &startTime);
// Whether the run's process group is alive on this machine.
Liveness livenessOf(const ProcessIdentity &process, const LocalMachine &machine);

// The state of an ended run, from its exit status and whether a stop was requested.
RunState stateOfExit(int exitStatus, bool stopRequested);

// The state of a run and what is known about it. The file rc decides; without it, the process group; without both, the
// state is Unknown, Queued or Draft.
struct RunStatus {
    RunState state = RunState::Draft;
    std::optional<int> exitStatus;
    std::string detail;    // explains the state: "it was started on node7, which cannot be reached from here"
    std::string asOf = {}; // for Unknown: time of the last known state, ISO 8601; empty: none
    bool operator==(const RunStatus &) const = default;
};
RunStatus statusOf(const RunPaths &paths, const LocalMachine &machine = LocalMachine::current());

// The facts that decide the state of a run, collected on the machine that runs it.
struct RunFacts {
    std::optional<int> exitStatus; // from the file rc
    std::optional<ProcessIdentity> process;
    LocalMachine machine;                  // the machine on which the facts were collected
    Liveness liveness = Liveness::Unknown; // of the process group of `process`
    std::optional<Seconds> attemptAge;     // since the last attempt began; empty: there is none
    bool supervisorAlive = false, stopRequested = false, hasMetrics = false;
};
// If an attempt has reported no process this long after it began, its start was interrupted.
inline constexpr Seconds kStartReportLimit = 60;
RunStatus statusFrom(const RunFacts &facts);

} // namespace slipway
