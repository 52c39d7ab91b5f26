// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/thread_watch.h"

#include <algorithm>
#include <utility>

namespace slipway {

void ThreadWatch::getsOn(int rank, const char *doing)
{
    const std::lock_guard lock(m_mutex);
    Rank &own = m_ranks[static_cast<std::size_t>(rank)];
    own.now = {.steps = own.now.steps + 1, .doing = doing};
}

void ThreadWatch::awaitsDevice(int rank)
{
    const std::lock_guard lock(m_mutex);
    Standing &own = m_ranks[static_cast<std::size_t>(rank)].now;
    ++own.steps;
    own.awaitsDevice = true;
}

ThreadWatch::Standing ThreadWatch::standingOf(int rank)
{
    const std::lock_guard lock(m_mutex);
    return m_ranks[static_cast<std::size_t>(rank)].now;
}

void ThreadWatch::waits(int rank, bool forOthers)
{
    const std::lock_guard lock(m_mutex);
    Rank &own = m_ranks[static_cast<std::size_t>(rank)];
    own.waits = forOthers;
    ++own.now.steps;
}

std::string ThreadWatch::look()
{
    const std::lock_guard lock(m_mutex);
    const bool others = std::any_of(m_ranks.begin(), m_ranks.end(), [](const Rank &rank) { return rank.waits; });
    for (std::size_t i = 0; i < m_ranks.size(); ++i) {
        Rank &rank = m_ranks[i];
        const bool stands = std::exchange(rank.seen, rank.now.steps) == rank.now.steps && !rank.waits && others;
        rank.looks = stands ? rank.looks + 1 : 0;
        if (rank.looks > kPatience)
            return "rank " + std::to_string(i) + " hangs, while " + rank.now.doing;
    }
    return {};
}

} // namespace slipway
