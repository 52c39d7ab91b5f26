// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Detects hanging ranks among the threads of one process. Threads cannot be ended individually, so the process ends.
// The watch counts checks instead of seconds, as HeartbeatMonitor does. A rank that uses CPU time makes progress, no
// matter how long an op takes or how many ranks share a core. While it waits for a device, CPU time does not count,
// because waiting may use a core.
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

class ThreadMonitor {
public:
    static constexpr int kPatience = 20; // number of checks
    static constexpr int kLoadingPatience = 6 * kPatience;

    explicit ThreadMonitor(int ranks, std::shared_ptr<const RankNames> names = std::make_shared<RankNames>())
        : m_names(std::move(names)),
          m_ranks(static_cast<std::size_t>(ranks))
    {
    }

    // The first call of the rank's thread. Its CPU time is measured from then on.
    void begins(int rank);
    // Called by the rank's thread: each call is progress, and `doing` is what it does next, for messages. A rank that
    // waits for others, or has finished, need not make progress.
    void reportProgress(int rank, const char *doing);
    // The same before loading a library or starting a device.
    void reportLoading(int rank, const char *doing);
    void reportWait(int rank, bool forOthers);
    void reportDeviceWait(int rank);

    // Performs one check. Returns which rank hangs; empty: none.
    [[nodiscard]] std::string check();

    // The progress of a rank.
    struct Status {
        std::uint64_t steps = 0;
        bool reportDeviceWait = false, loads = false;
        const char *doing = "starting";
    };
    [[nodiscard]] Status statusOf(int rank);

private:
    struct Rank {
        Status now;
        std::uint64_t seen = 0;           // value of `steps` at the last check
        std::optional<clockid_t> clock;   // CPU time of its thread
        std::pair<time_t, long> computed; // CPU time at the last check
        int checks = 0;                   // checks since its last progress, while others waited
        bool waits = false;
    };
    static bool computes(Rank &rank); // whether it used CPU time since the last check
    std::shared_ptr<const RankNames> m_names;
    std::mutex m_mutex;
    std::vector<Rank> m_ranks;
};

} // namespace slipway
