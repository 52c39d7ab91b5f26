// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Watches collectives that run on a device, where nobody waits for one of them with a time limit.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/units.h"

namespace slipway {

class Watchdog {
public:
    // Of a collective: this rank is there, and all were. Called from the watching thread.
    struct Watched {
        std::function<bool()> begun, ended;
    };
    struct Ways {
        std::function<Seconds()> patience;    // with peers, once this rank is there
        std::function<std::string()> trouble; // what is known to be wrong already; empty: nothing
        std::function<void(const std::string &cause)> giveUp; // once
    };

    explicit Watchdog(Ways ways) : m_ways(std::move(ways)) {}
    ~Watchdog();
    Watchdog(const Watchdog &) = delete;
    Watchdog &operator=(const Watchdog &) = delete;

    // Looks by itself from now on, on a thread of its own.
    void start();
    void watch(Watched collective);
    // One look, at `now`. False: it has given up.
    bool look(Seconds now);

private:
    Ways m_ways;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<Watched> m_collectives; // in their order
    std::optional<Seconds> m_waitsSince; // the first of them has begun
    bool m_stop = false, m_gaveUp = false;
    std::thread m_thread;
};

} // namespace slipway
