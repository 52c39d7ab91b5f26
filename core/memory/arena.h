// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The allocator of our own trainer, without the memory: it hands out offsets into one arena. The planner walks a plan
// through it to know peak and size, the trainer calls it for the same plan and so gets the same offsets.
//
// First fit by address; sizes are rounded up to kArenaAlignment; neighbours that are free are one block.
#pragma once

#include <vector>

#include "base/units.h"

namespace slipway {

inline constexpr Bytes kArenaAlignment = 512;

// What a block of so many bytes takes. A block of 0 bytes takes the room of one.
constexpr Bytes arenaSize(Bytes bytes)
{
    return bytes < kArenaAlignment ? kArenaAlignment : roundUp(bytes, kArenaAlignment);
}

class Arena {
public:
    // Offset of a new block of at least `bytes`.
    Bytes allocate(Bytes bytes);
    // Gives the block at `offset`, allocated with `bytes`, back. What overlaps room that is free, or was never handed
    // out, is a bug and throws std::logic_error.
    void free(Bytes offset, Bytes bytes);

    [[nodiscard]] Bytes allocated() const { return m_allocated; } // rounded sizes of the live blocks
    [[nodiscard]] Bytes peakAllocated() const { return m_peakAllocated; }
    [[nodiscard]] Bytes reserved() const { return m_reserved; } // how far the arena reached so far
    void resetPeak() { m_peakAllocated = m_allocated; }

private:
    struct Hole {
        Bytes offset, size;
    };
    std::vector<Hole> m_holes; // below m_reserved, by offset, none touching another: few, so a vector beats a tree
    Bytes m_allocated = 0, m_peakAllocated = 0, m_reserved = 0;
};

} // namespace slipway
