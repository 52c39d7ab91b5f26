// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The names of ranks in messages. A communicator and its groups share one object. It is thread-safe.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

class RankNames {
public:
    // placeOf(rank): the position of a rank in the mesh ("tp 1, pp 2"), or an empty text.
    void set(std::function<std::string(int rank)> placeOf)
    {
        const std::lock_guard lock(m_mutex);
        m_placeOf = std::move(placeOf);
    }
    // "rank 5 (tp 1, pp 2)"
    [[nodiscard]] std::string of(int rank) const
    {
        const std::lock_guard lock(m_mutex);
        const std::string place = m_placeOf ? m_placeOf(rank) : std::string();
        return "rank " + std::to_string(rank) + (place.empty() ? "" : " (" + place + ")");
    }

private:
    mutable std::mutex m_mutex;
    std::function<std::string(int)> m_placeOf;
};

} // namespace slipway
