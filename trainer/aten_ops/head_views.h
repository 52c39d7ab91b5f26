// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The parts of packed projections as matrices: views of one [batch, seq, heads + 2 kvHeads, headDim].
#pragma once

#include <cmath>

#include <ATen/core/Tensor.h>

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

} // namespace slipway::aten_ops
