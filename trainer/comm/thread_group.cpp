// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/thread_group.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

namespace slipway {

// A barrier that can be broken, and what each rank shows the others between two of them.
struct ThreadGroup::Shared {
    explicit Shared(int ranks) : size(ranks), sums(static_cast<std::size_t>(ranks)), bytes(static_cast<std::size_t>(ranks)) {}

    void wait()
    {
        std::unique_lock lock(mutex);
        const std::uint64_t mine = round;
        if (++arrived == size) {
            arrived = 0;
            ++round;
            changed.notify_all();
        } else {
            changed.wait(lock, [&] { return round != mine || failedRank >= 0 || leftRank >= 0; });
        }
        // A round that was complete stands, even where a rank failed right after it.
        if (round != mine)
            return;
        if (failedRank >= 0)
            throw PeerFailed("rank " + std::to_string(failedRank) + " failed");
        throw std::logic_error("rank " + std::to_string(leftRank) + " ended while others wait for it");
    }

    void leave(int rank)
    {
        const std::lock_guard lock(mutex);
        leftRank = rank;
        changed.notify_all();
    }

    void fail(int rank, std::exception_ptr exception)
    {
        const std::lock_guard lock(mutex);
        if (failedRank < 0) {
            failedRank = rank;
            cause = std::move(exception);
        }
        changed.notify_all();
    }

    int size;
    std::vector<std::span<float>> sums;
    std::vector<std::span<std::byte>> bytes;
    std::mutex mutex;
    std::condition_variable changed;
    int arrived = 0;
    std::uint64_t round = 0;
    int failedRank = -1, leftRank = -1;
    std::exception_ptr cause;
};

namespace {

template<typename Shared>
class ThreadCommunicator final : public Communicator {
public:
    ThreadCommunicator(Shared &shared, int rank) : m_shared(shared), m_rank(rank) {}

    [[nodiscard]] int rank() const override { return m_rank; }
    [[nodiscard]] int size() const override { return m_shared.size; }
    [[nodiscard]] int ranksInProcess() const override { return m_shared.size; }

    // Each rank sums a slice of its own over all ranks, in rank order, and writes it to all of them.
    void allReduceSum(std::span<float> data) override
    {
        m_shared.sums[static_cast<std::size_t>(m_rank)] = data;
        m_shared.wait();
        for (const std::span<float> other : m_shared.sums) {
            if (other.size() != data.size())
                throw std::logic_error("ranks reduce buffers of different sizes");
        }
        const std::size_t ranks = m_shared.sums.size();
        const std::size_t share = (data.size() + ranks - 1) / ranks;
        const std::size_t begin = std::min(data.size(), share * static_cast<std::size_t>(m_rank));
        sumSlice(begin, std::min(data.size(), begin + share));
        m_shared.wait();
    }

    void broadcast(std::span<std::byte> data, int root) override
    {
        m_shared.bytes[static_cast<std::size_t>(m_rank)] = data;
        m_shared.wait();
        const std::span<std::byte> source = m_shared.bytes[static_cast<std::size_t>(root)];
        if (source.size() != data.size())
            throw std::logic_error("ranks broadcast buffers of different sizes");
        if (m_rank != root)
            std::memcpy(data.data(), source.data(), data.size());
        m_shared.wait();
    }

    void barrier() override { m_shared.wait(); }

private:
    // A piece at a time, so that the sum stays in the cache on its way to all ranks.
    void sumSlice(std::size_t begin, std::size_t end)
    {
        std::array<float, 4096> sum;
        for (std::size_t at = begin; at < end; at += sum.size()) {
            const std::size_t count = std::min(sum.size(), end - at);
            std::copy_n(m_shared.sums.front().data() + at, count, sum.begin());
            for (std::size_t rank = 1; rank < m_shared.sums.size(); ++rank) {
                const float *const other = m_shared.sums[rank].data() + at;
                for (std::size_t i = 0; i < count; ++i)
                    sum[i] += other[i];
            }
            for (const std::span<float> rank : m_shared.sums)
                std::copy_n(sum.begin(), count, rank.data() + at);
        }
    }

    Shared &m_shared;
    int m_rank;
};

} // namespace

ThreadGroup::ThreadGroup(int ranks) : m_shared(std::make_unique<Shared>(ranks)) {}
ThreadGroup::~ThreadGroup() = default;

int ThreadGroup::size() const { return m_shared->size; }

void ThreadGroup::run(const std::function<void(Communicator &)> &work)
{
    m_shared = std::make_unique<Shared>(m_shared->size);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < m_shared->size; ++rank) {
        threads.emplace_back([this, &work, rank] {
            ThreadCommunicator<Shared> communicator(*m_shared, rank);
            try {
                work(communicator);
                m_shared->leave(rank);
            } catch (...) {
                m_shared->fail(rank, std::current_exception());
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    if (m_shared->cause)
        std::rethrow_exception(m_shared->cause);
}

} // namespace slipway
