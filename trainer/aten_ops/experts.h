// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A mixture of experts by LibTorch, on tensors of any device: routing, rows on their way to experts and back, and the
// experts' GEMMs. A slot is one assignment of a token to an expert: slot = token x topK + rank of the expert. The rows
// of an expert are contiguous, in the order of their slots. Activations are fp32 or bf16. Scores, weights and sums are
// fp32. All ops are deterministic. Only groupedGemm() needs to know on the host how many rows each expert has.
#pragma once

#include <cstdint>
#include <span>

#include <ATen/core/Tensor.h>

#include "aten_ops/gemm.h"

namespace slipway::aten_ops {

struct Routing {
    at::Tensor scores;  // fp32 [tokens, experts]; may be the logits
    at::Tensor weights; // fp32 [tokens, topK]
    at::Tensor chosen;  // int32 [tokens, topK], highest score first; of equal scores the lower expert
    at::Tensor logSums; // fp32 [tokens]: log-sum-exp of the logits; undefined: not computed
};
// The softmax of the logits [tokens, experts], the best experts of each token and their weights. `normalised` divides
// the weights of a token by their sum, which equals the softmax of the chosen logits. Allocates 20 bytes per score.
void route(const at::Tensor &logits, bool normalised, const Routing &result);

// The permutation from slots to rows. All are int32.
struct ExpertRows {
    at::Tensor offsets;       // [experts + 1]: the first row of each expert, then the number of rows
    at::Tensor slots, places; // [slots]: the slot of each row, and the row of each slot
};
// `chosen`: int32, one per slot. Allocates 32 bytes per slot.
void groupByExpert(const at::Tensor &chosen, const ExpertRows &result);

struct RoutingGradient {
    at::Tensor scores, weights, dweights, chosen;
    bool normalised = false;
    at::Tensor counts;  // fp32 [experts], of the load-balancing loss; undefined: none
    double balance = 0; // coefficient x experts / tokens^2
    at::Tensor logSums; // fp32 [tokens], of the z-loss; undefined: none
    double zLoss = 0;   // coefficient / tokens
};
// The gradient of the logits, which may be the scores. Allocates 12 bytes per score.
void routeBackward(const RoutingGradient &gradient, at::Tensor dlogits);

// load [experts] int64 += rows of each expert. counts [experts] fp32 likewise; undefined: none.
void countExperts(const at::Tensor &offsets, at::Tensor load, at::Tensor counts);
// From the offsets of all ranks [ranks, experts + 1] to those of the rows that this rank's experts receive: first the
// rows of rank 0, then of rank 1.
void receivedRows(const at::Tensor &allOffsets, std::int64_t rank, at::Tensor offsets);

// to[row] = x[token of the row's slot].
void permute(const at::Tensor &x, const at::Tensor &slots, at::Tensor to);
// dx[token] = or += the sum of the gradients of its rows. Allocates two tensors like dx, one of them in fp32.
void permuteBackward(const at::Tensor &drows, const at::Tensor &places, at::Tensor dx, bool accumulate);
// y[token] = added[token] + the sum of weight x row over its slots. An undefined `added` means zeros. Allocates as
// permuteBackward().
void combine(
    const at::Tensor &rows, const at::Tensor &places, const at::Tensor &weights, const at::Tensor &added, at::Tensor y);
struct CombineGradient {
    at::Tensor slots, places, weights, dy; // weights [slots]
    at::Tensor rows;                       // replaced by their gradient
    at::Tensor dweights;                   // fp32 [slots]
};
// Allocates one tensor like the rows, and two of them in fp32.
void combineBackward(const CombineGradient &gradient);

// Adds the output of a gated shared expert: y += sigmoid(gate) x per row (Qwen 2 MoE).
void addGatedRows(const at::Tensor &gates, const at::Tensor &x, at::Tensor y);
// dx = sigmoid(gate) dy. Replaces the gates [rows] by their gradient.
void gateRowsBackward(const at::Tensor &dy, const at::Tensor &x, at::Tensor dx, at::Tensor gates);

// One GEMM per group of rows with the weights of its expert, which is the group's number modulo the number of experts.
// Group i has rows offsets[i] to offsets[i + 1] - 1.
//   Forward         c[rows, n] = a[rows, k] b[e]^T, b [experts, n, k]
//   InputGradient   c[rows, n] = a[rows, k] b[e], b [experts, k, n]
//   WeightGradient  c[e] = or += a[rows, m]^T b[rows, n], c [experts, m, n]; zeros for an expert without rows
struct GroupedGemm {
    GemmForm form = GemmForm::Forward;
    std::span<const std::int32_t> offsets; // on the host
    at::Tensor a, b, c;
    bool accumulate = false; // adds to c
};
void groupedGemm(const GroupedGemm &product, Fp32GradientGemm gradientGemm);

} // namespace slipway::aten_ops
