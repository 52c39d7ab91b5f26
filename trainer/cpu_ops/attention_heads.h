// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One head's matrices within the packed operands of attention, and its blocks.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "cpu_ops/rope.h"
#include "cpu_ops/tile.h"

namespace slipway::cpu_ops {

// Rows and columns of a block of scores.
inline constexpr std::int64_t kBlock = 64;

// Which head of which sequence; key heads are shared by heads / kvHeads query heads.
struct HeadIndex {
    std::int64_t batch = 0, head = 0;
};

inline HeadIndex headIndex(const QkvShape &shape, std::int64_t i) { return {i / shape.heads, i % shape.heads}; }

inline std::int64_t queriesPerKey(const QkvShape &shape) { return shape.heads / shape.kvHeads; }
inline float scoreScale(const QkvShape &shape)
{
    return shape.scale != 0.0f ? shape.scale : 1.0f / std::sqrt(static_cast<float>(shape.headDim));
}

// Elements from the start of [batch x seq, stride()] to the head's first row.
inline std::int64_t queryOffset(const QkvShape &s, HeadIndex at)
{
    return at.batch * s.seq * s.stride() + at.head * s.headDim;
}
inline std::int64_t keyOffset(const QkvShape &s, HeadIndex at)
{
    return at.batch * s.seq * s.stride() + (s.heads + at.head / queriesPerKey(s)) * s.headDim;
}
inline std::int64_t valueOffset(const QkvShape &s, HeadIndex at) { return keyOffset(s, at) + s.kvHeads * s.headDim; }
inline std::int64_t outOffset(const QkvShape &s, HeadIndex at)
{
    return at.batch * s.seq * s.outStride() + at.head * s.headDim;
}
inline std::int64_t rowOffset(const QkvShape &s, HeadIndex at) { return (at.batch * s.heads + at.head) * s.seq; }

// What the queries of a head look at: keys and values of its key head, a row for each token. `T`: const float, or float
// for their gradients.
template<typename T>
struct KeyRows {
    T *keys = nullptr, *values = nullptr;
    std::int64_t stride = 0;
};
// Of packed projections, whose sequence is here as a whole.
template<typename T>
KeyRows<T> keysOf(const QkvShape &s, HeadIndex at, T *qkv)
{
    return {qkv + keyOffset(s, at), qkv + valueOffset(s, at), s.stride()};
}
// Of what all ranks have, from their first row on.
template<typename T>
KeyRows<T> keysOfAll(const QkvShape &s, HeadIndex at, T *all)
{
    T *const keys = all + at.head / queriesPerKey(s) * s.headDim;
    return {keys, keys + s.kvHeads * s.headDim, 2 * s.kvHeads * s.headDim};
}

// Tokens that follow each other in their sequence and in memory: no block reaches over the end of a chunk.
struct RunOfTokens {
    std::int64_t row = 0, position = 0, count = 0;
};
// Block number `i` of a rank's queries; they are ceilDiv(chunk, kBlock) for each of its chunks.
inline std::int64_t blocksOfChunk(const QkvShape &s) { return ceilDiv(s.part.chunkLength(s.seq), kBlock); }
inline std::int64_t queryBlocks(const QkvShape &s) { return s.seq / s.part.chunkLength(s.seq) * blocksOfChunk(s); }
inline RunOfTokens queryBlock(const QkvShape &s, std::int64_t i)
{
    const std::int64_t chunk = s.part.chunkLength(s.seq), start = i % blocksOfChunk(s) * kBlock;
    const std::int64_t row = i / blocksOfChunk(s) * chunk + start;
    return {row, s.part.position(row, s.seq), std::min(kBlock, chunk - start)};
}
// Block number `i` of the keys of a sequence; `row` counts as KeyRows does.
inline RunOfTokens keyBlock(const QkvShape &s, HeadIndex at, std::int64_t i)
{
    const std::int64_t length = s.part.chunkLength(s.seq), chunk = i / blocksOfChunk(s),
                       start = i % blocksOfChunk(s) * kBlock;
    const std::int64_t first = s.part.ranks == 1 ? 0 : s.part.rowOfChunk(chunk, at.batch, s.seq, s.batch * s.seq);
    return {first + start, chunk * length + start, std::min(kBlock, length - start)};
}
// The block of keys that a position lies in.
inline std::int64_t blockOfKey(const QkvShape &s, std::int64_t position)
{
    const std::int64_t length = s.part.chunkLength(s.seq);
    return position / length * blocksOfChunk(s) + position % length / kBlock;
}

// The first key that any query of a block sees, down to a block's start.
inline std::int64_t firstKeyBlock(const QkvShape &s, HeadIndex at, std::int64_t queryStart)
{
    return s.firstKey(at.batch, queryStart) / kBlock * kBlock;
}

inline Tile rowsOf(const float *head, std::int64_t stride, std::int64_t row) { return {head + row * stride, stride}; }
inline TileOut rowsOf(float *head, std::int64_t stride, std::int64_t row) { return {head + row * stride, stride}; }

} // namespace slipway::cpu_ops
