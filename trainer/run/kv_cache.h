// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Keys and values of the tokens that a decoder has taken, in blocks of a fixed number of tokens (Kwon et al. 2023,
// PagedAttention, arXiv 2309.06180). A sequence has as many blocks as its tokens need, wherever they lie; a block that
// its sequence gives back is the next one's. fp32.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/units.h"
#include "model/model_spec.h"

namespace slipway {

struct KvCacheOptions {
    std::int64_t block = 16;                                        // tokens, at least 1
    std::int64_t blocks = std::numeric_limits<std::int64_t>::max(); // of all sequences at most
};

class KvCache {
public:
    using Sequence = int;

    KvCache(const ModelSpec &model, const KvCacheOptions &options);

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

    // [kvHeads x headDim] of a layer at a position that there is room for. Positions of one block lie behind each
    // other.
    [[nodiscard]] float *key(int layer, Sequence sequence, std::int64_t position) const
    {
        return rows(2 * layer, sequence, position);
    }
    [[nodiscard]] float *value(int layer, Sequence sequence, std::int64_t position) const
    {
        return rows(2 * layer + 1, sequence, position);
    }

    [[nodiscard]] std::int64_t block() const { return m_options.block; } // tokens
    [[nodiscard]] std::int64_t width() const { return m_width; }         // of a key
    [[nodiscard]] std::int64_t blocksInUse() const { return m_inUse; }
    [[nodiscard]] Bytes bytesOfBlock() const;
    [[nodiscard]] Bytes bytesInUse() const { return m_inUse * bytesOfBlock(); }

private:
    struct Table {
        bool alive = false;
        std::int64_t tokens = 0;
        std::vector<std::int32_t> blocks; // in the order of their positions
    };
    [[nodiscard]] Table &at(Sequence sequence) { return m_tables[static_cast<std::size_t>(sequence)]; }
    [[nodiscard]] const Table &at(Sequence sequence) const { return m_tables[static_cast<std::size_t>(sequence)]; }
    [[nodiscard]] float *rows(int part, Sequence sequence, std::int64_t position) const;

    KvCacheOptions m_options;
    std::int64_t m_width, m_parts;                  // keys and values of each layer
    std::vector<std::unique_ptr<float[]>> m_blocks; // [parts, block, width] each; made when first needed
    std::vector<std::int32_t> m_free;               // of them
    std::vector<Table> m_tables;
    std::int64_t m_inUse = 0;
};

} // namespace slipway
