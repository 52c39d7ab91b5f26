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

struct StopPatience {
    std::chrono::milliseconds forRequest{5'500}; // stop.request
    std::chrono::milliseconds forTerm{2'000};    // then SIGTERM, unless the run has reported that it stops
    std::chrono::milliseconds forKill{60'000};   // then SIGKILL, until the system has removed the processes
    std::chrono::milliseconds forWork{0}; // in addition to forRequest, while a step runs or a checkpoint is written
};

// SIGTERM at once, and SIGKILL soon after.
inline constexpr StopPatience kStopNow{.forRequest = {}, .forTerm = std::chrono::seconds(4)};

// Stops a run and waits for its end. `report` is called with progress messages. A run that has already ended is not an
// error.
Result<RunStatus> stopRun(const std::filesystem::path &directory, Host &host, const StopPatience &patience = {},
    const std::function<void(const std::string &)> &report = {});

} // namespace slipway
