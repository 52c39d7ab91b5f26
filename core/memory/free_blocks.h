// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The free blocks of an allocator, by size and then by address. Thousands of blocks have about a dozen sizes, and
// requests use mostly the largest. Searching an array of sizes from its end is therefore faster than a tree.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace slipway {

class FreeBlocks {
public:
    using BlockId = std::int32_t;

    struct Block {
        Bytes address = 0; // no two are the same
        BlockId id = -1;
    };

    void add(Bytes size, Block block)
    {
        Size *place = end();
        while (place[-1].bytes > size)
            --place;
        if (place[-1].bytes == size)
            addAnother(place[-1], block);
        else
            insert(place, {size, block});
    }

    void remove(Bytes size, Block block)
    {
        Size *found = find(size);
        if (found->lowest.address == block.address)
            removeLowest(found);
        else
            removeAnother(*found, block);
    }

    // The smallest that is large enough; of those the one at the lowest address; -1: none.
    BlockId take(Bytes atLeast)
    {
        Size *found = find(atLeast);
        if (found == end())
            return -1;
        const BlockId id = found->lowest.id;
        removeLowest(found);
        return id;
    }

    // Removes those that the predicate names, in order of size and address.
    template<typename Predicate>
    void removeIf(Predicate &&predicate)
    {
        const std::vector<Size> sizes(m_sizes.begin() + 1, m_sizes.end()); // which vanish on the way
        for (const Size &size : sizes) {
            std::vector<Block> blocks{size.lowest};
            if (size.others >= 0)
                blocks.insert(blocks.end(), othersOf(size).rbegin(), othersOf(size).rend());
            for (const Block &block : blocks) {
                if (predicate(block.id))
                    remove(size.bytes, block);
            }
        }
    }

private:
    // Most sizes have one block at a time.
    struct Size {
        Bytes bytes = 0;
        Block lowest;
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
        for (const Size *last = end() - 1; size != last; ++size)
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

    std::vector<Block> &othersOf(const Size &size) { return m_others[static_cast<std::size_t>(size.others)]; }
    void addAnother(Size &size, Block block);
    void removeAnother(const Size &size, Block block);

    std::vector<Size> m_sizes{{.bytes = -1, .lowest = {}}}; // smallest first, behind one that ends a search
    std::vector<std::vector<Block>> m_others;               // the lowest last
    std::vector<std::int32_t> m_unused;                     // lists without a size
};

} // namespace slipway
