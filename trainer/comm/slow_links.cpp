// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/slow_links.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace slipway {

LinkClock LinkClock::steady()
{
    using Clock = std::chrono::steady_clock;
    return {.now = [] { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); },
        .waitUntil =
            [](Seconds until) {
                std::this_thread::sleep_until(Clock::time_point(
                    std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(until))));
            }};
}

SlowLinks::SlowLinks(Communicator &ranks, double bytesPerSecond, LinkClock clock)
    : m_ranks(ranks),
      m_state(std::make_shared<State>(State{.bytesPerSecond = bytesPerSecond, .clock = std::move(clock)}))
{
}

SlowLinks::SlowLinks(std::unique_ptr<Communicator> own, std::shared_ptr<State> state)
    : m_own(std::move(own)),
      m_ranks(*m_own),
      m_state(std::move(state))
{
}

Seconds SlowLinks::timeOf(std::size_t bytes) const { return static_cast<double>(bytes) / m_state->bytesPerSecond; }

void SlowLinks::pass(Seconds time)
{
    m_state->clock.waitUntil(m_state->clock.now() + time);
    m_state->collectives.busy += time;
    m_state->collectives.waited += time;
}

// In a ring of n ranks, each link transfers n - 1 of n shards (twice for an all-reduce).
void SlowLinks::allReduceSum(std::span<float> data)
{
    m_ranks.allReduceSum(data);
    pass(2 * timeOf(data.size_bytes()) * (size() - 1) / size());
}

void SlowLinks::reduceScatterSum(std::span<float> all, std::span<float> own)
{
    m_ranks.reduceScatterSum(all, own);
    pass(timeOf(all.size_bytes()) * (size() - 1) / size());
}

void SlowLinks::allGather(std::span<const std::byte> own, std::span<std::byte> all)
{
    m_ranks.allGather(own, all);
    pass(timeOf(all.size()) * (size() - 1) / size());
}

void SlowLinks::allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
    std::span<std::byte> received, std::span<const std::size_t> receivedSizes)
{
    m_ranks.allToAll(sent, sentSizes, received, receivedSizes);
    pass(timeOf(received.size() - receivedSizes[static_cast<std::size_t>(rank())]));
}

// A message is preceded by the time of its arrival.
void SlowLinks::send(std::span<const std::byte> data, int to)
{
    State &s = *m_state;
    s.free = std::max(s.free, s.clock.now()) + timeOf(data.size());
    std::vector<std::byte> message(sizeof(Seconds) + data.size());
    std::memcpy(message.data(), &s.free, sizeof(Seconds));
    std::copy(data.begin(), data.end(), message.begin() + sizeof(Seconds));
    m_ranks.send(message, to);
}

void SlowLinks::receive(std::span<std::byte> data, int from)
{
    std::vector<std::byte> message(sizeof(Seconds) + data.size());
    m_ranks.receive(message, from);
    Seconds arrives = 0;
    std::memcpy(&arrives, message.data(), sizeof(Seconds));
    std::copy(message.begin() + sizeof(Seconds), message.end(), data.begin());
    State &s = *m_state;
    const Seconds now = s.clock.now();
    s.messages.busy += timeOf(data.size());
    if (arrives <= now)
        return;
    s.messages.waited += arrives - now;
    s.clock.waitUntil(arrives);
}

std::unique_ptr<Communicator> SlowLinks::split(int color)
{
    return std::unique_ptr<Communicator>(new SlowLinks(m_ranks.split(color), m_state));
}

} // namespace slipway
