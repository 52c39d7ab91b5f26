// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Who runs a run, and whether it still does. Never guesses: what cannot be seen from here is Unknown, not dead.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runs/run_directory.h"

namespace slipway {

enum class Liveness { Alive, Gone, Unknown };

// What the launch script wrote: pgid, starttime, boot_id, host and supervisor of the run directory, or, where a start
// broke off before it had brought them there, of the last attempt's folder.
struct ProcessMark {
    std::int64_t processGroup = 0;
    std::string startTime; // field 22 of /proc/PID/stat, clock ticks since boot
    std::string bootId;
    std::string hostName; // empty: an older directory that does not say
    bool operator==(const ProcessMark &) const = default;
};

std::optional<ProcessMark> readProcessMark(const RunPaths &paths);

// Facts of this machine, as a value so that tests can bring their own.
struct LocalMachine {
    std::string hostName;
    std::string bootId;
    std::filesystem::path proc = "/proc";
    static LocalMachine here();
};

// Start time of a process as /proc shows it; empty where there is none, or where only its exit status is left.
std::optional<std::string> processStartTime(const LocalMachine &machine, std::int64_t pid);

// The same out of /proc/PID/stat's text.
std::optional<std::string> startTimeOfStat(std::string_view stat);

// Whether the group that the mark names is alive on that machine, where its leader's start time is this.
Liveness livenessFrom(
    const ProcessMark &mark, const LocalMachine &machine, const std::optional<std::string> &startTime);
// Whether the process group of the mark is alive on this machine.
Liveness livenessOf(const ProcessMark &mark, const LocalMachine &machine);

// How a run ended, from its exit status and whether somebody had asked it to stop.
RunState stateOfExit(int exitStatus, bool stopRequested);

// Contract, section 3: rc decides, else the process group, else nothing is known.
struct RunStanding {
    RunState state = RunState::Draft;
    std::optional<int> exitStatus;
    std::string detail; // one sentence where the state needs one: "started on node7, which cannot be reached from here"
    std::string asOf = {}; // of an unknown one: when something was last known, ISO 8601; empty: never
    bool operator==(const RunStanding &) const = default;
};
RunStanding standingOf(const RunPaths &paths, const LocalMachine &machine = LocalMachine::here());

// What is seen of a run on the machine that it was started on, and what follows from it.
struct RunTraces {
    std::optional<int> exitStatus; // rc
    std::optional<ProcessMark> mark;
    LocalMachine machine;                  // where one looked
    Liveness liveness = Liveness::Unknown; // of the mark's group
    std::optional<Seconds> attemptAge;     // since the last attempt was taken; empty: none was
    bool supervisorAlive = false, stopRequested = false, hasMetrics = false;
};
// An attempt that shows no process so long after it was taken has none: its start broke off.
inline constexpr Seconds kStartReportLimit = 60;
RunStanding standingFrom(const RunTraces &traces);

} // namespace slipway
