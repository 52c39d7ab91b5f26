// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A thread that calls a function at intervals, to check on the working threads.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/units.h"

namespace slipway {

class PollingThread {
public:
    PollingThread() = default;
    ~PollingThread() { stop(); }
    PollingThread(const PollingThread &) = delete;
    PollingThread &operator=(const PollingThread &) = delete;

    // Calls `check` every `pause` until it returns false.
    void start(Seconds pause, std::function<bool()> check);
    void stop();

private:
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_stop = false;
    std::thread m_thread;
};

} // namespace slipway
