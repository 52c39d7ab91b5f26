// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/norm.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "cpu_ops/parallel.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

constexpr std::int64_t kRowGrain = 16, kElementGrain = 16384;

SLIPWAY_SIMD float sumOfSquares(std::int64_t width, const float *x)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < width; ++j)
        sum += x[j] * x[j];
    return sum;
}

SLIPWAY_SIMD void scaleRow(std::int64_t width, const float *x, const float *weight, float rstd, float *y)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        y[j] = x[j] * rstd * weight[j];
}

SLIPWAY_SIMD void addRow(std::int64_t width, const float *a, const float *b, float *sum)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        sum[j] = a[j] + b[j];
}

float inverseRms(std::int64_t width, const float *x, float eps)
{
    return 1.0f / std::sqrt(sumOfSquares(width, x) / static_cast<float>(width) + eps);
}

// With h = x rstd and g = dy weight: dx = rstd (g - h mean(g h)).
SLIPWAY_SIMD void rowGradient(std::int64_t width, const float *dy, const float *x, float rstd, const float *weight,
    const float *residual, float *dx, float *dweight)
{
    float dot = 0;
#pragma omp simd reduction(+ : dot)
    for (std::int64_t j = 0; j < width; ++j) {
        dot += dy[j] * weight[j] * x[j];
        dweight[j] += dy[j] * x[j] * rstd;
    }
    const float slope = dot * rstd * rstd / static_cast<float>(width);
    if (residual) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j)
            dx[j] = residual[j] + rstd * (dy[j] * weight[j] - x[j] * slope);
    } else {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j)
            dx[j] = rstd * (dy[j] * weight[j] - x[j] * slope);
    }
}

} // namespace

void rmsNorm(Rows shape, const float *x, const float *weight, float eps, float *y, float *rstd)
{
    parallelRanges(shape.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const float *row = x + i * shape.width;
            rstd[i] = inverseRms(shape.width, row, eps);
            scaleRow(shape.width, row, weight, rstd[i], y + i * shape.width);
        }
    });
}

void addRmsNorm(
    Rows shape, const float *x, const float *delta, const float *weight, float eps, float *sum, float *y, float *rstd)
{
    parallelRanges(shape.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            float *row = sum + i * shape.width;
            addRow(shape.width, x + i * shape.width, delta + i * shape.width, row);
            rstd[i] = inverseRms(shape.width, row, eps);
            scaleRow(shape.width, row, weight, rstd[i], y + i * shape.width);
        }
    });
}

void rmsNormBackward(Rows shape, const RmsNormGradient &gradient)
{
    // Each piece of the rows sums its own dweight; the pieces are added in order.
    const std::int64_t grain = ceilDiv(shape.rows, kPieces), pieces = ceilDiv(shape.rows, grain);
    std::vector<float> partial(static_cast<std::size_t>(pieces * shape.width), 0.0f);
    parallelFor(pieces, [&](std::int64_t piece) {
        for (std::int64_t i = piece * grain; i < std::min(shape.rows, (piece + 1) * grain); ++i) {
            const std::int64_t at = i * shape.width;
            rowGradient(shape.width, gradient.dy + at, gradient.x + at, gradient.rstd[i], gradient.weight,
                gradient.residual ? gradient.residual + at : nullptr, gradient.dx + at,
                partial.data() + piece * shape.width);
        }
    });
    if (!gradient.accumulate)
        std::memset(gradient.dweight, 0, static_cast<std::size_t>(shape.width) * sizeof(float));
    for (std::int64_t piece = 0; piece < pieces; ++piece)
        addRow(shape.width, gradient.dweight, partial.data() + piece * shape.width, gradient.dweight);
}

void add(std::int64_t elements, const float *a, const float *b, float *sum)
{
    parallelRanges(elements, kElementGrain,
        [&](std::int64_t begin, std::int64_t end) { addRow(end - begin, a + begin, b + begin, sum + begin); });
}

} // namespace slipway::cpu_ops
