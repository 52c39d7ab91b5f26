// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/kv_cache.h"

#include <cstring>

#include "cpu_ops/few_rows.h"

namespace slipway {

namespace {

std::int64_t bytesOf(DecoderType type) { return type == DecoderType::Bf16 ? 2 : 4; }

} // namespace

KvCache::KvCache(const ModelSpec &model, const KvCacheOptions &options, DecoderType type)
    : m_tables(options),
      m_type(type),
      m_width(model.kvWidth()),
      m_parts(2 * std::int64_t{model.layers})
{
}

bool KvCache::reserve(Sequence sequence, std::int64_t tokens)
{
    if (!m_tables.reserve(sequence, tokens))
        return false;
    while (std::ssize(m_blocks) < m_tables.blocksEver())
        m_blocks.push_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytesOfBlock())));
    return true;
}

Bytes KvCache::bytesOfBlock() const { return m_parts * block() * m_width * bytesOf(m_type); }

std::byte *KvCache::rows(int part, Sequence sequence, std::int64_t position) const
{
    const std::int32_t number = m_tables.blocksOf(sequence)[static_cast<std::size_t>(position / block())];
    return m_blocks[static_cast<std::size_t>(number)].get() +
           (part * block() + position % block()) * m_width * bytesOf(m_type);
}

void KvCache::write(int layer, Sequence sequence, std::int64_t position, const float *key, const float *value) const
{
    std::byte *const keys = rows(2 * layer, sequence, position), *const values =
                                                                     rows(2 * layer + 1, sequence, position);
    if (m_type == DecoderType::Bf16) {
        cpu_ops::convertToBf16(m_width, key, reinterpret_cast<std::uint16_t *>(keys));
        cpu_ops::convertToBf16(m_width, value, reinterpret_cast<std::uint16_t *>(values));
    } else {
        const auto bytes = static_cast<std::size_t>(m_width) * sizeof(float);
        std::memcpy(keys, key, bytes);
        std::memcpy(values, value, bytes);
    }
}

} // namespace slipway
