// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How failures name a rank. The world's communicator and its groups share one. Any thread may use it.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

class RankNames {
public:
    // `placeOf` gives a rank's place in the mesh ("tp 1, pp 2"), or nothing.
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
