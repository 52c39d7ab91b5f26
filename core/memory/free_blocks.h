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
        Size *place = end();
        while (place[-1].bytes > size)
            --place;
        if (place[-1].bytes == size)
            addAnother(place[-1], id);
        else
            insert(place, {size, id});
    }

    void remove(Bytes size, BlockId id)
    {
        Size *found = find(size);
        if (found->lowest == id)
            removeLowest(found);
        else
            removeAnother(*found, id);
    }

    // The smallest that is large enough; of those the one with the lowest id; -1: none.
    BlockId take(Bytes atLeast)
    {
        Size *found = find(atLeast);
        if (found == end())
            return -1;
        const BlockId id = found->lowest;
        removeLowest(found);
        return id;
    }

    // Removes those that the predicate names, in order of size and id.
    template<typename Predicate>
    void removeIf(Predicate &&predicate)
    {
        const std::vector<Size> sizes(m_sizes.begin() + 1, m_sizes.end()); // which vanish on the way
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

    Size *end() { return m_sizes.data() + m_sizes.size(); }

    // The first that is not smaller.
    Size *find(Bytes size)
    {
        Size *found = end();
        while (found[-1].bytes >= size)
            --found;
        return found;
    }

    void removeLowest(Size *size)
    {
        if (size->others >= 0 && !othersOf(*size).empty()) {
            size->lowest = othersOf(*size).back();
            othersOf(*size).pop_back();
            return;
        }
        if (size->others >= 0)
            m_unused.push_back(size->others);
        for (Size *last = end() - 1; size != last; ++size)
            *size = size[1];
        m_sizes.pop_back();
    }

    void insert(Size *place, const Size &size)
    {
        const auto before = place - m_sizes.data();
        m_sizes.push_back(size);
        place = m_sizes.data() + before;
        for (Size *moved = end() - 1; moved != place; --moved)
            *moved = moved[-1];
        *place = size;
    }

    std::vector<BlockId> &othersOf(const Size &size) { return m_others[static_cast<std::size_t>(size.others)]; }
    void addAnother(Size &size, BlockId id);
    void removeAnother(const Size &size, BlockId id);

    std::vector<Size> m_sizes{{.bytes = -1}};   // smallest first, behind one that ends a search
    std::vector<std::vector<BlockId>> m_others; // the lowest last
    std::vector<std::int32_t> m_unused;         // lists without a size
};

} // namespace slipway
