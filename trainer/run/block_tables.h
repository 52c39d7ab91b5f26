// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The block tables of a paged KV cache (Kwon et al. 2023, PagedAttention, arXiv 2309.06180): which blocks belong to
// which sequence. A sequence has as many blocks as its tokens need, anywhere in the cache. Freed blocks are reused.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/units.h"

namespace slipway {

struct KvCacheOptions {
    std::int64_t block = 16;                                        // tokens per block, at least 1
    std::int64_t blocks = std::numeric_limits<std::int64_t>::max(); // upper limit for all sequences
};

class BlockTables {
public:
    using Sequence = int;

    explicit BlockTables(const KvCacheOptions &options);

    Sequence begin();        // an empty sequence
    void end(Sequence gone); // frees its blocks; its number may be reused
    // Allocates blocks for that many more tokens. False if too few blocks are free; then nothing has changed.
    bool reserve(Sequence sequence, std::int64_t tokens);
    // Whether enough blocks are free for a new sequence of that many tokens.
    [[nodiscard]] bool hasRoom(std::int64_t tokens) const
    {
        return ceilDiv(tokens, m_options.block) <= m_options.blocks - m_inUse;
    }
    // Adds tokens to the length of the sequence, after reserve() and writing them.
    void advance(Sequence sequence, std::int64_t tokens) { at(sequence).tokens += tokens; }
    [[nodiscard]] std::int64_t tokens(Sequence sequence) const { return at(sequence).tokens; }

    // The blocks of the sequence, in the order of positions.
    [[nodiscard]] std::span<const std::int32_t> blocksOf(Sequence sequence) const { return at(sequence).blocks; }
    [[nodiscard]] std::int64_t block() const { return m_options.block; } // tokens per block
    [[nodiscard]] std::int64_t blocksInUse() const { return m_inUse; }
    [[nodiscard]] std::int64_t blocksEver() const { return m_ever; } // upper limit of all block numbers so far

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
