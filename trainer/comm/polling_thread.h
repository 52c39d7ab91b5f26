// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A thread beside those that work, which looks again and again whether they get on.
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

    // `look` says whether there is anything left to look at.
    void start(Seconds pause, std::function<bool()> look);
    void stop();

private:
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_stop = false;
    std::thread m_thread;
};

} // namespace slipway
