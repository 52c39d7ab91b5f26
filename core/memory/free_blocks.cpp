// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/free_blocks.h"

#include <algorithm>

namespace slipway {

namespace {

bool above(const FreeBlocks::Block &a, const FreeBlocks::Block &b) { return a.address > b.address; }

} // namespace

// A backward pass frees blocks with descending addresses. The new block is therefore usually the lowest.
void FreeBlocks::addAnother(Size &size, Block block)
{
    if (size.others < 0) {
        if (m_unused.empty()) {
            m_unused.push_back(static_cast<std::int32_t>(m_others.size()));
            m_others.emplace_back();
        }
        size.others = m_unused.back();
        m_unused.pop_back();
    }
    std::vector<Block> &others = othersOf(size);
    if (above(size.lowest, block)) {
        others.push_back(size.lowest);
        size.lowest = block;
    } else {
        others.insert(std::lower_bound(others.begin(), others.end(), block, above), block);
    }
}

void FreeBlocks::removeAnother(const Size &size, Block block)
{
    std::vector<Block> &others = othersOf(size);
    others.erase(std::lower_bound(others.begin(), others.end(), block, above));
}

} // namespace slipway
