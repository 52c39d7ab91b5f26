// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/arena.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace slipway {

Bytes Arena::allocate(Bytes bytes)
{
    const Bytes size = arenaSize(bytes);
    m_allocated += size;
    m_peakAllocated = std::max(m_peakAllocated, m_allocated);

    const auto hole = std::find_if(m_holes.begin(), m_holes.end(), [size](const Hole &h) { return h.size >= size; });
    if (hole != m_holes.end()) {
        const Bytes offset = hole->offset;
        hole->offset += size;
        hole->size -= size;
        if (hole->size == 0)
            m_holes.erase(hole);
        return offset;
    }
    // A free block at the end of the arena grows; otherwise it would be left behind.
    Bytes offset = m_reserved;
    if (!m_holes.empty() && m_holes.back().offset + m_holes.back().size == m_reserved) {
        offset = m_holes.back().offset;
        m_holes.pop_back();
    }
    m_reserved = offset + size;
    return offset;
}

void Arena::free(Bytes offset, Bytes bytes)
{
    const Bytes size = arenaSize(bytes);
    const auto next =
        std::lower_bound(m_holes.begin(), m_holes.end(), offset, [](const Hole &h, Bytes at) { return h.offset < at; });
    const bool overlapsNext = next != m_holes.end() && offset + size > next->offset;
    const bool overlapsPrevious = next != m_holes.begin() && std::prev(next)->offset + std::prev(next)->size > offset;
    if (offset < 0 || offset + size > m_reserved || overlapsNext || overlapsPrevious)
        throw std::logic_error("Arena::free: the block at " + std::to_string(offset) + " is not in use");

    m_allocated -= size;
    const bool joinsNext = next != m_holes.end() && offset + size == next->offset;
    const bool joinsPrevious = next != m_holes.begin() && std::prev(next)->offset + std::prev(next)->size == offset;
    if (joinsPrevious && joinsNext) {
        std::prev(next)->size += size + next->size;
        m_holes.erase(next);
    } else if (joinsPrevious) {
        std::prev(next)->size += size;
    } else if (joinsNext) {
        next->offset = offset;
        next->size += size;
    } else {
        m_holes.insert(next, Hole{offset, size});
    }
}

} // namespace slipway
