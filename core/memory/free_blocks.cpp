// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/free_blocks.h"

#include <algorithm>
#include <functional>

namespace slipway {

// What a backward pass frees comes with falling ids: the new one is the lowest most of the time.
void FreeBlocks::addAnother(Size &size, BlockId id)
{
    if (size.others < 0) {
        if (m_unused.empty()) {
            m_unused.push_back(static_cast<std::int32_t>(m_others.size()));
            m_others.emplace_back();
        }
        size.others = m_unused.back();
        m_unused.pop_back();
    }
    std::vector<BlockId> &others = othersOf(size);
    if (id < size.lowest) {
        others.push_back(size.lowest);
        size.lowest = id;
    } else {
        others.insert(std::lower_bound(others.begin(), others.end(), id, std::greater<>()), id);
    }
}

void FreeBlocks::removeAnother(const Size &size, BlockId id)
{
    std::vector<BlockId> &others = othersOf(size);
    others.erase(std::lower_bound(others.begin(), others.end(), id, std::greater<>()));
}

} // namespace slipway
