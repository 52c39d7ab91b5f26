// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ends a run: after a checkpoint where its trainer heeds, by signals where it does not. No process of its group is left.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "hosts/host.h"

namespace slipway {

// A run that neither heeds nor works has ended within 10 s. One that works is not ended in the middle of what would be lost:
// the step that it is about to finish, and the checkpoint that it has said it writes.
struct StopPatience {
    std::chrono::milliseconds forRequest{5'000};      // stop.request: until it says that it stops, or while its step may last
    std::chrono::milliseconds forTerm{2'500};         // then SIGTERM
    std::chrono::milliseconds forKill{60'000};        // then SIGKILL
    std::chrono::milliseconds forCheckpoint{600'000}; // where it says that it stops; none: nothing that is under way is waited for
};

// At once: SIGTERM, and SIGKILL soon after, whatever is under way.
inline constexpr StopPatience kStopNow{.forRequest = {}, .forTerm = std::chrono::seconds(4), .forCheckpoint = {}};

// Stops a run and waits for its end. `told` hears what is done and what is waited for. A run that has ended is no error;
// one that still writes its checkpoint when the patience for it is over is, and is left to end by itself.
Result<RunStanding> stopRun(const std::filesystem::path &directory, Host &host, const StopPatience &patience = {},
    const std::function<void(const std::string &)> &told = {});

} // namespace slipway
