// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/cross_entropy.h"

#include <algorithm>
#include <cmath>

#include "cpu_ops/parallel.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

SLIPWAY_SIMD float largest(std::int64_t width, const float *row)
{
    float value = row[0];
#pragma omp simd reduction(max : value)
    for (std::int64_t j = 0; j < width; ++j)
        value = value < row[j] ? row[j] : value;
    return value;
}

SLIPWAY_SIMD float exponentials(std::int64_t width, float shift, float *row)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < width; ++j) {
        const float e = fastExp(row[j] - shift);
        row[j] = e;
        sum += e;
    }
    return sum;
}

SLIPWAY_SIMD void multiply(std::int64_t width, float factor, float *row)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        row[j] *= factor;
}

SLIPWAY_SIMD void underCap(std::int64_t width, float softCap, float *row)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        row[j] = softCap * fastTanh(row[j] / softCap);
}

// As `exponentials`, but the row keeps what the cap's slope comes from.
SLIPWAY_SIMD float sumOfExponentials(std::int64_t width, float shift, const float *row)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < width; ++j)
        sum += fastExp(row[j] - shift);
    return sum;
}

float capSlope(float capped, float softCap) { return 1.0f - capped / softCap * (capped / softCap); }

SLIPWAY_SIMD void cappedGradient(std::int64_t width, float shift, float factor, float softCap, float *row)
{
    const float inverse = 1.0f / softCap;
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        row[j] = factor * fastExp(row[j] - shift) * (1.0f - row[j] * inverse * (row[j] * inverse));
}

LossSums rowLoss(std::int64_t width, std::int32_t target, float scale, const LossOptions &options, float *row)
{
    if (target == kNotCounted) {
        std::fill_n(row, width, 0.0f);
        return {};
    }
    const float share = scale * options.logitScale;
    const bool capped = options.softCap != 0.0f;
    if (options.logitScale != 1.0f)
        multiply(width, options.logitScale, row);
    if (capped)
        underCap(width, options.softCap, row);
    const float shift = largest(width, row), chosen = row[target];
    const float sum = capped ? sumOfExponentials(width, shift, row) : exponentials(width, shift, row);
    const double logSum = std::log(static_cast<double>(sum)) + static_cast<double>(shift);
    const float factor = share * (1.0f + 2.0f * options.zLoss * static_cast<float>(logSum));
    if (capped)
        cappedGradient(width, shift, factor / sum, options.softCap, row);
    else
        multiply(width, factor / sum, row);
    row[target] -= capped ? share * capSlope(chosen, options.softCap) : share;
    return {logSum - static_cast<double>(chosen), static_cast<double>(options.zLoss) * logSum * logSum};
}

} // namespace

LossSums crossEntropy(Rows shape, const std::int32_t *targets, float scale, const LossOptions &options, float *logits)
{
    return parallelSum<LossSums>(shape.rows, [&](std::int64_t begin, std::int64_t end) {
        LossSums sums;
        for (std::int64_t i = begin; i < end; ++i)
            sums += rowLoss(shape.width, targets[i], scale, options, logits + i * shape.width);
        return sums;
    });
}

double crossEntropy(Rows shape, const std::int32_t *targets, float scale, float *logits)
{
    return crossEntropy(shape, targets, scale, LossOptions{}, logits).crossEntropy;
}

} // namespace slipway::cpu_ops
