// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The allocator of our own trainer, without the memory: it hands out offsets into one arena. The planner walks a plan
// through it to know peak and size, the trainer calls it for the same plan and so gets the same offsets.
//
// First fit by address; sizes are rounded up to kArenaAlignment; neighbours that are free are one block.
#pragma once

#include <map>

#include "base/units.h"

namespace slipway {

inline constexpr Bytes kArenaAlignment = 512;

class Arena {
public:
    // Offset of a new block of at least `bytes`. A block of 0 bytes takes the room of one.
    Bytes allocate(Bytes bytes);
    // Gives a block back; an offset that was never handed out or is free already is a bug and throws std::logic_error.
    void free(Bytes offset);

    [[nodiscard]] Bytes allocated() const { return m_allocated; } // rounded sizes of the live blocks
    [[nodiscard]] Bytes peakAllocated() const { return m_peakAllocated; }
    [[nodiscard]] Bytes reserved() const { return m_reserved; }   // how far the arena reached so far
    void resetPeak() { m_peakAllocated = m_allocated; }

private:
    std::map<Bytes, Bytes> m_free; // offset -> size, below m_reserved
    std::map<Bytes, Bytes> m_live;
    Bytes m_allocated = 0, m_peakAllocated = 0, m_reserved = 0;
};

} // namespace slipway
