// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/heartbeat_monitor.h"

#include <algorithm>
#include <cmath>

namespace slipway {

void HeartbeatMonitor::reportProgress(const char *doing, Seconds expectedTime)
{
    m_doing = doing;
    m_expectedTime = expectedTime;
    ++m_steps;
}

int HeartbeatMonitor::ownPatience() const
{
    return std::max(kPatience, static_cast<int>(std::ceil(m_expectedTime / m_pause)));
}

bool HeartbeatMonitor::check()
{
    if (m_ended)
        return false;
    const std::optional<Heartbeats> seen = m_callbacks.exchange();
    if (m_cause.empty() && seen)
        m_cause = seen->failure;
    if (m_cause.empty() && !m_ready) {
        m_cause = problem(seen);
        if (!m_cause.empty())
            m_callbacks.report(m_cause);
    }
    if (m_cause.empty() || ++m_sinceFailure <= kGrace)
        return true;
    m_ended = true;
    m_callbacks.end(m_cause);
    return false;
}

std::string HeartbeatMonitor::problem(const std::optional<Heartbeats> &seen)
{
    if (m_waits)
        ++m_steps;
    if (m_own.tooLong(m_steps, ownPatience()))
        return m_callbacks.nameOf(m_rank) + " hangs before its first step, while " + m_doing.load();
    m_unanswered = seen ? 0 : m_unanswered + 1;
    if (m_unanswered > kPatience)
        return "the rendezvous store does not answer: rank 0 was stopped, or its machine was lost";
    if (!seen)
        return {};
    m_others.resize(seen->beats.size());
    for (std::size_t rank = 0; rank < m_others.size(); ++rank) {
        if (m_others[rank].tooLong(seen->beats[rank]) && static_cast<int>(rank) != m_rank)
            return m_callbacks.nameOf(static_cast<int>(rank)) +
                   " does not run before its first step: it was stopped, or its machine was lost";
    }
    return {};
}

} // namespace slipway
