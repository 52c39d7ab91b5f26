// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// LayerNorm and the norms of queries and keys, on tensors of any device. Activations and weights are fp32 or bf16;
// statistics and gradients of weights are fp32, and so is what is computed.
#pragma once

#include <optional>

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

// y = (x - mean) rstd weight + bias of each row; an undefined weight stands for ones, an undefined bias for zeros.
struct LayerNorm {
    at::Tensor x, weight, bias;
    double eps = 0;
    at::Tensor y, mean, rstd;
};
// Allocates x twice in fp32.
void layerNorm(const LayerNorm &norm);

struct LayerNormGradient {
    at::Tensor dy, x, mean, rstd, weight;
    std::optional<at::Tensor> residual; // dx = residual + the norm's own; may be dx
    at::Tensor dx, dweight, dbias;      // an undefined dweight or dbias is not wanted
    bool accumulate = false;            // dweight +=, dbias +=
};
// Allocates x three times in fp32.
void layerNormBackward(const LayerNormGradient &gradient);

// RMSNorm within qkv [tokens, heads + 2 kvHeads, headDim], of each head by itself or of all heads of a token together:
// weights are [headDim], or [heads x headDim] and [kvHeads x headDim]; undefined ones stand for ones.
struct QkNormWeights {
    bool perHead = true;
    at::Tensor q, k;
    double weightOffset = 0; // what a row is multiplied by is weightOffset + weight
};

// Norms q and k in place and keeps what they were in qk [tokens, heads + kvHeads, headDim]. rstd is [tokens, heads +
// kvHeads], or [tokens, 2]. Allocates q in fp32 twice.
void qkNorm(const QkNormWeights &weights, double eps, at::Tensor qkv, at::Tensor qk, at::Tensor rstd);

struct QkNormGradient {
    at::Tensor qk, rstd, dqkv;     // in place; what belongs to v stays as it is
    at::Tensor dqWeight, dkWeight; // undefined: not wanted
    bool accumulate = false;       // dqWeight +=, dkWeight +=
};
// Allocates q three times in fp32.
void qkNormBackward(const QkNormWeights &weights, const QkNormGradient &gradient);

} // namespace slipway::aten_ops
