// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The ops between the matrix products, on tensors of any device. Activations and weights are fp32 or bf16; what is
// computed with them is fp32, gradients of weights are fp32. What an op allocates besides its operands stands beside
// it.
#pragma once

#include <optional>

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

// x[i] = table[tokens[i]]
void embedding(const at::Tensor &tokens, const at::Tensor &table, at::Tensor x);
// dtable[tokens[i]] += dx[i], in an order that repeats. Allocates dx in fp32.
void embeddingBackward(const at::Tensor &tokens, const at::Tensor &dx, at::Tensor dtable, bool accumulate);

// y = x rstd weight, rstd = (mean(x^2) + eps)^-1/2 of each row. Allocates nothing of the size of x on a GPU.
void rmsNorm(const at::Tensor &x, const at::Tensor &weight, double eps, at::Tensor y, at::Tensor rstd);

struct RmsNormGradient {
    at::Tensor dy, x, rstd, weight;
    std::optional<at::Tensor> residual; // dx = residual + the norm's own; may be dx
    at::Tensor dx, dweight;
    bool accumulate = false; // dweight +=
};
// Allocates x twice in fp32.
void rmsNormBackward(const RmsNormGradient &gradient);

// qkv [batch, seq, heads, headDim]: the q and k heads, turned in place (HF's half-split layout) by tables [seq,
// headDim/2]. Allocates them once in fp32.
void rope(at::Tensor queriesAndKeys, const at::Tensor &cosines, const at::Tensor &sines, bool back);

// product = silu(gate) up, gateUp being [rows, 2 width].
void swiGlu(const at::Tensor &gateUp, at::Tensor product);
// Replaces gateUp by its gradient. Allocates product twice.
void swiGluBackward(const at::Tensor &dproduct, at::Tensor gateUp);

} // namespace slipway::aten_ops
