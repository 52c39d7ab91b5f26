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
// a token with weights [heads x headDim] and [kvHeads x headDim]. Undefined weights mean ones. With tensor parallelism,
// several ranks have equally many of a token's heads: qkNormSquares() and qkNormDots() compute what the ranks sum
// before the norm and before its backward.
struct QkNormWeights {
    bool perHead = true;
    at::Tensor q, k;
    double weightOffset = 0; // rows are multiplied by weightOffset + weight
    int ranks = 1;           // that have the heads of a token together
};

// The sums of the squares of q and of k [tokens, 2]. Allocates two tensors like q in fp32.
void qkNormSquares(const at::Tensor &qkv, std::int64_t kvHeads, at::Tensor sums);

// Normalizes q and k in place, and copies their old values to qk [tokens, heads + kvHeads, headDim]. rstd is [tokens,
// heads + kvHeads], or [tokens, 2] over all heads. With several ranks, rstd first contains the sums of qkNormSquares()
// over them. Allocates two tensors like q in fp32.
void qkNorm(const QkNormWeights &weights, double eps, at::Tensor qkv, at::Tensor qk, at::Tensor rstd);

struct QkNormGradient {
    at::Tensor qk, rstd, dqkv;     // dqkv in place, except the gradient of v
    at::Tensor dqWeight, dkWeight; // undefined: not computed
    at::Tensor dots;               // several ranks: the sums of qkNormDots() over them
    bool accumulate = false;       // adds to dqWeight and dkWeight
};
// The sums of dy weight x over the queries and over the keys [tokens, 2]. Allocates two tensors like q in fp32.
void qkNormDots(const QkNormWeights &weights, const at::Tensor &dqkv, const at::Tensor &qk, at::Tensor sums);

// Allocates three tensors like q in fp32.
void qkNormBackward(const QkNormWeights &weights, const QkNormGradient &gradient);

} // namespace slipway::aten_ops
