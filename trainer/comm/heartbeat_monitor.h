// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Whether ranks live and get on while some take their time before the first step: one that reads a large checkpoint and
// one that hangs look the same to those who wait for them. A thread beside the one that works shows the others that
// this process runs, and sees to it that the work gets on. It counts its own looks in place of seconds, so that a
// machine that stood still, or has too much to do, does not look like a rank that hangs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "comm/polling_thread.h"

namespace slipway {

class HeartbeatMonitor {
public:
    // How often each rank has looked, and what one left as word of its failure.
    struct Seen {
        std::vector<std::uint64_t> beats;
        std::string failure; // empty: none did
    };
    struct Ways {
        std::function<std::optional<Seen>()> exchange;      // with the others; empty: no answer yet
        std::function<void(const std::string &cause)> tell; // the others
        std::function<void(const std::string &cause)>
            end; // this process, whose working thread does not end by itself; once
        std::function<std::string(int rank)> nameOf = [](int rank) { return "rank " + std::to_string(rank); };
    };

    static constexpr int kPatience = 20,
                         kGrace = 3; // looks: for a rank that does not get on, and for a failing one to end by itself
    static constexpr Seconds secondsOf(int looks, Seconds startTimeout)
    {
        return looks * startTimeout / (kPatience + 4);
    }

    HeartbeatMonitor(int rank, Ways ways) : m_rank(rank), m_ways(std::move(ways)) {}

    // Looks by itself from now on, on a thread of its own: a rank that hangs is found within `startTimeout`.
    void start(Seconds startTimeout)
    {
        m_pause = secondsOf(1, startTimeout);
        m_polling.start(m_pause, [this] { return look(); });
    }
    void stop() { m_polling.stop(); }

    // Of the thread that works: what it does from now on, for users; each call is a step forward.
    // It may take `mayTake` until it gets on next, where that is more than usual.
    void reportProgress(const char *doing, Seconds mayTake = 0);
    // It waits for others, and need not get on itself.
    void waits(bool forOthers) { m_waits = forOthers; }
    // All are there: who hangs from now on is found by those who wait. What remains is to end where one has failed.
    void ready() { m_ready = true; }

    // One look. False: this process was to end.
    bool look();

private:
    // Looks since something changed.
    struct Unchanged {
        std::uint64_t value = 0;
        int looks = 0;
        bool tooLong(std::uint64_t now, int patience = kPatience)
        {
            looks = now == value ? looks + 1 : 0;
            value = now;
            return looks > patience;
        }
    };
    [[nodiscard]] std::string trouble(const std::optional<Seen> &seen);
    [[nodiscard]] int ownPatience() const; // looks

    int m_rank;
    Ways m_ways;
    std::atomic<std::uint64_t> m_steps = 0;
    std::atomic<const char *> m_doing = "meeting the others";
    std::atomic<Seconds> m_mayTake = 0;
    Seconds m_pause = secondsOf(1, 24); // between two looks
    std::atomic<bool> m_waits = false, m_ready = false;
    Unchanged m_own;
    std::vector<Unchanged> m_others;
    int m_unanswered = 0, m_sinceFailure = 0;
    std::string m_cause; // of the end
    bool m_ended = false;
    PollingThread m_polling; // last: it ends first
};

} // namespace slipway
