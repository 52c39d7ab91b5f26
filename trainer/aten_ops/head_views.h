// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The parts of packed projections as matrices: views of one [batch, seq, heads + 2 kvHeads, headDim].
#pragma once

#include <cmath>

#include "aten_ops/attention.h"

namespace slipway::aten_ops {

struct HeadViews {
    at::Tensor q;    // [batch, kvHeads, queries of a key, seq, headDim]
    at::Tensor k, v; // [batch, kvHeads, seq, headDim]
};

// [batch, seq, heads, headDim] as [batch, kvHeads, queries of a key, seq, headDim]
inline at::Tensor byKey(const at::Tensor &heads, std::int64_t kvHeads)
{
    return heads.transpose(1, 2).unflatten(1, {kvHeads, heads.size(2) / kvHeads});
}

inline HeadViews headViews(const at::Tensor &qkv, std::int64_t heads)
{
    const std::int64_t kvHeads = (qkv.size(2) - heads) / 2;
    return {byKey(qkv.narrow(2, 0, heads), kvHeads), qkv.narrow(2, heads, kvHeads).transpose(1, 2),
        qkv.narrow(2, heads + kvHeads, kvHeads).transpose(1, 2)};
}

inline double scoreScale(std::int64_t headDim) { return 1.0 / std::sqrt(static_cast<double>(headDim)); }
inline double scoreScale(std::int64_t headDim, const AttentionOptions &options)
{
    return options.scale != 0 ? options.scale : scoreScale(headDim);
}

// Queries by keys: one place for each pair, `ahead` being how far the first query stands behind the first key.
struct ScorePlaces {
    std::int64_t queries = 0, keys = 0, ahead = 0;
};

// Which keys a query does not see.
at::Tensor hiddenKeys(const ScorePlaces &places, const AttentionOptions &options, const at::Tensor &like);

// Scaled scores [batch, kvHeads, queries of a key, queries, keys] under their cap, with ALiBi's bias, in place. Gives
// what backward multiplies by for the cap: its slope, of the scores' size; undefined without a cap or if not wanted.
at::Tensor changeScores(
    at::Tensor scores, const ScorePlaces &places, const AttentionOptions &options, bool slopeWanted);

} // namespace slipway::aten_ops
