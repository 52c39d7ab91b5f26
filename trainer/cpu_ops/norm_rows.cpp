// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/norm_rows.h"

#include <cmath>

#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {

SLIPWAY_SIMD float sumOfSquares(std::int64_t width, const float *x)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < width; ++j)
        sum += x[j] * x[j];
    return sum;
}

SLIPWAY_SIMD void addRow(std::int64_t width, const float *a, const float *b, float *sum)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        sum[j] = a[j] + b[j];
}

SLIPWAY_SIMD void multiplyRow(std::int64_t width, float factor, float *row)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        row[j] *= factor;
}

SLIPWAY_SIMD float dotRow(std::int64_t width, const float *a, const float *b)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < width; ++j)
        sum += a[j] * b[j];
    return sum;
}

float inverseRms(std::int64_t width, const float *x, float eps)
{
    return 1.0f / std::sqrt(sumOfSquares(width, x) / static_cast<float>(width) + eps);
}

SLIPWAY_SIMD void scaleRow(std::int64_t width, const float *x, RowWeight weight, float rstd, float *y)
{
    withWeight(weight, [=](auto factor) __attribute__((always_inline)) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j)
            y[j] = x[j] * rstd * factor(j);
    });
}

SLIPWAY_SIMD float rmsRowDot(std::int64_t width, RowWeight weight, const float *dy, const float *x)
{
    float dot = 0;
    withWeight(weight, [=, &dot](auto factor) __attribute__((always_inline)) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t j = 0; j < width; ++j)
            sum += dy[j] * factor(j) * x[j];
        dot = sum;
    });
    return dot;
}

SLIPWAY_SIMD void rmsRowGradient(std::int64_t width, float rstd, RowWeight weight, const RmsRowGradient &gradient)
{
    const float *const dy = gradient.dy, *const x = gradient.x, *const residual = gradient.residual;
    float *const dx = gradient.dx, *const dweight = gradient.dweight;
    if (dweight) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j)
            dweight[j] += dy[j] * x[j] * rstd;
    }
    const float dot = gradient.dot ? *gradient.dot : rmsRowDot(width, weight, dy, x),
                slope = dot * rstd * rstd / static_cast<float>(width);
    withWeight(weight, [=](auto factor) __attribute__((always_inline)) {
        if (residual) { // NOLINT(bugprone-branch-clone): the loops below the pragmas differ
#pragma omp simd
            for (std::int64_t j = 0; j < width; ++j)
                dx[j] = residual[j] + rstd * (dy[j] * factor(j) - x[j] * slope);
        } else {
#pragma omp simd
            for (std::int64_t j = 0; j < width; ++j)
                dx[j] = rstd * (dy[j] * factor(j) - x[j] * slope);
        }
    });
}

} // namespace slipway::cpu_ops
