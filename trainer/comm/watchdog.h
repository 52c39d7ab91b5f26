// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Watches collectives that run on a device, where nobody waits for one of them with a time limit.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "base/units.h"
#include "comm/polling_thread.h"

namespace slipway {

class Watchdog {
public:
    // Of a collective: this rank is there, and all were. Called from the watching thread.
    struct Watched {
        std::function<bool()> begun, ended;
    };
    struct Ways {
        std::function<Seconds()> patience;                    // with peers, once this rank is there
        std::function<std::string()> trouble;                 // what is known to be wrong already; empty: nothing
        std::function<void(const std::string &cause)> giveUp; // once
    };

    explicit Watchdog(Ways ways) : m_ways(std::move(ways)) {}

    // Looks by itself from now on, on a thread of its own.
    void start()
    {
        m_polling.start(0.2, [this] { return look(now()); });
    }
    void watch(Watched collective);
    // One look, at `now`. False: it has given up.
    bool look(Seconds now);

private:
    static Seconds now();

    Ways m_ways;
    std::mutex m_mutex;
    std::deque<Watched> m_collectives;   // in their order
    std::optional<Seconds> m_waitsSince; // the first of them has begun
    bool m_gaveUp = false;
    PollingThread m_polling; // last: it ends first
};

} // namespace slipway
