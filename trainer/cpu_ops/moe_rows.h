// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Rows on their way to experts and back. A slot is one choice of a token: slot = token x topK + which. The rows of an
// expert are neighbours, in the order of their slots.
#pragma once

#include "cpu_ops/norm.h"

namespace slipway::cpu_ops {

// Where slots go. Without a capacity every slot has a row.
struct ExpertRows {
    std::int32_t *offsets = nullptr; // [experts + 1]: an expert's rows are from its offset up to the next one
    std::int32_t *slots = nullptr;   // [slots]: the slot of each row
    std::int32_t *places = nullptr;  // [slots]: the row of each slot; -1: dropped
};
// Where an expert has no more than `capacity` rows (0: as many as come), its later slots are dropped.
void groupByExpert(std::int64_t experts, std::int64_t slots, const std::int32_t *chosen, std::int64_t capacity,
    const ExpertRows &result);

// Rows of `shape` are tokens. Each goes to the rows of its slots: to[row] = x[token of the row's slot].
void permute(
    Rows shape, std::int64_t topK, std::int64_t permutedRows, const std::int32_t *slots, const float *x, float *to);
// dx[token] (+)= the gradients of its rows, in the order of its slots.
void permuteBackward(
    Rows shape, std::int64_t topK, const std::int32_t *places, const float *dto, float *dx, bool accumulate);

// y[token] = added[token] + the sum of weight x row over its slots, in their order. Null added: nothing; it may be y.
void combine(Rows shape, std::int64_t topK, const std::int32_t *places, const float *weights, const float *rows,
    const float *added, float *y);

struct CombineGradient {
    const std::int32_t *places = nullptr;
    const float *weights = nullptr, *rows = nullptr, *dy = nullptr;
    float *drows = nullptr; // may be rows
    float *dweights = nullptr;
};
void combineBackward(Rows shape, std::int64_t topK, const CombineGradient &gradient);

// A shared expert's part of a token: y += sigmoid(gate) x row by row (Qwen 2 MoE).
void addGatedRows(Rows shape, const float *gates, const float *x, float *y);
// dx = sigmoid(gate) dy, dx may be dy; the gates [rows] are replaced by their gradient.
void gateRowsBackward(Rows shape, const float *dy, const float *x, float *dx, float *gates);

} // namespace slipway::cpu_ops
