// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// An allocator's free blocks, by size and then by id. Of thousands there are a dozen sizes at a time, and those in use lie among
// the largest: a row of sizes that is searched from its end beats a tree.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace slipway {

class FreeBlocks {
public:
    using BlockId = std::int32_t;

    void add(Bytes size, BlockId id)
    {
        std::size_t i = m_sizes.size();
        while (i > 0 && m_sizes[i - 1].bytes > size)
            --i;
        if (i > 0 && m_sizes[i - 1].bytes == size)
            addAnother(m_sizes[i - 1], id);
        else
            m_sizes.insert(m_sizes.begin() + static_cast<std::ptrdiff_t>(i), {size, id});
    }

    void remove(Bytes size, BlockId id)
    {
        const std::size_t i = find(size);
        if (m_sizes[i].lowest == id)
            removeLowest(i);
        else
            removeAnother(m_sizes[i], id);
    }

    // The smallest that is large enough; of those the one with the lowest id; -1: none.
    BlockId take(Bytes atLeast)
    {
        const std::size_t i = find(atLeast);
        if (i == m_sizes.size())
            return -1;
        const BlockId id = m_sizes[i].lowest;
        removeLowest(i);
        return id;
    }

    // Removes those that the predicate names, in order of size and id.
    template<typename Predicate>
    void removeIf(Predicate &&predicate)
    {
        const std::vector<Size> sizes = m_sizes; // which vanish on the way
        for (const Size &size : sizes) {
            std::vector<BlockId> ids{size.lowest};
            if (size.others >= 0)
                ids.insert(ids.end(), othersOf(size).rbegin(), othersOf(size).rend());
            for (const BlockId id : ids) {
                if (predicate(id))
                    remove(size.bytes, id);
            }
        }
    }

private:
    // Most sizes have one block at a time.
    struct Size {
        Bytes bytes = 0;
        BlockId lowest = -1;
        std::int32_t others = -1; // index of their list; -1: never had any
    };

    // The first that is not smaller.
    [[nodiscard]] std::size_t find(Bytes size) const
    {
        std::size_t i = m_sizes.size();
        while (i > 0 && m_sizes[i - 1].bytes >= size)
            --i;
        return i;
    }

    void removeLowest(std::size_t i)
    {
        Size &size = m_sizes[i];
        if (size.others >= 0 && !othersOf(size).empty()) {
            size.lowest = othersOf(size).back();
            othersOf(size).pop_back();
            return;
        }
        if (size.others >= 0)
            m_unused.push_back(size.others);
        m_sizes.erase(m_sizes.begin() + static_cast<std::ptrdiff_t>(i));
    }

    std::vector<BlockId> &othersOf(const Size &size) { return m_others[static_cast<std::size_t>(size.others)]; }
    void addAnother(Size &size, BlockId id);
    void removeAnother(const Size &size, BlockId id);

    std::vector<Size> m_sizes;                  // smallest first
    std::vector<std::vector<BlockId>> m_others; // the lowest last
    std::vector<std::int32_t> m_unused;         // lists without a size
};

} // namespace slipway
