// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where each instance of a plan's buffers lies while it lives. The walk that sizes the arena and the walk that executes
// are the same.
#pragma once

#include <vector>

#include "memory/arena.h"
#include "plan/walk.h"

namespace slipway {

class LiveBuffers {
public:
    // Everything of Scope::Run is placed first, in the plan's order. `plan` must outlive it. `shard`: which part of
    // what is spread over ranks is this one's.
    explicit LiveBuffers(const StepPlan &plan, int shard = 0);

    void allocate(const Use &use, int slotIndex, int microBatch);
    void free(const Use &use, int slotIndex, int microBatch);
    // Frees what a step that did not end, or ran forward only, left behind.
    void freeTransient();

    [[nodiscard]] bool alive(const Use &use, int slotIndex, int microBatch) const
    {
        return m_offsets[at(use, slotIndex, microBatch)] != kDead;
    }
    // In the arena, of the use's first byte. The instance must be alive.
    [[nodiscard]] Bytes offset(const Use &use, int slotIndex, int microBatch) const;
    // From the use's first byte to the instance's end.
    [[nodiscard]] Bytes bytesFrom(const Use &use, int slotIndex) const
    {
        return m_plan.at(use.buffer).bytes - use.offset - use.stride * slotIndex -
               use.shardStride * (m_shard / use.shardsPerPart);
    }

    [[nodiscard]] Bytes aliveBytes() const { return m_aliveBytes; } // not rounded
    [[nodiscard]] Arena &arena() { return m_arena; }

private:
    static constexpr Bytes kDead = -1;
    [[nodiscard]] std::size_t at(const Use &use, int slotIndex, int microBatch) const
    {
        return static_cast<std::size_t>(m_instances.of(use, slotIndex, microBatch));
    }

    const StepPlan &m_plan;
    int m_shard;
    Instances m_instances;
    std::vector<Bytes> m_offsets; // by instance
    Arena m_arena;
    Bytes m_aliveBytes = 0;

    void release(BufferId id, Bytes &offset);
};

// How far the arena reaches in a step.
Bytes arenaReach(const StepPlan &plan);

} // namespace slipway
