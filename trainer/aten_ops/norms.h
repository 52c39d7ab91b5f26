// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// LayerNorm and the norms of queries and keys, on tensors of any device. Activations and weights are fp32 or bf16.
// Statistics, gradients of weights and arithmetic are fp32.
#pragma once

#include <optional>

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

// y = (x - mean) rstd weight + bias of each row. An undefined weight means ones, an undefined bias zeros.
struct LayerNorm {
    at::Tensor x, weight, bias;
    double eps = 0;
    at::Tensor y, mean, rstd;
};
// Allocates two tensors like x in fp32.
void layerNorm(const LayerNorm &norm);

struct LayerNormGradient {
    at::Tensor dy, x, mean, rstd, weight;
    std::optional<at::Tensor> residual; // added to the gradient of x; may be dx
    at::Tensor dx, dweight, dbias;      // an undefined dweight or dbias is not computed
    bool accumulate = false;            // adds to dweight and dbias
};
// Allocates three tensors like x in fp32.
void layerNormBackward(const LayerNormGradient &gradient);

// RMSNorm of q and k in qkv [tokens, heads + 2 kvHeads, headDim]: per head with weights [headDim], or over all heads of
// a token with weights [heads x headDim] and [kvHeads x headDim]. Undefined weights mean ones.
struct QkNormWeights {
    bool perHead = true;
    at::Tensor q, k;
    double weightOffset = 0; // rows are multiplied by weightOffset + weight
};

// Normalizes q and k in place, and copies their old values to qk [tokens, heads + kvHeads, headDim]. rstd is [tokens,
// heads + kvHeads], or [tokens, 2] over all heads. Allocates two tensors like q in fp32.
void qkNorm(const QkNormWeights &weights, double eps, at::Tensor qkv, at::Tensor qk, at::Tensor rstd);

struct QkNormGradient {
    at::Tensor qk, rstd, dqkv;     // dqkv in place, except the gradient of v
    at::Tensor dqWeight, dkWeight; // undefined: not computed
    bool accumulate = false;       // adds to dqWeight and dkWeight
};
// Allocates three tensors like q in fp32.
void qkNormBackward(const QkNormWeights &weights, const QkNormGradient &gradient);

} // namespace slipway::aten_ops
