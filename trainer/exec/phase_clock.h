// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Measures the phases of a step with the host's clock.
#pragma once

#include <chrono>

#include "exec/executor.h"

namespace slipway {

class PhaseClock {
public:
    void start()
    {
        m_seconds = {};
        m_part = nullptr;
    }

    void enter(Seconds PhaseSeconds::*part)
    {
        const auto now = std::chrono::steady_clock::now();
        if (m_part)
            m_seconds.*m_part += std::chrono::duration<double>(now - m_since).count();
        m_part = part;
        m_since = now;
    }

    PhaseSeconds stop()
    {
        enter(nullptr);
        return m_seconds;
    }

private:
    PhaseSeconds m_seconds;
    Seconds PhaseSeconds::*m_part = nullptr;
    std::chrono::steady_clock::time_point m_since;
};

} // namespace slipway
