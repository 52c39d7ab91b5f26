// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/thread_monitor.h"

#include <algorithm>
#include <pthread.h>
#include <utility>

namespace slipway {

void ThreadMonitor::reportProgress(int rank, const char *doing)
{
    const std::lock_guard lock(m_mutex);
    Rank &own = m_ranks[static_cast<std::size_t>(rank)];
    own.now = {.steps = own.now.steps + 1, .doing = doing};
}

void ThreadMonitor::reportLoading(int rank, const char *doing)
{
    const std::lock_guard lock(m_mutex);
    Status &own = m_ranks[static_cast<std::size_t>(rank)].now;
    own = {.steps = own.steps + 1, .loads = true, .doing = doing};
}

void ThreadMonitor::reportDeviceWait(int rank)
{
    const std::lock_guard lock(m_mutex);
    Status &own = m_ranks[static_cast<std::size_t>(rank)].now;
    ++own.steps;
    own.reportDeviceWait = true;
}

ThreadMonitor::Status ThreadMonitor::statusOf(int rank)
{
    const std::lock_guard lock(m_mutex);
    return m_ranks[static_cast<std::size_t>(rank)].now;
}

void ThreadMonitor::reportWait(int rank, bool forOthers)
{
    const std::lock_guard lock(m_mutex);
    Rank &own = m_ranks[static_cast<std::size_t>(rank)];
    own.waits = forOthers;
    ++own.now.steps;
}

void ThreadMonitor::begins(int rank)
{
    clockid_t clock = 0;
    const std::lock_guard lock(m_mutex);
    if (::pthread_getcpuclockid(::pthread_self(), &clock) == 0)
        m_ranks[static_cast<std::size_t>(rank)].clock = clock;
}

bool ThreadMonitor::computes(Rank &rank)
{
    timespec time{};
    const bool known = rank.clock && ::clock_gettime(*rank.clock, &time) == 0;
    const std::pair now(time.tv_sec, time.tv_nsec);
    return std::exchange(rank.computed, now) != now && known && !rank.now.reportDeviceWait;
}

std::string ThreadMonitor::check()
{
    const std::lock_guard lock(m_mutex);
    const bool others = std::any_of(m_ranks.begin(), m_ranks.end(), [](const Rank &rank) { return rank.waits; });
    for (std::size_t i = 0; i < m_ranks.size(); ++i) {
        Rank &rank = m_ranks[i];
        const bool steps = std::exchange(rank.seen, rank.now.steps) != rank.now.steps, moves = computes(rank) || steps;
        rank.checks = !moves && !rank.waits && others ? rank.checks + 1 : 0;
        if (rank.checks > (rank.now.loads ? kLoadingPatience : kPatience))
            return m_names->of(static_cast<int>(i)) + " hangs, while " + rank.now.doing;
    }
    return {};
}

} // namespace slipway
