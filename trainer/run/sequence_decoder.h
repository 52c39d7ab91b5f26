// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What takes tokens of any number of sequences at once and gives the logits of the ones after them: on the processor
// (decoder.h) or by LibTorch (torch_decoder.h).
#pragma once

#include <cstdint>
#include <span>

#include "base/units.h"
#include "run/block_tables.h"

namespace slipway {

// Tokens of one sequence to take next.
struct DecoderPart {
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
    // Takes the parts, at least one token each, of sequences that differ; long ones in pieces of kPieceRows tokens.
    // Gives the logits [parts, vocab] of the token after each part, valid until the next call; empty where the cache
    // has too few free blocks, and then nothing was taken.
    virtual std::span<const float> take(std::span<const DecoderPart> parts) = 0;
    // Whether a new sequence of so many tokens would find room in the cache now.
    [[nodiscard]] virtual bool hasRoom(std::int64_t tokens) const = 0;
    [[nodiscard]] virtual Bytes cacheInUse() const = 0;
    [[nodiscard]] virtual int vocab() const = 0;
    [[nodiscard]] virtual std::int64_t positions() const = 0; // that a sequence can have
};

} // namespace slipway
