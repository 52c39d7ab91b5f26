// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/free_blocks.h"

#include <algorithm>
#include <functional>

namespace slipway {

std::vector<FreeBlocks::Entry>::iterator FreeBlocks::find(Bytes atLeast)
{
    return std::lower_bound(m_sizes.begin(), m_sizes.end(), atLeast, [](const Entry &entry, Bytes size) { return entry.size < size; });
}

void FreeBlocks::dropIfEmpty(std::vector<Entry>::iterator entry)
{
    if (!m_buckets[entry->bucket].empty())
        return;
    m_unused.push_back(entry->bucket);
    m_sizes.erase(entry);
}

void FreeBlocks::add(Bytes size, BlockId id)
{
    auto entry = find(size);
    if (entry == m_sizes.end() || entry->size != size) {
        if (m_unused.empty()) {
            m_unused.push_back(static_cast<std::uint32_t>(m_buckets.size()));
            m_buckets.emplace_back();
        }
        entry = m_sizes.insert(entry, {size, m_unused.back()});
        m_unused.pop_back();
    }
    std::vector<BlockId> &ids = m_buckets[entry->bucket];
    ids.insert(std::lower_bound(ids.begin(), ids.end(), id, std::greater<>()), id);
}

void FreeBlocks::remove(Bytes size, BlockId id)
{
    const auto entry = find(size);
    std::vector<BlockId> &ids = m_buckets[entry->bucket];
    ids.erase(std::lower_bound(ids.begin(), ids.end(), id, std::greater<>()));
    dropIfEmpty(entry);
}

std::optional<FreeBlocks::BlockId> FreeBlocks::take(Bytes atLeast)
{
    const auto entry = find(atLeast);
    if (entry == m_sizes.end())
        return std::nullopt;
    const BlockId id = m_buckets[entry->bucket].back();
    m_buckets[entry->bucket].pop_back();
    dropIfEmpty(entry);
    return id;
}

} // namespace slipway
