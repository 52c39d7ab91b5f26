// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which tokens of a sequence a rank has where ranks share each sequence. Of 2 x ranks equal chunks, the rank at `place`
// has the one of that number and the one of the same number from the end: under a causal mask all ranks have equally
// much to do. A rank alone has the whole sequence as one chunk.
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

struct SequencePart {
    std::int64_t ranks = 1, place = 0;

    // `length`: tokens of a sequence that a rank has.
    [[nodiscard]] std::int64_t whole(std::int64_t length) const { return ranks * length; }
    [[nodiscard]] std::int64_t chunkLength(std::int64_t length) const { return ranks == 1 ? length : length / 2; }
    [[nodiscard]] std::int64_t chunksOfAll() const { return ranks == 1 ? 1 : 2 * ranks; }

    // In its sequence, of a rank's token number `row`.
    [[nodiscard]] std::int64_t position(std::int64_t row, std::int64_t length) const
    {
        const std::int64_t chunk = chunkLength(length);
        return row < chunk ? place * chunk + row : (2 * ranks - 1 - place) * chunk + row - chunk;
    }
    // The rank that has the chunk with this number of the sequence.
    [[nodiscard]] std::int64_t ownerOf(std::int64_t chunk) const
    {
        return chunk < ranks ? chunk : 2 * ranks - 1 - chunk;
    }
    // Among the rows of all ranks, one rank behind the other, of which each has `rankRows`: the first of the chunk with
    // this number of the sequence.
    [[nodiscard]] std::int64_t rowOfChunk(
        std::int64_t chunk, std::int64_t sequence, std::int64_t length, std::int64_t rankRows) const
    {
        return ownerOf(chunk) * rankRows + sequence * length + (chunk < ranks ? 0 : length / 2);
    }
};

} // namespace slipway::cpu_ops
