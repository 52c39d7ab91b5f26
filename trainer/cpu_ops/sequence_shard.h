// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The tokens of each sequence that a rank has under context parallelism. A sequence has 2 x ranks equal chunks. The
// rank `place` has chunk number `place` and the chunk with the same number from the end. This balances the work of
// causal attention, as in Megatron-LM. A single rank has the full sequence as one chunk.
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

struct SequenceShard {
    std::int64_t ranks = 1, place = 0;

    // `length`, here and below: tokens per sequence that a rank has.
    [[nodiscard]] std::int64_t whole(std::int64_t length) const { return ranks * length; }
    [[nodiscard]] std::int64_t chunkLength(std::int64_t length) const { return ranks == 1 ? length : length / 2; }
    [[nodiscard]] std::int64_t chunksOfAll() const { return ranks == 1 ? 1 : 2 * ranks; }

    // Position in the full sequence of a rank's token number `row`.
    [[nodiscard]] std::int64_t position(std::int64_t row, std::int64_t length) const
    {
        const std::int64_t chunk = chunkLength(length);
        return row < chunk ? place * chunk + row : (2 * ranks - 1 - place) * chunk + row - chunk;
    }
    // The rank that has chunk number `chunk` of the sequence.
    [[nodiscard]] std::int64_t ownerOf(std::int64_t chunk) const
    {
        return chunk < ranks ? chunk : 2 * ranks - 1 - chunk;
    }
    // First row of chunk number `chunk` of a sequence, in the concatenated rows of all ranks, with `rankRows` rows
    // each.
    [[nodiscard]] std::int64_t rowOfChunk(
        std::int64_t chunk, std::int64_t sequence, std::int64_t length, std::int64_t rankRows) const
    {
        return ownerOf(chunk) * rankRows + sequence * length + (chunk < ranks ? 0 : length / 2);
    }
};

} // namespace slipway::cpu_ops
