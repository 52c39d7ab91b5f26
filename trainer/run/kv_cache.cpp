// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/kv_cache.h"

#include <algorithm>
#include <stdexcept>

namespace slipway {

KvCache::KvCache(const ModelSpec &model, const KvCacheOptions &options)
    : m_options(options),
      m_width(model.kvWidth()),
      m_parts(2 * std::int64_t{model.layers})
{
    if (m_options.block < 1)
        throw std::logic_error("a block of the cache without tokens");
}

KvCache::Sequence KvCache::begin()
{
    const auto unused = std::find_if(m_tables.begin(), m_tables.end(), [](const Table &table) { return !table.alive; });
    const auto sequence = static_cast<Sequence>(unused - m_tables.begin());
    if (unused == m_tables.end())
        m_tables.emplace_back();
    at(sequence).alive = true;
    return sequence;
}

void KvCache::end(Sequence gone)
{
    Table &table = at(gone);
    m_free.insert(m_free.end(), table.blocks.begin(), table.blocks.end());
    m_inUse -= std::ssize(table.blocks);
    table = {};
}

bool KvCache::reserve(Sequence sequence, std::int64_t tokens)
{
    Table &table = at(sequence);
    const std::int64_t more = ceilDiv(table.tokens + tokens, m_options.block) - std::ssize(table.blocks);
    if (more > m_options.blocks - m_inUse)
        return false;
    for (std::int64_t i = 0; i < more; ++i) {
        if (m_free.empty()) {
            m_free.push_back(static_cast<std::int32_t>(m_blocks.size()));
            m_blocks.push_back(
                std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(m_parts * m_options.block * m_width)));
        }
        table.blocks.push_back(m_free.back());
        m_free.pop_back();
        ++m_inUse;
    }
    return true;
}

Bytes KvCache::bytesOfBlock() const { return m_parts * m_options.block * m_width * Bytes{sizeof(float)}; }

float *KvCache::rows(int part, Sequence sequence, std::int64_t position) const
{
    const std::int32_t block = at(sequence).blocks[static_cast<std::size_t>(position / m_options.block)];
    return m_blocks[static_cast<std::size_t>(block)].get() +
           (part * m_options.block + position % m_options.block) * m_width;
}

} // namespace slipway
