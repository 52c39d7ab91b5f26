// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Attention of one query over keys and values that lie in pieces, as a paged KV cache has them, in fp32 or in bf16 as
// the upper halves of fp32. Sums are in fp32.
#pragma once

#include <cstdint>
#include <span>

namespace slipway::cpu_ops {

// What makes a score of the product of a query and a key `distance` tokens before it.
struct ScoreForm {
    float scale = 1, softCap = 0; // 0: none
    float slope = 0;              // of ALiBi: taken off for each token of distance
};

// Scores of keys that lie `stride` elements apart; the first one is `distance` tokens before the query.
void scoreKeys(std::int64_t dim, const float *query, const float *keys, std::int64_t stride, const ScoreForm &form,
    std::int64_t distance, std::span<float> scores);
void scoreKeys(std::int64_t dim, const float *query, const std::uint16_t *keys, std::int64_t stride,
    const ScoreForm &form, std::int64_t distance, std::span<float> scores);

// Replaces scores by e^(score - the largest) and gives their sum.
float exponentials(std::span<float> scores);

// out += the sum of weight x value; values lie `stride` elements apart.
void addValues(std::int64_t dim, std::span<const float> weights, const float *values, std::int64_t stride, float *out);
void addValues(
    std::int64_t dim, std::span<const float> weights, const std::uint16_t *values, std::int64_t stride, float *out);

// The first of the largest values; 0 where there is none.
std::int64_t indexOfLargest(std::span<const float> values);

} // namespace slipway::cpu_ops
