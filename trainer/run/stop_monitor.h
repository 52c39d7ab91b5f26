// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Detects requests to stop the run: signals, the file stop.request, and the run's limits of time and cost.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/units.h"
#include "runs/run_directory.h"

namespace slipway {

struct StopReason {
    std::string text;   // "SIGTERM"
    int exitStatus = 0; // 130: SIGINT; 143: SIGTERM, SIGUSR1 and stop.request; 124: a limit
    bool operator==(const StopReason &) const = default;
};

class StopMonitor {
public:
    // Handles SIGTERM, SIGINT and SIGUSR1, which reason() then reports. A second SIGINT ends the process at once. At
    // most one object may exist per process.
    StopMonitor(RunPaths paths, std::optional<Seconds> timeLimit);
    ~StopMonitor();
    StopMonitor(const StopMonitor &) = delete;
    StopMonitor &operator=(const StopMonitor &) = delete;

    // Adds a time limit from now; the earliest one counts. `text`: "the time limit of 2 h".
    void limit(Seconds after, std::string text);

    [[nodiscard]] std::optional<StopReason> reason() const;

private:
    RunPaths m_paths;
    std::optional<std::chrono::steady_clock::time_point> m_deadline;
    std::string m_limitText;
};

} // namespace slipway
