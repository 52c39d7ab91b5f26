// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Attention of one query over the blocks of a paged KV cache. Keys and values are fp32, or bf16 as bit patterns. Sums
// are fp32.
#pragma once

#include <cstdint>
#include <span>

namespace slipway::cpu_ops {

// How a dot product of a query with a key becomes a score.
struct ScoreForm {
    float scale = 1, softCap = 0; // 0: none
    float slope = 0;              // slope of ALiBi: subtracted per token of distance
};

// Scores of consecutive keys, `stride` elements apart. The first key is `distance` tokens before the query.
void scoreKeys(std::int64_t dim, const float *query, const float *keys, std::int64_t stride, const ScoreForm &form,
    std::int64_t distance, std::span<float> scores);
void scoreKeys(std::int64_t dim, const float *query, const std::uint16_t *keys, std::int64_t stride,
    const ScoreForm &form, std::int64_t distance, std::span<float> scores);

// Replaces the scores by exp(score - maximum), and returns their sum.
float exponentials(std::span<float> scores);

// out += the sum of weight x value. Values are `stride` elements apart.
void addValues(std::int64_t dim, std::span<const float> weights, const float *values, std::int64_t stride, float *out);
void addValues(
    std::int64_t dim, std::span<const float> weights, const std::uint16_t *values, std::int64_t stride, float *out);

// Index of the first maximum; 0 for an empty span.
std::int64_t indexOfLargest(std::span<const float> values);

} // namespace slipway::cpu_ops
