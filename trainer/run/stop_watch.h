// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Who wants the run to stop: a signal, the file stop.request, or the run's own limits of time and money.
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

class StopWatch {
public:
    // From now on SIGTERM, SIGINT and SIGUSR1 are kept for asked() instead of ending the process; a second SIGINT ends
    // it at once. At most one may exist in a process.
    StopWatch(RunPaths paths, std::optional<Seconds> timeLimit);
    ~StopWatch();
    StopWatch(const StopWatch &) = delete;
    StopWatch &operator=(const StopWatch &) = delete;

    // So long from now; of several limits the nearest counts. `text`: "the time limit of 2 h".
    void limit(Seconds after, std::string text);

    [[nodiscard]] std::optional<StopReason> asked() const;

private:
    RunPaths m_paths;
    std::optional<std::chrono::steady_clock::time_point> m_deadline;
    std::string m_limitText;
};

} // namespace slipway
