// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/block_tables.h"

#include <algorithm>
#include <stdexcept>

namespace slipway {

BlockTables::BlockTables(const KvCacheOptions &options) : m_options(options)
{
    if (m_options.block < 1)
        throw std::logic_error("a block of the cache without tokens");
}

BlockTables::Sequence BlockTables::begin()
{
    const auto unused = std::find_if(m_tables.begin(), m_tables.end(), [](const Table &table) { return !table.alive; });
    const auto sequence = static_cast<Sequence>(unused - m_tables.begin());
    if (unused == m_tables.end())
        m_tables.emplace_back();
    at(sequence).alive = true;
    return sequence;
}

void BlockTables::end(Sequence gone)
{
    Table &table = at(gone);
    m_free.insert(m_free.end(), table.blocks.begin(), table.blocks.end());
    m_inUse -= std::ssize(table.blocks);
    table = {};
}

bool BlockTables::reserve(Sequence sequence, std::int64_t tokens)
{
    Table &table = at(sequence);
    const std::int64_t more = ceilDiv(table.tokens + tokens, m_options.block) - std::ssize(table.blocks);
    if (more > m_options.blocks - m_inUse)
        return false;
    for (std::int64_t i = 0; i < more; ++i) {
        if (m_free.empty())
            m_free.push_back(static_cast<std::int32_t>(m_ever++));
        table.blocks.push_back(m_free.back());
        m_free.pop_back();
        ++m_inUse;
    }
    return true;
}

} // namespace slipway
