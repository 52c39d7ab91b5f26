// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The offset of each allocated instance of a plan's buffers in the arena. The same code computes the size of the arena
// and runs the step.
#pragma once

#include <vector>

#include "memory/arena.h"
#include "plan/walk.h"

namespace slipway {

class LiveBuffers {
public:
    // Allocates all buffers of Scope::Run first, in the order of the plan. `plan` must outlive it. `shard`: this rank's
    // shard number.
    explicit LiveBuffers(const StepPlan &plan, int shard = 0);

    void allocate(const Use &use, int slotIndex, int microBatch);
    void free(const Use &use, int slotIndex, int microBatch);
    // Frees all instances that a step without an end, or a forward pass alone, has left allocated.
    void freeTransient();

    [[nodiscard]] bool alive(const Use &use, int slotIndex, int microBatch) const
    {
        return m_offsets[at(use, slotIndex, microBatch)] != kDead;
    }
    // Offset in the arena of the use's first byte. The instance must be allocated.
    [[nodiscard]] Bytes offset(const Use &use, int slotIndex, int microBatch) const;
    // Bytes from the first byte of the use to the end of the instance.
    [[nodiscard]] Bytes bytesFrom(const Use &use, int slotIndex) const
    {
        return m_plan.at(use.buffer).bytes - use.offset - use.stride * slotIndex -
               use.shardStride * (m_shard / use.ranksPerShard);
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

// The size of the arena that a step needs.
Bytes requiredArenaBytes(const StepPlan &plan);

} // namespace slipway
