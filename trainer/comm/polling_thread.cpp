// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/polling_thread.h"

#include <chrono>
#include <exception>
#include <utility>

namespace slipway {

void PollingThread::start(Seconds pause, std::function<bool()> check)
{
    m_thread = std::thread([this, pause = std::chrono::duration<double>(pause), check = std::move(check)] {
        for (;;) {
            {
                std::unique_lock lock(m_mutex);
                if (m_wake.wait_for(lock, pause, [this] { return m_stop; }))
                    return;
            }
            try {
                if (!check())
                    return;
            } catch (const std::exception &) { // no memory or no thread for this check
            }
        }
    });
}

void PollingThread::stop()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_wake.notify_all();
    if (m_thread.joinable())
        m_thread.join();
}

} // namespace slipway
