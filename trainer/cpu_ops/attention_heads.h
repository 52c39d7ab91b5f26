// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Internal to the attention ops: where the matrices of one head lie in the packed operands, and their blocks.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "cpu_ops/attention.h"
#include "cpu_ops/rope.h"
#include "cpu_ops/tile.h"

namespace slipway::cpu_ops {

// Rows and columns of a block of scores.
inline constexpr std::int64_t kBlock = 64;

// A query head of a sequence. heads / kvHeads query heads share a key-value head.
struct HeadIndex {
    std::int64_t batch = 0, head = 0;
};

inline HeadIndex headIndex(const QkvShape &shape, std::int64_t i) { return {i / shape.heads, i % shape.heads}; }

inline std::int64_t queriesPerKey(const QkvShape &shape) { return shape.heads / shape.kvHeads; }
inline float scoreScale(const QkvShape &shape)
{
    return shape.scale != 0.0f ? shape.scale : 1.0f / std::sqrt(static_cast<float>(shape.headDim));
}

// Element offsets of the head's first row in [batch x seq, stride()].
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

// Keys and values of a key-value head, one row per token. `T` is const float, or float for their gradients.
template<typename T>
struct KeyRows {
    T *keys = nullptr, *values = nullptr;
    std::int64_t stride = 0;
    int rank = kAllRanks; // context parallelism: the rank that the rows belong to
};
// Keys and values in packed projections of full sequences.
template<typename T>
KeyRows<T> keysOf(const QkvShape &s, HeadIndex at, T *qkv)
{
    return {qkv + keyOffset(s, at), qkv + valueOffset(s, at), s.stride()};
}
// Keys and values in the layout of packKeys(), of all ranks or of one rank.
template<typename T>
KeyRows<T> keysOfRanks(const QkvShape &s, HeadIndex at, T *rows, int rank)
{
    T *const keys = rows + at.head / queriesPerKey(s) * s.headDim;
    return {keys, keys + s.kvHeads * s.headDim, 2 * s.kvHeads * s.headDim, rank};
}

// A block of tokens that are consecutive in their sequence and in memory. Blocks do not cross the end of a chunk.
struct TokenRange {
    std::int64_t row = 0, position = 0, count = 0;
};
// Blocks of a rank's queries: ceilDiv(chunk length, kBlock) per chunk.
inline std::int64_t blocksOfChunk(const QkvShape &s) { return ceilDiv(s.shard.chunkLength(s.seq), kBlock); }
inline std::int64_t queryBlocks(const QkvShape &s) { return s.seq / s.shard.chunkLength(s.seq) * blocksOfChunk(s); }
inline TokenRange queryBlock(const QkvShape &s, std::int64_t i)
{
    const std::int64_t chunk = s.shard.chunkLength(s.seq), start = i % blocksOfChunk(s) * kBlock;
    const std::int64_t row = i / blocksOfChunk(s) * chunk + start;
    return {row, s.shard.position(row, s.seq), std::min(kBlock, chunk - start)};
}
// Block number `i` of the keys of a sequence. `row` counts as in the KeyRows of this rank, or of all ranks.
inline TokenRange keyBlock(const QkvShape &s, HeadIndex at, std::int64_t i, int rank)
{
    const std::int64_t length = s.shard.chunkLength(s.seq), chunk = i / blocksOfChunk(s),
                       start = i % blocksOfChunk(s) * kBlock, rankRows = s.batch * s.seq;
    const std::int64_t first = s.shard.ranks == 1 ? 0 : s.shard.rowOfChunk(chunk, at.batch, s.seq, rankRows);
    return {first + start - std::max(rank, 0) * rankRows, chunk * length + start, std::min(kBlock, length - start)};
}
// Whether the rank, or any rank, has this block of keys.
inline bool hasBlock(const QkvShape &s, std::int64_t i, int rank)
{
    return rank == kAllRanks || s.shard.ownerOf(i / blocksOfChunk(s)) == rank;
}
// The block of keys that contains a position.
inline std::int64_t blockOfKey(const QkvShape &s, std::int64_t position)
{
    const std::int64_t length = s.shard.chunkLength(s.seq);
    return position / length * blocksOfChunk(s) + position % length / kBlock;
}

// The blocks of keys that a block of queries attends to.
struct AttendedBlocks {
    std::int64_t first = 0, last = 0;
};
inline AttendedBlocks attendedBlocks(const QkvShape &s, HeadIndex at, const TokenRange &queries)
{
    return {blockOfKey(s, s.firstKey(at.batch, queries.position)), blockOfKey(s, queries.position + queries.count - 1)};
}

// Whether a block of queries is the first that contributes to the gradients of a block of keys, and therefore
// overwrites them. Under context parallelism all gradients start from zeros instead.
inline bool contributesFirst(const QkvShape &s, const TokenRange &queries, const TokenRange &keys)
{
    return s.shard.ranks == 1 && keys.position >= queries.position;
}
inline void zeroKeys(const QkvShape &s, HeadIndex at, const KeyRows<float> &rows)
{
    for (std::int64_t block = 0; block < s.shard.chunksOfAll() * blocksOfChunk(s); ++block) {
        if (!hasBlock(s, block, rows.rank))
            continue;
        const TokenRange keys = keyBlock(s, at, block, rows.rank);
        for (std::int64_t i = keys.row; i < keys.row + keys.count; ++i) {
            std::fill_n(rows.keys + i * rows.stride, s.headDim, 0.0f);
            std::fill_n(rows.values + i * rows.stride, s.headDim, 0.0f);
        }
    }
}

inline Tile rowsOf(const float *head, std::int64_t stride, std::int64_t row) { return {head + row * stride, stride}; }
inline TileOut rowsOf(float *head, std::int64_t stride, std::int64_t row) { return {head + row * stride, stride}; }

} // namespace slipway::cpu_ops
