// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The interface of decoders: processes tokens of any number of sequences in one call, and returns the logits of the
// next tokens. Implemented for the CPU (decoder.h) and by LibTorch (torch_decoder.h).
#pragma once

#include <cstdint>
#include <span>

#include "base/units.h"
#include "run/block_tables.h"

namespace slipway {

// The next tokens of one sequence.
struct DecoderInput {
    BlockTables::Sequence sequence = 0;
    std::span<const std::int32_t> tokens;
};

class SequenceDecoder {
public:
    using Sequence = BlockTables::Sequence;
    static constexpr std::int64_t kPieceRows = 512;

    SequenceDecoder() = default;
    SequenceDecoder(const SequenceDecoder &) = delete;
    SequenceDecoder &operator=(const SequenceDecoder &) = delete;
    virtual ~SequenceDecoder() = default;

    virtual Sequence begin() = 0;
    virtual void end(Sequence sequence) = 0;
    // Processes inputs of different sequences, at least one token each, in pieces of at most kPieceRows tokens. Returns
    // the logits [inputs, vocab] of the token after each input, valid until the next call. Empty if the KV cache has
    // too few free blocks; then nothing was processed.
    virtual std::span<const float> forward(std::span<const DecoderInput> inputs) = 0;
    // Whether the KV cache has enough free blocks for a new sequence of that many tokens.
    [[nodiscard]] virtual bool hasRoom(std::int64_t tokens) const = 0;
    [[nodiscard]] virtual Bytes cacheInUse() const = 0;
    [[nodiscard]] virtual int vocab() const = 0;
    [[nodiscard]] virtual std::int64_t positions() const = 0; // longest sequence
};

} // namespace slipway
