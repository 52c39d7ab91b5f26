// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Keys and values of the tokens that a decoder has taken, in blocks of a fixed number of tokens, in fp32 or bf16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/units.h"
#include "model/model_spec.h"
#include "run/block_tables.h"
#include "run/decoder_weights.h"

namespace slipway {

class KvCache {
public:
    using Sequence = BlockTables::Sequence;

    KvCache(const ModelSpec &model, const KvCacheOptions &options, DecoderType type = DecoderType::Fp32);

    Sequence begin() { return m_tables.begin(); }
    void end(Sequence gone) { m_tables.end(gone); }
    bool reserve(Sequence sequence, std::int64_t tokens); // as of the tables
    [[nodiscard]] bool hasRoom(std::int64_t tokens) const { return m_tables.hasRoom(tokens); }
    void advance(Sequence sequence, std::int64_t tokens) { m_tables.advance(sequence, tokens); }
    [[nodiscard]] std::int64_t tokens(Sequence sequence) const { return m_tables.tokens(sequence); }

    // A key and a value, [kvHeads x headDim] each, of a layer at a position that there is room for.
    void write(int layer, Sequence sequence, std::int64_t position, const float *key, const float *value) const;
    // Likewise what lies there, as T: float or, in bf16, std::uint16_t. Positions of one block lie behind each other.
    template<typename T>
    [[nodiscard]] const T *keys(int layer, Sequence sequence, std::int64_t position) const
    {
        return reinterpret_cast<const T *>(rows(2 * layer, sequence, position));
    }
    template<typename T>
    [[nodiscard]] const T *values(int layer, Sequence sequence, std::int64_t position) const
    {
        return reinterpret_cast<const T *>(rows(2 * layer + 1, sequence, position));
    }

    [[nodiscard]] DecoderType type() const { return m_type; }
    [[nodiscard]] std::int64_t block() const { return m_tables.block(); } // tokens
    [[nodiscard]] std::int64_t width() const { return m_width; }          // of a key
    [[nodiscard]] std::int64_t blocksInUse() const { return m_tables.blocksInUse(); }
    [[nodiscard]] Bytes bytesOfBlock() const;
    [[nodiscard]] Bytes bytesInUse() const { return blocksInUse() * bytesOfBlock(); }

private:
    [[nodiscard]] std::byte *rows(int part, Sequence sequence, std::int64_t position) const;

    BlockTables m_tables;
    DecoderType m_type;
    std::int64_t m_width, m_parts;                      // keys and values of each layer
    std::vector<std::unique_ptr<std::byte[]>> m_blocks; // [parts, block, width] each; made when first needed
};

} // namespace slipway
