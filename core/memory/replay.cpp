// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/replay.h"

#include "plan/walk.h"

namespace slipway {

namespace {

class Replayer {
public:
    Replayer(const StepPlan &plan, const CachingOptions &options, ReplayDetail detail)
        : m_plan(plan), m_instances(plan), m_allocator(options), m_blocks(static_cast<std::size_t>(m_instances.count()), -1), m_detail(detail)
    {
    }

    Replay run(int steps)
    {
        loadWeights();
        for (m_step = 1; m_step <= steps && !m_replay.outOfMemory; ++m_step) {
            const int before = m_allocator.retries();
            forEachOp(m_plan, Repetitions::Once, [&](const Visit &visit) { play(visit); });
            m_replay.retriesInLastStep = m_allocator.retries() - before;
        }
        m_replay.peakAllocated = m_allocator.peakAllocated();
        m_replay.peakReserved = m_allocator.peakReserved();
        m_replay.retries = m_allocator.retries();
        return std::move(m_replay);
    }

private:
    // All that lives for the run but Adam's states: the optimizer makes them when it first steps.
    void loadWeights()
    {
        for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
            const Buffer &buffer = m_plan.buffers[b];
            if (buffer.scope != Scope::Run || buffer.role == Role::OptimizerState)
                continue;
            const int first = m_instances.first(static_cast<BufferId>(b));
            for (int i = 0; i < (buffer.perLayer ? m_plan.layers : 1); ++i)
                enter(buffer, first + i, Stream::Compute);
        }
    }

    void play(const Visit &visit)
    {
        if (m_replay.outOfMemory)
            return;
        const auto instance = [&](const Use &use) { return m_instances.of(use, visit.slot.index, visit.microBatch); };
        for (const Use &use : visit.op.births)
            enter(m_plan.at(use.buffer), instance(use), visit.op.stream);
        if (m_step == 1 && visit.op.phase == Phase::Optimizer) {
            for (const Use &use : visit.op.writes) {
                if (m_plan.at(use.buffer).role == Role::OptimizerState && m_blocks[static_cast<std::size_t>(instance(use))] < 0)
                    enter(m_plan.at(use.buffer), instance(use), visit.op.stream);
            }
        }
        if (m_detail == ReplayDetail::Points) {
            const int op = static_cast<int>(&visit.op - m_plan.at(visit.slot.block).ops.data());
            m_replay.points.push_back({m_step, {.block = visit.slot.block, .op = op, .index = visit.slot.index}, m_allocator.allocated(), m_allocator.reserved(), m_live});
        }
        for (const Use &use : visit.op.frees) {
            CachingAllocator::BlockId &block = m_blocks[static_cast<std::size_t>(instance(use))];
            if (block >= 0) {
                m_allocator.free(block);
                liveOf(m_plan.at(use.buffer)) -= m_plan.at(use.buffer).bytes;
            }
            block = -1;
        }
    }

    void enter(const Buffer &buffer, int instance, Stream stream)
    {
        const auto block = m_allocator.allocate(buffer.bytes, static_cast<int>(stream));
        m_replay.outOfMemory |= !block;
        m_blocks[static_cast<std::size_t>(instance)] = block.value_or(-1);
        if (block)
            liveOf(buffer) += buffer.bytes;
    }

    Bytes &liveOf(const Buffer &buffer) { return m_live[static_cast<std::size_t>(buffer.role)]; }

    const StepPlan &m_plan;
    Instances m_instances;
    CachingAllocator m_allocator;
    std::vector<CachingAllocator::BlockId> m_blocks; // by instance; -1: not alive
    BytesByRole m_live{};
    ReplayDetail m_detail;
    int m_step = 0;
    Replay m_replay;
};

} // namespace

Replay replay(const StepPlan &plan, const CachingOptions &options, int steps, ReplayDetail detail)
{
    return Replayer(plan, options, detail).run(steps);
}

} // namespace slipway
