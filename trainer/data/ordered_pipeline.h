// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A pipeline: one thread reads jobs, several threads process them, and the calling thread writes the results in the
// order in which the jobs were read. So the output does not depend on the number of threads. The amount of jobs that
// are read but not yet written is limited.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

template<typename Job, typename Done>
class OrderedPipeline {
public:
    struct Steps {
        std::function<Result<std::optional<Job>>()> read;     // called on a separate thread; empty: the end
        std::function<std::function<Done(Job)>()> makeWorker; // called once on each worker thread
        std::function<Result<void>(Done)> write;
        std::function<Bytes(const Job &)> weight;
        std::function<Result<void>()> wait; // called repeatedly while nothing can be written; an error ends run()
        std::function<void()> stop;         // called before the threads are joined: `read` must no longer block
    };

    OrderedPipeline(Steps steps, int workers, Bytes mostAhead)
        : m_steps(std::move(steps)),
          m_workers(workers),
          m_mostAhead(mostAhead)
    {
    }

    // An error of `read` is returned after all earlier jobs are written. Rethrows exceptions of any thread.
    Result<void> run()
    {
        std::vector<std::jthread> threads;
        threads.emplace_back([this] { guarded([this] { readAll(); }); });
        for (int i = 0; i < m_workers; ++i)
            threads.emplace_back([this] { guarded([this] { workOnAll(); }); });
        Result<void> written;
        guarded([&] { written = writeAll(); });
        stopAll();
        m_steps.stop();
        threads.clear();
        if (m_exception)
            std::rethrow_exception(m_exception);
        return written;
    }

private:
    struct Slot {
        Bytes weight = 0;
        std::optional<Done> done;
    };

    template<typename Body>
    void guarded(const Body &body)
    {
        try {
            body();
        } catch (...) {
            const std::lock_guard lock(m_mutex);
            if (!m_exception)
                m_exception = std::current_exception();
            m_stopped = true;
            notifyAll();
        }
    }

    void notifyAll()
    {
        m_mayRead.notify_all();
        m_mayWork.notify_all();
        m_mayWrite.notify_all();
    }
    void stopAll()
    {
        const std::lock_guard lock(m_mutex);
        m_stopped = true;
        notifyAll();
    }

    void readAll()
    {
        for (;;) {
            {
                std::unique_lock lock(m_mutex);
                m_mayRead.wait(lock, [this] { return m_stopped || m_ahead < m_mostAhead; });
                if (m_stopped)
                    return;
            }
            Result<std::optional<Job>> job = m_steps.read();
            const std::lock_guard lock(m_mutex);
            if (!job || !*job) {
                if (!job)
                    m_readError = job.error();
                m_ended = true;
                return notifyAll();
            }
            const Bytes weight = m_steps.weight(**job);
            m_ahead += weight;
            m_slots.push_back({.weight = weight, .done = std::nullopt});
            m_waiting.emplace_back(m_read++, *std::move(*job));
            m_mayWork.notify_one();
        }
    }

    void workOnAll()
    {
        const std::function<Done(Job)> work = m_steps.makeWorker();
        for (;;) {
            std::unique_lock lock(m_mutex);
            m_mayWork.wait(lock, [this] { return m_stopped || m_ended || !m_waiting.empty(); });
            if (m_stopped || m_waiting.empty())
                return;
            std::pair<std::uint64_t, Job> job = std::move(m_waiting.front());
            m_waiting.pop_front();
            lock.unlock();
            Done done = work(std::move(job.second));
            lock.lock();
            if (m_stopped)
                return;
            m_slots[static_cast<std::size_t>(job.first - m_written)].done = std::move(done);
            if (job.first == m_written)
                m_mayWrite.notify_one();
        }
    }

    Result<void> writeAll()
    {
        constexpr std::chrono::milliseconds kPatience(200);
        for (;;) {
            std::unique_lock lock(m_mutex);
            const auto ready = [this] {
                return m_stopped || (m_slots.empty() ? m_ended : m_slots.front().done.has_value());
            };
            while (!m_mayWrite.wait_for(lock, kPatience, ready)) {
                lock.unlock();
                if (Result<void> waited = m_steps.wait(); !waited)
                    return waited;
                lock.lock();
            }
            if (m_stopped)
                return {};
            if (m_slots.empty())
                return m_readError ? Result<void>(*m_readError) : Result<void>();
            Done done = *std::move(m_slots.front().done);
            m_ahead -= m_slots.front().weight;
            m_slots.pop_front();
            ++m_written;
            m_mayRead.notify_one();
            lock.unlock();
            if (Result<void> written = m_steps.write(std::move(done)); !written)
                return written;
        }
    }

    Steps m_steps;
    int m_workers;
    Bytes m_mostAhead;

    std::mutex m_mutex; // protects all members below
    std::condition_variable m_mayRead, m_mayWork, m_mayWrite;
    std::deque<std::pair<std::uint64_t, Job>> m_waiting;
    std::deque<Slot> m_slots;                // of the jobs m_written to m_read
    std::uint64_t m_read = 0, m_written = 0; // number of jobs
    Bytes m_ahead = 0;
    bool m_ended = false, m_stopped = false;
    std::optional<Error> m_readError;
    std::exception_ptr m_exception;
};

} // namespace slipway
