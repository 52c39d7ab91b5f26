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

double rowLoss(std::int64_t width, std::int32_t target, float scale, float *row)
{
    if (target == kNotCounted) {
        std::fill_n(row, width, 0.0f);
        return 0;
    }
    const float shift = largest(width, row), chosen = row[target];
    const float sum = exponentials(width, shift, row);
    multiply(width, scale / sum, row);
    row[target] -= scale;
    return std::log(static_cast<double>(sum)) + static_cast<double>(shift) - static_cast<double>(chosen);
}

} // namespace

double crossEntropy(Rows shape, const std::int32_t *targets, float scale, float *logits)
{
    return parallelSum(shape.rows, [&](std::int64_t begin, std::int64_t end) {
        double sum = 0;
        for (std::int64_t i = begin; i < end; ++i)
            sum += rowLoss(shape.width, targets[i], scale, logits + i * shape.width);
        return sum;
    });
}

} // namespace slipway::cpu_ops
