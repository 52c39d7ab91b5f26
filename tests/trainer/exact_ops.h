// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The ops by their definitions, in what LibTorch's autograd can differentiate.
#pragma once

#include "autograd.h"
#include "base/activation.h"
#include "cpu_ops/rope.h"

namespace slipway::testing {

at::Tensor exactRmsNorm(const at::Tensor &x, const at::Tensor &weight, double offset, double eps);

at::Tensor exactActivation(Activation kind, const at::Tensor &x);

inline cpu_ops::QkvShape shapeOf(std::int64_t batch, std::int64_t seq, std::int64_t heads, std::int64_t kvHeads,
    std::int64_t headDim, std::int64_t window = 0, float scale = 0, float softCap = 0)
{
    return {.batch = batch,
        .seq = seq,
        .heads = heads,
        .kvHeads = kvHeads,
        .headDim = headDim,
        .window = window,
        .scale = scale,
        .softCap = softCap};
}

// [batch, 1, seq, seq]: what a query does not see.
at::Tensor hiddenFrom(const cpu_ops::QkvShape &shape);

struct ExactAttention {
    at::Tensor out, lse; // [batch x seq, heads x headDim], [batch, heads, seq]
};
// The shape's pointer to slopes is not looked at.
ExactAttention exactAttention(const cpu_ops::QkvShape &shape, const at::Tensor &qkv, const at::Tensor &slopes);

} // namespace slipway::testing
