// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The ops between the matrix products, on tensors of any device. Activations and weights are fp32 or bf16; what is
// computed with them is fp32, gradients of weights are fp32. What an op allocates besides its operands stands beside
// it.
#pragma once

#include <optional>

#include <ATen/core/Tensor.h>

#include "aten_ops/activation.h"

namespace slipway::aten_ops {

// x[i] = table[tokens[i]]
void embedding(const at::Tensor &tokens, const at::Tensor &table, at::Tensor x);
// dtable[tokens[i]] += dx[i], in an order that repeats. Allocates dx in fp32.
void embeddingBackward(const at::Tensor &tokens, const at::Tensor &dx, at::Tensor dtable, bool accumulate);

// Learned positions: x [batch, seq, width] += the first rows of the table.
void addPositions(const at::Tensor &table, at::Tensor x);
// The first rows of dtable += dx [batch, seq, width], summed over the batch; where not `accumulate`, the others become
// 0.
void positionsGradient(const at::Tensor &dx, at::Tensor dtable, bool accumulate);

// sums [width] (+)= the rows of [rows, width], in fp32.
void addSums(const at::Tensor &rows, at::Tensor sums, bool accumulate);

// y += bias in every row.
void addBias(const at::Tensor &bias, at::Tensor y);
// dbias (+)= the sum of the rows of dy.
void biasGradient(const at::Tensor &dy, at::Tensor dbias, bool accumulate);

// x *= factor
void scale(double factor, at::Tensor x);

// y = x rstd (weightOffset + weight), rstd = (mean(x^2) + eps)^-1/2 of each row; an undefined weight stands for ones.
// Allocates nothing of the size of x on a GPU.
void rmsNorm(
    const at::Tensor &x, const at::Tensor &weight, double eps, at::Tensor y, at::Tensor rstd, double weightOffset = 0);

struct RmsNormGradient {
    at::Tensor dy, x, rstd, weight;
    std::optional<at::Tensor> residual; // dx = residual + the norm's own; may be dx
    at::Tensor dx, dweight;             // an undefined dweight is not wanted
    bool accumulate = false;            // dweight +=
    double weightOffset = 0;
};
// Allocates x twice in fp32.
void rmsNormBackward(const RmsNormGradient &gradient);

// qkv [batch, seq, heads, headDim]: the q and k heads, turned in place by tables [seq, half]: of the first 2 half
// elements of a head, element i turns with element i + half (Hugging Face's layout). Allocates them once in fp32.
void rope(at::Tensor queriesAndKeys, const at::Tensor &cosines, const at::Tensor &sines, bool back);

} // namespace slipway::aten_ops
