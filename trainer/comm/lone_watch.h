// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Whether a rank gets on that nobody waits for. How long an op, a disk or a checkpoint may take is not known, and
// nobody loses anything by waiting: so it is asked whether anything of this process moves at all. Looks are counted in
// place of seconds, as HeartbeatMonitor does: a process that was stopped, or a machine that slept, has not looked
// either.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace slipway {

struct SignsOfLife {
    std::uint64_t steps = 0;       // forward, of the rank
    bool awaitsDevice = false;     // a device works for it: a processor that is busy with waiting is no sign
    Seconds processor = 0;         // time that all threads but the asking one had
    std::uint64_t transferred = 0; // bytes read and written, and pages brought in
};

// Of this process, as far as the system tells; the rest is the rank's.
SignsOfLife signsOfProcess();

class LoneWatch {
public:
    static constexpr int kPatience = 20; // looks
    static constexpr Seconds kSilence =
        600; // they take together: longer than disks retry, servers restart and archives fetch
    static constexpr Seconds kBusy = 0.01; // of processor time between two looks: less is housekeeping

    // One look: whether nothing has moved for too long.
    [[nodiscard]] bool look(const SignsOfLife &signs);

private:
    SignsOfLife m_before;
    int m_looks = 0;
};

} // namespace slipway
