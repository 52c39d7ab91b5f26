// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/replay.h"

#include <optional>
#include <span>

#include "plan/walk.h"

namespace slipway {

namespace {

// What is allocated for one instance of each buffer: the tensors of a unit one by one where the plan lists them, else all at once.
std::vector<std::vector<Bytes>> piecesOf(const StepPlan &plan)
{
    std::vector<std::vector<Bytes>> pieces;
    pieces.reserve(plan.buffers.size());
    for (const Buffer &buffer : plan.buffers)
        pieces.push_back({buffer.bytes});
    for (const ParameterUnit &unit : plan.units) {
        std::vector<std::optional<BufferId>> buffers{unit.parameter, unit.gradient, unit.master, unit.momentum, unit.variance, unit.gathered, unit.fullGradient};
        for (const std::optional<BufferId> &id : buffers) {
            if (!id || pieces[index(*id)].size() > 1)
                continue;
            std::vector<Bytes> tensors;
            for (const ParameterTensor &tensor : plan.tensors) {
                if (tensor.parameter == unit.parameter)
                    tensors.push_back(plan.at(*id).bytes * tensor.rows * tensor.columns / unit.elements);
            }
            if (!tensors.empty())
                pieces[index(*id)] = std::move(tensors);
        }
    }
    return pieces;
}

class Replayer {
public:
    Replayer(const StepPlan &plan, const CachingOptions &options, ReplayDetail detail)
        : m_plan(plan), m_instances(plan), m_allocator(options), m_pieces(piecesOf(plan)), m_detail(detail)
    {
        m_first.reserve(static_cast<std::size_t>(m_instances.count()));
        std::int32_t blocks = 0;
        for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
            for (int i = m_instances.size(static_cast<BufferId>(b)); i > 0; --i) {
                m_first.push_back(blocks);
                blocks += static_cast<std::int32_t>(m_pieces[b].size());
            }
        }
        m_blocks.assign(static_cast<std::size_t>(blocks), -1);
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
                enter(static_cast<BufferId>(b), first + i, Stream::Compute);
        }
    }

    void play(const Visit &visit)
    {
        if (m_replay.outOfMemory)
            return;
        const auto instance = [&](const Use &use) { return m_instances.of(use, visit.slot.index, visit.microBatch); };
        for (const Use &use : visit.op.births)
            enter(use.buffer, instance(use), visit.op.stream);
        if (m_step == 1 && visit.op.phase == Phase::Optimizer) {
            for (const Use &use : visit.op.writes) {
                if (m_plan.at(use.buffer).role == Role::OptimizerState && blocksOf(use.buffer, instance(use)).front() < 0)
                    enter(use.buffer, instance(use), visit.op.stream);
            }
        }
        if (m_detail == ReplayDetail::Points) {
            const int op = static_cast<int>(&visit.op - m_plan.at(visit.slot.block).ops.data());
            m_replay.points.push_back({m_step, {.block = visit.slot.block, .op = op, .index = visit.slot.index}, m_allocator.allocated(), m_allocator.reserved(), m_live});
        }
        for (const Use &use : visit.op.frees) {
            for (CachingAllocator::BlockId &block : blocksOf(use.buffer, instance(use))) {
                if (block >= 0)
                    m_allocator.free(block);
                block = -1;
            }
            liveOf(m_plan.at(use.buffer)) -= m_plan.at(use.buffer).bytes;
        }
    }

    void enter(BufferId id, int instance, Stream stream)
    {
        const std::span<CachingAllocator::BlockId> blocks = blocksOf(id, instance);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const auto block = m_allocator.allocate(m_pieces[index(id)][i], static_cast<int>(stream));
            m_replay.outOfMemory |= !block;
            blocks[i] = block.value_or(-1);
        }
        liveOf(m_plan.at(id)) += m_plan.at(id).bytes;
    }

    std::span<CachingAllocator::BlockId> blocksOf(BufferId id, int instance)
    {
        return std::span(m_blocks).subspan(static_cast<std::size_t>(m_first[static_cast<std::size_t>(instance)]), m_pieces[index(id)].size());
    }

    Bytes &liveOf(const Buffer &buffer) { return m_live[static_cast<std::size_t>(buffer.role)]; }

    const StepPlan &m_plan;
    Instances m_instances;
    CachingAllocator m_allocator;
    std::vector<std::vector<Bytes>> m_pieces;        // by buffer
    std::vector<std::int32_t> m_first;               // by instance: of its pieces in m_blocks
    std::vector<CachingAllocator::BlockId> m_blocks; // -1: not alive
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
