// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ends a run within 10 s: after a checkpoint where that is done by then, by force where it is not. No process of its
// group is left. Who wants to lose no step gives it time.
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
    std::chrono::milliseconds forTerm{2'000};    // then SIGTERM, where it has not said that it stops
    std::chrono::milliseconds forKill{60'000};   // then SIGKILL: until the system has taken it away
    std::chrono::milliseconds forWork{0}; // longer than forRequest, while its step may last or it writes its checkpoint
};

// At once: SIGTERM, and SIGKILL soon after, whatever is under way.
inline constexpr StopPatience kStopNow{.forRequest = {}, .forTerm = std::chrono::seconds(4)};

// Stops a run and waits for its end. `told` hears what is done and what is waited for. A run that has ended is no
// error.
Result<RunStanding> stopRun(const std::filesystem::path &directory, Host &host, const StopPatience &patience = {},
    const std::function<void(const std::string &)> &told = {});

} // namespace slipway
