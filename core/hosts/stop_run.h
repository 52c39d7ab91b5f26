// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Stops a run within 10 s: with a checkpoint if that is written in time, otherwise by force. No process of its group
// remains. Longer limits lose fewer steps.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "hosts/host.h"

namespace slipway {

struct StopTimeouts {
    std::chrono::milliseconds requestTimeout{5'500}; // stop.request
    std::chrono::milliseconds termTimeout{2'000};    // then SIGTERM, unless the run has reported that it stops
    std::chrono::milliseconds killTimeout{60'000};   // then SIGKILL, until the system has removed the processes
    std::chrono::milliseconds workTimeout{
        0}; // in addition to requestTimeout, while a step runs or a checkpoint is written
};

// SIGTERM at once, and SIGKILL soon after.
inline constexpr StopTimeouts kStopNow{.requestTimeout = {}, .termTimeout = std::chrono::seconds(4)};

// Stops a run and waits for its end. `report` is called with progress messages. A run that has already ended is not an
// error.
Result<RunStatus> stopRun(const std::filesystem::path &directory, Host &host, const StopTimeouts &timeouts = {},
    const std::function<void(const std::string &)> &report = {});

} // namespace slipway
