// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A watchdog for collectives on a device, which have no time limit of their own (as ProcessGroupNCCL's).
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
    // A collective: whether this rank has reached it, and whether it has ended. Called from the watchdog's thread.
    struct Watched {
        std::function<bool()> begun, ended;
    };
    struct Callbacks {
        std::function<Seconds()> timeout;                     // time limit once this rank has reached a collective
        std::function<std::string()> problem;                 // a known error; empty: none
        std::function<void(const std::string &cause)> giveUp; // called once
    };

    explicit Watchdog(Callbacks callbacks) : m_callbacks(std::move(callbacks)) {}

    // Starts the thread.
    void start()
    {
        m_polling.start(0.2, [this] { return check(now()); });
    }
    void watch(Watched collective);
    // Performs one check at time `now`. Returns false if it has given up.
    bool check(Seconds now);

private:
    static Seconds now();

    Callbacks m_callbacks;
    std::mutex m_mutex;
    std::deque<Watched> m_collectives;   // in the order in which they were enqueued
    std::optional<Seconds> m_waitsSince; // when this rank reached the first of them
    bool m_gaveUp = false;
    PollingThread m_polling; // last member: its thread uses the others
};

} // namespace slipway
