// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ends a transfer that a host keeps open without sending anything useful.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "base/text.h"
#include "base/units.h"

namespace slipway {

// Watches the size of what has arrived. rsync compares files before it sends them, at the speed of a disk, so the limit
// leaves time for that: 15 minutes are enough to read 200 GB.
class TransferPace {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::minutes kWindow{15};
    static constexpr Bytes kLeast = kMiB; // in each window; a modem brings six times as much

    explicit TransferPace(Clock::time_point start) : m_since(start) {}

    // `bytes`: the size of all that has arrived until `now`. Returns why the transfer must end; empty: it may continue.
    std::optional<std::string> tooSlow(Bytes bytes, Clock::time_point now)
    {
        m_bytes = std::min(m_bytes, bytes); // rsync replaces the earlier part of a file by the whole file
        if (bytes - m_bytes >= kLeast) {
            m_bytes = bytes;
            m_since = now;
        }
        if (now - m_since < kWindow)
            return std::nullopt;
        return "sent less than " + formatBytes(kLeast) + " in " + std::to_string(kWindow.count()) + " minutes";
    }

private:
    Clock::time_point m_since;
    Bytes m_bytes = 0;
};

} // namespace slipway
