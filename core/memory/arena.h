// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The allocator of our own trainer. It returns offsets into one arena and owns no memory. The planner allocates a
// plan's buffers with it to find the peak and the size; the trainer does the same for the same plan and gets the same
// offsets.
//
// First fit by address. Sizes are rounded up to kArenaAlignment, and adjacent free blocks are merged.
#pragma once

#include <vector>

#include "base/units.h"

namespace slipway {

inline constexpr Bytes kArenaAlignment = 512;

// The size of a block for `bytes`. A block of 0 bytes takes kArenaAlignment, too.
constexpr Bytes arenaSize(Bytes bytes)
{
    return bytes < kArenaAlignment ? kArenaAlignment : roundUp(bytes, kArenaAlignment);
}

class Arena {
public:
    // Offset of a new block of at least `bytes`.
    Bytes allocate(Bytes bytes);
    // Frees the block at `offset`, which was allocated with `bytes`. Throws std::logic_error if any of it is free or
    // was never allocated.
    void free(Bytes offset, Bytes bytes);

    [[nodiscard]] Bytes allocated() const { return m_allocated; } // sum of the rounded sizes of live blocks
    [[nodiscard]] Bytes peakAllocated() const { return m_peakAllocated; }
    [[nodiscard]] Bytes reserved() const { return m_reserved; } // highest end of a block so far
    void resetPeak() { m_peakAllocated = m_allocated; }

private:
    struct Hole {
        Bytes offset, size;
    };
    std::vector<Hole> m_holes; // below m_reserved, by offset, none touching another: few, so a vector beats a tree
    Bytes m_allocated = 0, m_peakAllocated = 0, m_reserved = 0;
};

} // namespace slipway
