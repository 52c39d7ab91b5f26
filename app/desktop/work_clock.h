// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QElapsedTimer>
#include <ctime>

namespace slipway::desktop {

// Returns the processor time so far, in milliseconds: of this thread (CLOCK_THREAD_CPUTIME_ID) or of all threads of the
// process (CLOCK_PROCESS_CPUTIME_ID). Unlike elapsed time, it does not grow while other programs have the processor.
inline double workMs(clockid_t clock)
{
    timespec now{};
    ::clock_gettime(clock, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e6;
}

inline double elapsedMs(const QElapsedTimer &timer) { return static_cast<double>(timer.nsecsElapsed()) / 1e6; }

inline double threadWorkMs() { return workMs(CLOCK_THREAD_CPUTIME_ID); }

} // namespace slipway::desktop
