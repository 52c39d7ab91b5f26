// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Views of q, k and v in packed projections [batch, seq, heads + 2 kvHeads, headDim].
#pragma once

#include <cmath>

#include "aten_ops/attention.h"

namespace slipway::aten_ops {

// q [batch, queries, heads, headDim]; k and v [batch, keys, kvHeads, headDim].
struct HeadOperands {
    at::Tensor q, k, v;
};

inline HeadOperands partsOf(const at::Tensor &qkv, std::int64_t heads)
{
    const std::int64_t kvHeads = (qkv.size(2) - heads) / 2;
    return {qkv.narrow(2, 0, heads), qkv.narrow(2, heads, kvHeads), qkv.narrow(2, heads + kvHeads, kvHeads)};
}

struct HeadViews {
    at::Tensor q;    // [batch, kvHeads, heads / kvHeads, seq, headDim]
    at::Tensor k, v; // [batch, kvHeads, seq, headDim]
};

// A view of [batch, seq, heads, headDim] as [batch, kvHeads, heads / kvHeads, seq, headDim]: grouped-query attention.
inline at::Tensor byKey(const at::Tensor &heads, std::int64_t kvHeads)
{
    return heads.transpose(1, 2).unflatten(1, {kvHeads, heads.size(2) / kvHeads});
}

inline HeadViews headViews(const at::Tensor &qkv, std::int64_t heads)
{
    const auto [q, k, v] = partsOf(qkv, heads);
    return {byKey(q, k.size(2)), k.transpose(1, 2), v.transpose(1, 2)};
}

inline double scoreScale(std::int64_t headDim) { return 1.0 / std::sqrt(static_cast<double>(headDim)); }
inline double scoreScale(std::int64_t headDim, const AttentionOptions &options)
{
    return options.scale != 0 ? options.scale : scoreScale(headDim);
}

// The shape of a matrix of scores. `firstQuery` is the position of the first query, relative to the first key.
struct ScoreShape {
    std::int64_t queries = 0, keys = 0, firstQuery = 0;
};

// The attention mask [queries, keys]: true where a query does not attend to a key. `like` gives the device.
at::Tensor maskedKeys(const ScoreShape &places, const AttentionOptions &options, const at::Tensor &like);

// Applies the soft cap and ALiBi's bias to scaled scores [batch, kvHeads, heads / kvHeads, queries, keys] in place.
// Returns the derivative of the cap, in the shape of the scores, for the backward pass. It is undefined without a cap
// or without `slopeWanted`.
at::Tensor changeScores(at::Tensor scores, const ScoreShape &places, const AttentionOptions &options, bool slopeWanted);

} // namespace slipway::aten_ops
