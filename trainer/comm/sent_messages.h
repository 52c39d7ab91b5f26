// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Messages that LibTorch's Gloo is still sending. Gloo reads the memory of a message until the receiver has it, and
// reports this only to a caller that waits, so a thread waits. Only for the files of Gloo.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <torch/csrc/distributed/c10d/Work.hpp>

namespace slipway {

class SentMessages {
public:
    using Work = c10::intrusive_ptr<c10d::Work>;

    SentMessages() = default;
    ~SentMessages() { giveUp(); }
    SentMessages(const SentMessages &) = delete;
    SentMessages &operator=(const SentMessages &) = delete;

    // `sent` owns the memory of its message.
    void keep(Work sent)
    {
        const std::lock_guard lock(m_mutex);
        m_underWay.push_back(std::move(sent));
        m_changed.notify_all();
        if (!m_thread.joinable())
            m_thread = std::thread([this] { awaitAll(); });
    }

    // Aborts messages that are not received yet.
    void giveUp()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_stop = true;
            for (const Work &sent : m_underWay)
                sent->abort();
            m_changed.notify_all();
        }
        if (m_thread.joinable())
            m_thread.join();
        m_underWay.clear();
    }

private:
    void awaitAll()
    {
        std::unique_lock lock(m_mutex);
        for (;;) {
            m_changed.wait(lock, [this] { return m_stop || !m_underWay.empty(); });
            if (m_stop)
                return;
            const Work first = m_underWay.front(); // stays in the queue until it is sent, so that giveUp() finds it
            lock.unlock();
            try {
                // A time-out in Gloo would break the connections of all ranks. The rank that waits for the receiver has
                // a time limit of its own.
                first->wait(std::chrono::hours(24 * 365));
            } catch (const std::exception &) { // the connection is lost; the rank that waits for the receiver says so
            }
            lock.lock();
            if (!m_stop)
                m_underWay.pop_front();
        }
    }

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Work> m_underWay; // in the order in which they were sent
    bool m_stop = false;
    std::thread m_thread;
};

} // namespace slipway
