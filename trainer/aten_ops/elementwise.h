// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Ops between the GEMMs, on tensors of any device. Activations and weights are fp32 or bf16. Arithmetic and gradients
// of weights are fp32. Comments say what an op allocates in addition to its operands.
#pragma once

#include <optional>

#include <ATen/core/Tensor.h>

#include "aten_ops/activation.h"
#include "cpu_ops/vocabulary_shard.h"

namespace slipway::aten_ops {

// x[i] = table[tokens[i]]
void embedding(const at::Tensor &tokens, const at::Tensor &table, at::Tensor x);
// dtable[tokens[i]] += dx[i] in a deterministic order. Allocates a copy of dx in fp32.
void embeddingBackward(const at::Tensor &tokens, const at::Tensor &dx, at::Tensor dtable, bool accumulate);

using cpu_ops::VocabularyShard;
// x[i] = table[tokens[i] - first], and 0 for the ids of other ranks. Allocates the ids and a mask.
void vocabParallelEmbedding(const at::Tensor &tokens, VocabularyShard shard, const at::Tensor &table, at::Tensor x);
// dtable[tokens[i] - first] += dx[i] for the ids of this rank, in a deterministic order. Allocates two copies of dx in
// fp32.
void vocabParallelEmbeddingBackward(
    const at::Tensor &tokens, VocabularyShard shard, const at::Tensor &dx, at::Tensor dtable, bool accumulate);

// Learned positions with sequence parallelism: adds the position's row of the table to each row of x [rows, width]. The
// position of row i is (firstToken + i) modulo `seq`.
void addPositionsOfRows(const at::Tensor &table, std::int64_t firstToken, std::int64_t seq, at::Tensor x);
// Adds each row of dx to the row of dtable for its position, in a deterministic order. Allocates a copy of dx in fp32.
void positionsGradientOfRows(
    const at::Tensor &dx, std::int64_t firstToken, std::int64_t seq, at::Tensor dtable, bool accumulate);

// Learned positions: adds the first `seq` rows of the table to x [batch, seq, width].
void addPositions(const at::Tensor &table, at::Tensor x);
// Adds dx [batch, seq, width], summed over the batch, to the first `seq` rows of dtable. Without `accumulate`, dtable
// starts from zeros.
void positionsGradient(const at::Tensor &dx, at::Tensor dtable, bool accumulate);

// sums [width] = or += the sum of the rows of [rows, width], in fp32.
void addSums(const at::Tensor &rows, at::Tensor sums, bool accumulate);

// Adds bias to every row of y.
void addBias(const at::Tensor &bias, at::Tensor y);
// dbias = or += the sum of the rows of dy.
void biasGradient(const at::Tensor &dy, at::Tensor dbias, bool accumulate);

// x *= factor
void scale(double factor, at::Tensor x);

// y = x rstd (weightOffset + weight) with rstd = (mean(x^2) + eps)^-1/2 of each row. An undefined weight means ones.
// Allocates nothing of the size of x on a GPU.
void rmsNorm(
    const at::Tensor &x, const at::Tensor &weight, double eps, at::Tensor y, at::Tensor rstd, double weightOffset = 0);

struct RmsNormGradient {
    at::Tensor dy, x, rstd, weight;
    std::optional<at::Tensor> residual; // added to the gradient of x; may be dx
    at::Tensor dx, dweight;             // an undefined dweight is not computed
    bool accumulate = false;            // adds to dweight
    double weightOffset = 0;
};
// Allocates two tensors like x in fp32.
void rmsNormBackward(const RmsNormGradient &gradient);

// Rotates heads [batch, seq, heads, headDim] of q and k in place by tables [seq, half], or back with `inverse`. Of the
// first 2 half elements of a head, element i forms a pair with element i + half (Hugging Face's layout). Allocates one
// tensor like the heads in fp32.
void rope(at::Tensor queriesAndKeys, const at::Tensor &cosines, const at::Tensor &sines, bool inverse);

} // namespace slipway::aten_ops
