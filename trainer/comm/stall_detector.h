// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Detects whether a rank without peers hangs. The time of an op, a disk access or a checkpoint has no known limit, and
// waiting costs other ranks nothing. So a rank counts as hanging only if nothing in its process changes. It counts
// checks instead of seconds, as HeartbeatMonitor does, so that time in which the process was stopped or the machine was
// suspended does not count.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace slipway {

struct ProcessActivity {
    std::uint64_t steps = 0;       // progress reports of the rank
    bool reportDeviceWait = false; // it waits for a device, so that CPU time does not count
    Seconds processor = 0;         // CPU time of all threads except the calling one
    std::uint64_t transferred = 0; // bytes read and written, and pages loaded
};

// CPU time and transfers of this process, as far as the system reports them. The caller sets the other members.
ProcessActivity processActivity();

class StallDetector {
public:
    static constexpr int kPatience = 20; // number of checks
    // Time of all checks together: longer than disks retry, servers restart or tape archives need.
    static constexpr Seconds kSilence = 600;
    static constexpr Seconds kBusy = 0.01; // CPU time between two checks below which the process counts as idle

    // Performs one check. Returns true if nothing has changed for too long.
    [[nodiscard]] bool check(const ProcessActivity &signs);

private:
    ProcessActivity m_before;
    int m_unchanged = 0;
};

} // namespace slipway
