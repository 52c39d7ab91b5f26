// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/watchdog.h"

#include <chrono>
#include <utility>

namespace slipway {

Seconds Watchdog::now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Watchdog::watch(Watched collective)
{
    const std::lock_guard lock(m_mutex);
    m_collectives.push_back(std::move(collective));
}

// The time limit counts from the check that saw this rank arrive, so that its own computation before does not count.
bool Watchdog::check(Seconds now)
{
    std::string cause;
    {
        const std::lock_guard lock(m_mutex);
        if (m_gaveUp)
            return false;
        while (!m_collectives.empty() && m_collectives.front().ended()) {
            m_collectives.pop_front();
            m_waitsSince.reset();
        }
        if (!m_collectives.empty() && !m_waitsSince && m_collectives.front().begun())
            m_waitsSince = now;
        const Seconds timeout = m_callbacks.timeout();
        if (m_waitsSince && now - *m_waitsSince > timeout)
            cause = "a rank did not respond within " + std::to_string(static_cast<int>(timeout)) +
                    " s: it hangs, or its machine was lost";
        else if (!m_collectives.empty())
            cause = m_callbacks.problem();
        m_gaveUp = !cause.empty();
    }
    if (!cause.empty())
        m_callbacks.giveUp(cause);
    return cause.empty();
}

} // namespace slipway
