// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Whether the ranks of one process get on. One that others wait for and that does nothing cannot be ended by itself:
// all of them end with the process. Looks are counted in place of seconds, as HeartbeatMonitor does, and a rank that
// computes gets on, however long an op takes it and however many share its processor; it is another matter where it
// waits for a device, which may keep it busy.
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/rank_names.h"

namespace slipway {

class ThreadWatch {
public:
    static constexpr int kPatience = 20; // looks
    static constexpr int kLoadingPatience = 6 * kPatience;

    explicit ThreadWatch(int ranks, std::shared_ptr<const RankNames> names = std::make_shared<RankNames>())
        : m_names(std::move(names)),
          m_ranks(static_cast<std::size_t>(ranks))
    {
    }

    // Of the rank's own thread, first of all: whose processor time counts.
    void begins(int rank);
    // Of the rank's own thread: what it does from now on, for users; each call is a step forward. Waiting for others it
    // need not get on, nor when its work is done.
    void reportProgress(int rank, const char *doing);
    // The same, and until it gets on next it loads a library or starts a device.
    void reportLoading(int rank, const char *doing);
    void waits(int rank, bool forOthers);
    void awaitsDevice(int rank);

    // One look: which rank hangs; empty: none.
    [[nodiscard]] std::string look();

    // How far a rank is.
    struct Standing {
        std::uint64_t steps = 0;
        bool awaitsDevice = false, loads = false;
        const char *doing = "starting";
    };
    [[nodiscard]] Standing standingOf(int rank);

private:
    struct Rank {
        Standing now;
        std::uint64_t seen = 0;           // of its steps
        std::optional<clockid_t> clock;   // of its thread's processor time
        std::pair<time_t, long> computed; // by that clock, at the last look
        int looks = 0;                    // since it got on, of those while others waited
        bool waits = false;
    };
    static bool computes(Rank &rank); // since the last look
    std::shared_ptr<const RankNames> m_names;
    std::mutex m_mutex;
    std::vector<Rank> m_ranks;
};

} // namespace slipway
