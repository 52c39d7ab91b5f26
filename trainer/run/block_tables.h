// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which blocks of a KV cache belong to which sequence (Kwon et al. 2023, PagedAttention, arXiv 2309.06180). A sequence
// has as many blocks as its tokens need, wherever they lie; a block that its sequence gives back is the next one's.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/units.h"

namespace slipway {

struct KvCacheOptions {
    std::int64_t block = 16;                                        // tokens, at least 1
    std::int64_t blocks = std::numeric_limits<std::int64_t>::max(); // of all sequences at most
};

class BlockTables {
public:
    using Sequence = int;

    explicit BlockTables(const KvCacheOptions &options);

    Sequence begin();        // a sequence without tokens
    void end(Sequence gone); // its blocks are free, and its number may be given again
    // Room for so many tokens more; false where too few blocks are free, and nothing has changed.
    bool reserve(Sequence sequence, std::int64_t tokens);
    // Whether a new sequence of so many tokens would find room now.
    [[nodiscard]] bool hasRoom(std::int64_t tokens) const
    {
        return ceilDiv(tokens, m_options.block) <= m_options.blocks - m_inUse;
    }
    // So many of the tokens that there is room for have been written.
    void advance(Sequence sequence, std::int64_t tokens) { at(sequence).tokens += tokens; }
    [[nodiscard]] std::int64_t tokens(Sequence sequence) const { return at(sequence).tokens; }

    // In the order of their positions.
    [[nodiscard]] std::span<const std::int32_t> blocksOf(Sequence sequence) const { return at(sequence).blocks; }
    [[nodiscard]] std::int64_t block() const { return m_options.block; } // tokens
    [[nodiscard]] std::int64_t blocksInUse() const { return m_inUse; }
    [[nodiscard]] std::int64_t blocksEver() const { return m_ever; } // their numbers are below this

private:
    struct Table {
        bool alive = false;
        std::int64_t tokens = 0;
        std::vector<std::int32_t> blocks;
    };
    [[nodiscard]] Table &at(Sequence sequence) { return m_tables[static_cast<std::size_t>(sequence)]; }
    [[nodiscard]] const Table &at(Sequence sequence) const { return m_tables[static_cast<std::size_t>(sequence)]; }

    KvCacheOptions m_options;
    std::vector<std::int32_t> m_free;
    std::vector<Table> m_tables;
    std::int64_t m_inUse = 0, m_ever = 0;
};

} // namespace slipway
