// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// An allocator's free blocks, by size and then by id. Thousands of them have a few sizes: each size is looked for once, and its ids
// lie in a row.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"

namespace slipway {

class FreeBlocks {
public:
    using BlockId = std::int32_t;

    void add(Bytes size, BlockId id);
    void remove(Bytes size, BlockId id);
    std::optional<BlockId> take(Bytes atLeast); // the smallest that is large enough; of those the one with the lowest id

    // Removes those that the predicate names, in order of size and id.
    template<typename Predicate>
    void removeIf(Predicate &&predicate)
    {
        const std::vector<Entry> sizes = m_sizes; // which vanish on the way
        for (const Entry &entry : sizes) {
            const std::vector<BlockId> ids(m_buckets[entry.bucket].rbegin(), m_buckets[entry.bucket].rend());
            for (const BlockId id : ids) {
                if (predicate(id))
                    remove(entry.size, id);
            }
        }
    }

private:
    struct Entry {
        Bytes size = 0;
        std::uint32_t bucket = 0;
    };
    std::vector<Entry>::iterator find(Bytes atLeast);
    void dropIfEmpty(std::vector<Entry>::iterator entry);

    std::vector<Entry> m_sizes;                  // by size
    std::vector<std::vector<BlockId>> m_buckets; // ids of one size, the lowest last
    std::vector<std::uint32_t> m_unused;         // buckets without a size
};

} // namespace slipway
