// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Detects ranks that hang before the first step. To the ranks that wait, a rank that reads a large checkpoint looks
// the same as one that hangs. So a second thread of each rank sends heartbeats, and checks that the working thread
// makes progress. It counts its own checks instead of seconds, so that a machine that was suspended or overloaded is
// not mistaken for a rank that hangs.
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
    // The number of heartbeats of each rank, and the failure that a rank has reported.
    struct Heartbeats {
        std::vector<std::uint64_t> beats;
        std::string failure; // empty: none
    };
    struct Callbacks {
        std::function<std::optional<Heartbeats>()>
            exchange; // sends a heartbeat and reads the others; empty: no answer yet
        std::function<void(const std::string &cause)> report; // to the other ranks
        std::function<void(const std::string &cause)>
            end; // ends this process if its working thread does not; called once
        std::function<std::string(int rank)> nameOf = [](int rank) { return "rank " + std::to_string(rank); };
    };

    static constexpr int kPatience = 20,
                         kGrace = 3; // checks without progress, and checks that a failing rank has to end by itself
    static constexpr Seconds secondsOf(int checks, Seconds startTimeout)
    {
        return checks * startTimeout / (kPatience + 4);
    }

    HeartbeatMonitor(int rank, Callbacks callbacks) : m_rank(rank), m_callbacks(std::move(callbacks)) {}

    // Starts the thread. A rank that hangs is found within `startTimeout`.
    void start(Seconds startTimeout)
    {
        m_pause = secondsOf(1, startTimeout);
        m_polling.start(m_pause, [this] { return check(); });
    }
    void stop() { m_polling.stop(); }

    // Called by the working thread: each call is progress, and `doing` is what it does next, for messages. If
    // `expectedTime` is longer than the usual limit, the time until the next progress may be that long.
    void reportProgress(const char *doing, Seconds expectedTime = 0);
    // The working thread waits for other ranks, and need not make progress.
    void reportWait(bool forOthers) { m_waits = forOthers; }
    // All ranks have started. From now on time limits find a rank that hangs, and the monitor only ends this process if
    // another rank has failed.
    void ready() { m_ready = true; }

    // Performs one check. Returns false if this process has to end.
    bool check();

private:
    // Counts checks since a value changed.
    struct Unchanged {
        std::uint64_t value = 0;
        int checks = 0;
        bool tooLong(std::uint64_t now, int limit = kPatience)
        {
            checks = now == value ? checks + 1 : 0;
            value = now;
            return checks > limit;
        }
    };
    [[nodiscard]] std::string problem(const std::optional<Heartbeats> &seen);
    [[nodiscard]] int ownPatience() const; // in checks

    int m_rank;
    Callbacks m_callbacks;
    std::atomic<std::uint64_t> m_steps = 0;
    std::atomic<const char *> m_doing = "connecting to the other ranks";
    std::atomic<Seconds> m_expectedTime = 0;
    Seconds m_pause = secondsOf(1, 24); // between two checks
    std::atomic<bool> m_waits = false, m_ready = false;
    Unchanged m_own;
    std::vector<Unchanged> m_others;
    int m_unanswered = 0, m_sinceFailure = 0;
    std::string m_cause; // why this process has to end
    bool m_ended = false;
    PollingThread m_polling; // last member: its thread uses the others
};

} // namespace slipway
