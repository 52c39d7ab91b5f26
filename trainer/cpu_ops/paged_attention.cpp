// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/paged_attention.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

[[gnu::always_inline]] inline float wide(float value) { return value; }
[[gnu::always_inline]] inline float wide(std::uint16_t value)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16U);
}

template<typename T>
[[gnu::always_inline]] inline float dot(std::int64_t count, const float *a, const T *b)
{
    float sums[kLanes] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            sums[lane] += a[i + lane] * wide(b[i + lane]);
    }
    for (std::int64_t lane = 0; i + lane < count; ++lane)
        sums[lane] += a[i + lane] * wide(b[i + lane]);
    for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
        for (std::int64_t lane = 0; lane < half; ++lane)
            sums[lane] += sums[lane + half];
    }
    return sums[0];
}

template<typename T>
[[gnu::always_inline]] inline void scores(std::int64_t dim, const float *query, const T *keys, std::int64_t stride,
    const ScoreForm &form, std::int64_t distance, std::span<float> to)
{
    for (std::size_t i = 0; i < to.size(); ++i, keys += stride) {
        float score = form.scale * dot(dim, query, keys);
        if (form.softCap > 0)
            score = form.softCap * fastTanh(score / form.softCap);
        to[i] = score - form.slope * static_cast<float>(distance - static_cast<std::int64_t>(i));
    }
}

template<typename T>
[[gnu::always_inline]] inline void weighted(
    std::int64_t dim, std::span<const float> weights, const T *values, std::int64_t stride, float *out)
{
    for (std::size_t i = 0; i < weights.size(); ++i, values += stride) {
        const float weight = weights[i];
        for (std::int64_t j = 0; j < dim; ++j)
            out[j] += weight * wide(values[j]);
    }
}

} // namespace

SLIPWAY_SIMD void scoreKeys(std::int64_t dim, const float *query, const float *keys, std::int64_t stride,
    const ScoreForm &form, std::int64_t distance, std::span<float> to)
{
    scores(dim, query, keys, stride, form, distance, to);
}
SLIPWAY_SIMD void scoreKeys(std::int64_t dim, const float *query, const std::uint16_t *keys, std::int64_t stride,
    const ScoreForm &form, std::int64_t distance, std::span<float> to)
{
    scores(dim, query, keys, stride, form, distance, to);
}

SLIPWAY_SIMD float exponentials(std::span<float> scores)
{
    float largest = -std::numeric_limits<float>::infinity();
    for (const float score : scores)
        largest = std::max(largest, score);
    float sums[kLanes] = {};
    const auto count = std::ssize(scores);
    float *const score = scores.data();
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            score[i + lane] = fastExp(score[i + lane] - largest);
            sums[lane] += score[i + lane];
        }
    }
    for (std::int64_t lane = 0; i + lane < count; ++lane) {
        score[i + lane] = fastExp(score[i + lane] - largest);
        sums[lane] += score[i + lane];
    }
    for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
        for (std::int64_t lane = 0; lane < half; ++lane)
            sums[lane] += sums[lane + half];
    }
    return sums[0];
}

SLIPWAY_SIMD void addValues(
    std::int64_t dim, std::span<const float> weights, const float *values, std::int64_t stride, float *out)
{
    weighted(dim, weights, values, stride, out);
}
SLIPWAY_SIMD void addValues(
    std::int64_t dim, std::span<const float> weights, const std::uint16_t *values, std::int64_t stride, float *out)
{
    weighted(dim, weights, values, stride, out);
}

SLIPWAY_SIMD std::int64_t indexOfLargest(std::span<const float> values)
{
    // Separate maxima per lane have no required order, so that the compiler can vectorize the loop without assumptions
    // about NaN.
    float most[kLanes];
    std::fill_n(most, kLanes, -std::numeric_limits<float>::infinity());
    const auto count = std::ssize(values);
    const float *const value = values.data();
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            most[lane] = value[i + lane] > most[lane] ? value[i + lane] : most[lane];
    }
    for (std::int64_t lane = 0; i + lane < count; ++lane)
        most[lane] = value[i + lane] > most[lane] ? value[i + lane] : most[lane];
    const float largest = *std::max_element(most, most + kLanes);
    const auto found = std::find(values.begin(), values.end(), largest);
    return found == values.end() ? 0 : found - values.begin();
}

} // namespace slipway::cpu_ops
