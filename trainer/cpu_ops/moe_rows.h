// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Permutes rows of tokens to experts and back. A slot is one assignment of a token to an expert: slot = token x topK +
// rank of the expert. The rows of an expert are contiguous, in the order of their slots.
#pragma once

#include "cpu_ops/norm.h"

namespace slipway::cpu_ops {

// The permutation from slots to rows. Without a capacity, every slot has a row.
struct ExpertRows {
    std::int32_t *offsets = nullptr; // [experts + 1]: the first row of each expert, then the number of rows
    std::int32_t *slots = nullptr;   // [slots]: the slot of each row
    std::int32_t *places = nullptr;  // [slots]: the row of each slot; -1: dropped
};
// Drops the slots of an expert beyond its first `capacity` ones; 0: no limit.
void groupByExpert(std::int64_t experts, std::int64_t slots, const std::int32_t *chosen, std::int64_t capacity,
    const ExpertRows &result);

// to[row] = x[token of the row's slot]. `shape.rows` is the number of tokens.
void permute(
    Rows shape, std::int64_t topK, std::int64_t permutedRows, const std::int32_t *slots, const float *x, float *to);
// dx[token] = or += the sum of the gradients of its rows, in the order of its slots.
void permuteBackward(
    Rows shape, std::int64_t topK, const std::int32_t *places, const float *dto, float *dx, bool accumulate);

// y[token] = added[token] + the sum of weight x row over its slots, in their order. `added` may be y; null: no addend.
void combine(Rows shape, std::int64_t topK, const std::int32_t *places, const float *weights, const float *rows,
    const float *added, float *y);

struct CombineGradient {
    const std::int32_t *places = nullptr;
    const float *weights = nullptr, *rows = nullptr, *dy = nullptr;
    float *drows = nullptr; // may be rows
    float *dweights = nullptr;
};
void combineBackward(Rows shape, std::int64_t topK, const CombineGradient &gradient);

// Adds the output of a gated shared expert: y += sigmoid(gate) x per row (Qwen 2 MoE).
void addGatedRows(Rows shape, const float *gates, const float *x, float *y);
// dx = sigmoid(gate) dy; dx may be dy. Replaces the gates [rows] by their gradient.
void gateRowsBackward(Rows shape, const float *dy, const float *x, float *dx, float *gates);

} // namespace slipway::cpu_ops
