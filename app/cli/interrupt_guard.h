// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <csignal>

namespace slipway::cli {

// While an object of this class exists, Ctrl-C ends the current task and not the program.
class InterruptGuard {
public:
    InterruptGuard()
    {
        m_before = std::signal(SIGINT, [](int) { s_interrupted = 1; });
    }
    ~InterruptGuard() { std::signal(SIGINT, m_before); }
    InterruptGuard(const InterruptGuard &) = delete;
    InterruptGuard &operator=(const InterruptGuard &) = delete;

    [[nodiscard]] static bool interrupted() { return s_interrupted != 0; }

private:
    static inline volatile std::sig_atomic_t s_interrupted = 0; // static for the signal handler
    void (*m_before)(int) = SIG_DFL;
};

} // namespace slipway::cli
