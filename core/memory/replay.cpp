// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/replay.h"

#include <span>
#include <utility>

#include "base/split_mix.h"

namespace slipway {

namespace {

class Replayer {
public:
    using Event = AllocationTrace::Event;

    Replayer(const AllocationTrace &trace, const CachingOptions &options)
        : m_trace(trace),
          m_allocator(options),
          m_blocks(trace.tensors, -1)
    {
    }

    Replay run(int steps)
    {
        m_replay.points.reserve(m_trace.instants.size() * static_cast<std::size_t>(steps));
        play(m_trace.weights);
        int skipped = 0;
        for (int step = 1; step <= steps && !m_replay.outOfMemory && skipped == 0; ++step) {
            const int before = m_allocator.retries();
            simulateStep(step);
            m_replay.retriesInLastStep = m_allocator.retries() - before;
            if (m_trace.instants.empty() && leavesWhatItFound())
                skipped = steps - step; // each further step equals this one
        }
        m_replay.peakAllocated = m_allocator.peakAllocated();
        m_replay.peakReserved = m_allocator.peakReserved();
        m_replay.retries = m_allocator.retries() + skipped * m_replay.retriesInLastStep;
        return std::move(m_replay);
    }

private:
    // Whether blocks and places of tensors are as they were at the beginning of the last step.
    bool leavesWhatItFound()
    {
        std::uint64_t state = m_allocator.layout();
        for (std::size_t tensor = 0; tensor < m_blocks.size(); ++tensor) {
            if (m_blocks[tensor] >= 0)
                state += splitMix64(
                    splitMix64(tensor) ^ static_cast<std::uint64_t>(m_allocator.addressOf(m_blocks[tensor])));
        }
        return std::exchange(m_state, state) == state;
    }

    void simulateStep(int step)
    {
        std::size_t begin = 0;
        const std::span<const Event> events(m_trace.step);
        for (const AllocationTrace::Instant &instant : m_trace.instants) {
            play(events.subspan(begin, instant.event - begin));
            begin = instant.event;
            if (m_replay.outOfMemory)
                return;
            ReplayPoint &point = m_replay.points.emplace_back(
                ReplayPoint{step, instant.at, m_allocator.allocated(), m_allocator.reserved(), instant.byRole});
            if (step > 1)
                point.byRole[static_cast<std::size_t>(Role::OptimizerState)] = m_trace.optimizerStates;
        }
        play(events.subspan(begin));
    }

    void play(std::span<const Event> events)
    {
        for (const Event &event : events) {
            CachingAllocator::BlockId &block = m_blocks[static_cast<std::size_t>(event.tensor)];
            if (event.request == Event::kFree) {
                m_allocator.free(block);
                block = -1;
            } else if (block < 0) {
                const AllocationTrace::Request &request = m_trace.requests[static_cast<std::size_t>(event.request)];
                const auto allocated = m_allocator.allocate(request.bytes, static_cast<int>(request.stream));
                if (!allocated) {
                    m_replay.outOfMemory = true;
                    return;
                }
                block = *allocated;
            }
        }
    }

    const AllocationTrace &m_trace;
    CachingAllocator m_allocator;
    std::vector<CachingAllocator::BlockId> m_blocks; // by tensor; -1: not allocated
    std::uint64_t m_state = 0;
    Replay m_replay;
};

} // namespace

Replay replay(const AllocationTrace &trace, const CachingOptions &options, int steps)
{
    return Replayer(trace, options).run(steps);
}

} // namespace slipway
