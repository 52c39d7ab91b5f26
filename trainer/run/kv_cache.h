// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The paged KV cache of a decoder, in fp32 or bf16.
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
    bool reserve(Sequence sequence, std::int64_t tokens); // see BlockTables::reserve()
    [[nodiscard]] bool hasRoom(std::int64_t tokens) const { return m_tables.hasRoom(tokens); }
    void advance(Sequence sequence, std::int64_t tokens) { m_tables.advance(sequence, tokens); }
    [[nodiscard]] std::int64_t tokens(Sequence sequence) const { return m_tables.tokens(sequence); }

    // Writes a key and a value, [kvHeads x headDim] each, of a layer at a reserved position.
    void write(int layer, Sequence sequence, std::int64_t position, const float *key, const float *value) const;
    // The keys or values from a position to the end of its block. T is float or, for bf16, std::uint16_t.
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
    [[nodiscard]] std::int64_t block() const { return m_tables.block(); } // tokens per block
    [[nodiscard]] std::int64_t width() const { return m_width; }          // elements of a key
    [[nodiscard]] std::int64_t blocksInUse() const { return m_tables.blocksInUse(); }
    [[nodiscard]] Bytes bytesOfBlock() const;
    [[nodiscard]] Bytes bytesInUse() const { return blocksInUse() * bytesOfBlock(); }

private:
    [[nodiscard]] std::byte *rows(int part, Sequence sequence, std::int64_t position) const;

    BlockTables m_tables;
    DecoderType m_type;
    std::int64_t m_width, m_parts;                      // keys and values of each layer
    std::vector<std::unique_ptr<std::byte[]>> m_blocks; // [parts, block, width] each; allocated when first needed
};

} // namespace slipway
