// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/live_buffers.h"

#include <stdexcept>

namespace slipway {

LiveBuffers::LiveBuffers(const StepPlan &plan, int shard)
    : m_plan(plan),
      m_shard(shard),
      m_instances(plan),
      m_offsets(static_cast<std::size_t>(m_instances.count()), kDead)
{
    for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
        const Use use{.buffer = static_cast<BufferId>(b)};
        if (plan.buffers[b].scope != Scope::Run)
            continue;
        for (int layer = 0; layer < (plan.buffers[b].perLayer ? plan.layers : 1); ++layer)
            allocate(use, layer, 0);
    }
}

void LiveBuffers::allocate(const Use &use, int slotIndex, int microBatch)
{
    Bytes &offset = m_offsets[at(use, slotIndex, microBatch)];
    if (offset != kDead)
        throw std::logic_error(m_plan.at(use.buffer).name + " is allocated twice");
    offset = m_arena.allocate(m_plan.at(use.buffer).bytes);
    m_aliveBytes += m_plan.at(use.buffer).bytes;
}

void LiveBuffers::free(const Use &use, int slotIndex, int microBatch)
{
    Bytes &offset = m_offsets[at(use, slotIndex, microBatch)];
    if (offset == kDead)
        throw std::logic_error(m_plan.at(use.buffer).name + " is freed, but is not alive");
    release(use.buffer, offset);
}

void LiveBuffers::release(BufferId id, Bytes &offset)
{
    m_arena.free(offset, m_plan.at(id).bytes);
    m_aliveBytes -= m_plan.at(id).bytes;
    offset = kDead;
}

void LiveBuffers::freeTransient()
{
    for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
        const auto id = static_cast<BufferId>(b);
        if (m_plan.at(id).scope == Scope::Run)
            continue;
        for (int i = m_instances.first(id); i < m_instances.first(id) + m_instances.size(id); ++i) {
            Bytes &offset = m_offsets[static_cast<std::size_t>(i)];
            if (offset != kDead)
                release(id, offset);
        }
    }
}

Bytes LiveBuffers::offset(const Use &use, int slotIndex, int microBatch) const
{
    const Bytes offset = m_offsets[at(use, slotIndex, microBatch)];
    if (offset == kDead)
        throw std::logic_error(m_plan.at(use.buffer).name + " is used, but is not alive");
    return offset + use.offset + use.stride * slotIndex + use.shardStride * (m_shard / use.ranksPerShard);
}

Bytes requiredArenaBytes(const StepPlan &plan)
{
    LiveBuffers live(plan);
    forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
        for (const Use &use : visit.op.allocations)
            live.allocate(use, visit.slot.index, visit.microBatch);
        for (const Use &use : visit.op.frees)
            live.free(use, visit.slot.index, visit.microBatch);
    });
    return live.arena().reserved();
}

} // namespace slipway
