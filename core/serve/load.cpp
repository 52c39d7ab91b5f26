// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "serve/load.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "base/split_mix.h"

namespace slipway {

namespace {

struct Request {
    Seconds arrival = 0, first = 0, last = 0; // of its tokens
    std::int64_t taken = 0; // tokens of its prompt, and after a preemption of its answer, in the cache
    std::int64_t answered = 0;
};

// Uniform in (0, 1], by counter: the i-th draw does not depend on how many others there are.
double uniform(std::uint64_t seed, std::uint64_t i)
{
    constexpr double kScale = 1.0 / 9007199254740992.0; // 2^-53
    return double((splitMix64(splitMix64(seed) + i) >> 11U) + 1) * kScale;
}

class Simulation {
public:
    Simulation(const LoadServer &server, double perSecond, int requests, std::uint64_t seed)
        : m_server(server),
          m_requests(static_cast<std::size_t>(requests))
    {
        Seconds now = 0;
        for (std::size_t i = 0; i < m_requests.size(); ++i) {
            now -= std::log(uniform(seed, i)) / perSecond;
            m_requests[i].arrival = now;
        }
    }

    LoadResult run()
    {
        while (m_done < m_requests.size()) {
            arrive();
            if (m_running.empty() && m_waiting.empty())
                m_now = m_requests[m_arrived].arrival;
            else
                step();
        }
        return result();
    }

private:
    // Tokens that a request must have in the cache before its next one is drawn.
    [[nodiscard]] std::int64_t needed(const Request &request) const { return m_server.prompt + request.answered; }
    [[nodiscard]] bool isDecoding(const Request &request) const
    {
        return request.answered > 0 && request.taken + 1 == needed(request);
    }

    void arrive()
    {
        while (m_arrived < m_requests.size() && m_requests[m_arrived].arrival <= m_now)
            m_waiting.push_back(m_arrived++);
    }

    Bytes held() const
    {
        Bytes bytes = 0;
        for (const std::size_t id : m_running)
            bytes += m_server.cache(m_requests[id].taken);
        return bytes;
    }

    // Those that came last give way until one more token fits for each that decodes.
    void makeRoom()
    {
        const auto wanted = [&] {
            Bytes bytes = 0;
            for (const std::size_t id : m_running)
                bytes += m_server.cache(m_requests[id].taken + (isDecoding(m_requests[id]) ? 1 : 0));
            return bytes;
        };
        while (m_running.size() > 1 && wanted() > m_server.pool) {
            m_requests[m_running.back()].taken = 0;
            m_waiting.push_front(m_running.back());
            m_running.pop_back();
            ++m_preemptions;
        }
    }

    void admit()
    {
        if (!m_server.continuous && !m_running.empty())
            return;
        Bytes used = held();
        for (const std::size_t id : m_running) // what parts of prompts are still to come
            used += std::max<Bytes>(0, m_server.cache(needed(m_requests[id])) - m_server.cache(m_requests[id].taken));
        while (!m_waiting.empty() && std::ssize(m_running) < m_server.sequences) {
            // A batch that begins and ends together holds its whole answers.
            const std::int64_t tokens =
                m_server.continuous ? needed(m_requests[m_waiting.front()]) : m_server.prompt + m_server.generate;
            const Bytes more = m_server.cache(tokens);
            if (used + more > m_server.pool && !m_running.empty())
                return;
            used += more;
            m_running.push_back(m_waiting.front());
            m_waiting.pop_front();
        }
    }

    void step()
    {
        makeRoom();
        admit();
        LoadStep step;
        for (const std::size_t id : m_running)
            step.decoding += isDecoding(m_requests[id]);
        std::int64_t budget = std::max<std::int64_t>(1, m_server.batchedTokens - step.decoding);
        if (!m_server.continuous)
            budget = std::numeric_limits<std::int64_t>::max();
        std::vector<std::size_t> drawn;
        for (const std::size_t id : m_running) {
            Request &request = m_requests[id];
            if (isDecoding(request)) {
                ++request.taken;
                drawn.push_back(id);
                continue;
            }
            const std::int64_t part = std::min(budget, needed(request) - request.taken);
            budget -= part;
            step.prefillTokens += part;
            request.taken += part;
            if (part > 0 && request.taken == needed(request))
                drawn.push_back(id);
        }
        const Seconds time = m_server.time(step);
        m_now += time;
        m_sequenceSeconds += time * double(m_running.size());
        for (const std::size_t id : drawn)
            draw(m_requests[id]);
        std::erase_if(m_running, [&](std::size_t id) { return m_requests[id].answered >= m_server.generate; });
    }

    void draw(Request &request)
    {
        if (request.answered++ == 0)
            request.first = m_now;
        if (request.answered == m_server.generate) {
            request.last = m_now;
            ++m_done;
        }
    }

    static Percentiles percentilesOf(std::vector<Seconds> values)
    {
        std::sort(values.begin(), values.end());
        const auto nearestRank = [&](double part) {
            const auto rank = static_cast<std::size_t>(std::ceil(part * double(values.size())));
            return values.empty() ? 0 : values[std::max<std::size_t>(rank, 1) - 1];
        };
        return {.p50 = nearestRank(0.5), .p99 = nearestRank(0.99)};
    }

    [[nodiscard]] LoadResult result() const
    {
        std::vector<Seconds> ttft, tpot, latency;
        for (std::size_t i = m_requests.size() / 10; i < m_requests.size(); ++i) {
            const Request &request = m_requests[i];
            ttft.push_back(request.first - request.arrival);
            latency.push_back(request.last - request.arrival);
            if (m_server.generate > 1)
                tpot.push_back((request.last - request.first) / double(m_server.generate - 1));
        }
        const Seconds busy = m_now - m_requests.front().arrival;
        return {.ttft = percentilesOf(std::move(ttft)),
            .tpot = percentilesOf(std::move(tpot)),
            .latency = percentilesOf(std::move(latency)),
            .tokensPerSecond = double(m_requests.size()) * double(m_server.generate) / busy,
            .meanBatch = m_sequenceSeconds / busy,
            .preemptions = m_preemptions};
    }

    const LoadServer &m_server;
    std::vector<Request> m_requests;
    std::deque<std::size_t> m_waiting;
    std::vector<std::size_t> m_running; // in the order in which they were admitted
    std::size_t m_arrived = 0, m_done = 0;
    Seconds m_now = 0, m_sequenceSeconds = 0;
    std::int64_t m_preemptions = 0;
};

} // namespace

LoadResult simulateLoad(const LoadServer &server, double perSecond, int requests, std::uint64_t seed)
{
    return Simulation(server, perSecond, requests, seed).run();
}

} // namespace slipway
