// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One head's matrices within the packed operands of attention, and its blocks.
#pragma once

#include <cmath>

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

// The first key that any query of a block sees, down to a block's start.
inline std::int64_t firstKeyBlock(const QkvShape &s, HeadIndex at, std::int64_t queryStart)
{
    return s.firstKey(at.batch, queryStart) / kBlock * kBlock;
}

inline Tile rowsOf(const float *head, std::int64_t stride, std::int64_t row) { return {head + row * stride, stride}; }
inline TileOut rowsOf(float *head, std::int64_t stride, std::int64_t row) { return {head + row * stride, stride}; }

} // namespace slipway::cpu_ops
