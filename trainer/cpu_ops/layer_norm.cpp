// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/layer_norm.h"

#include <cmath>

#include "cpu_ops/parallel.h"
#include "cpu_ops/row_sums.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

SLIPWAY_SIMD float sumOf(std::int64_t width, const float *x)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < width; ++j)
        sum += x[j];
    return sum;
}

SLIPWAY_SIMD float squaresAround(std::int64_t width, const float *x, float mean)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < width; ++j)
        sum += (x[j] - mean) * (x[j] - mean);
    return sum;
}

SLIPWAY_SIMD void normRow(
    std::int64_t width, const float *x, float mean, float rstd, RowWeight weight, const float *bias, float *y)
{
    withWeight(weight, [=](auto factor) __attribute__((always_inline)) {
        if (bias) { // NOLINT(bugprone-branch-clone): the loops below the pragmas differ
#pragma omp simd
            for (std::int64_t j = 0; j < width; ++j)
                y[j] = (x[j] - mean) * rstd * factor(j) + bias[j];
        } else {
#pragma omp simd
            for (std::int64_t j = 0; j < width; ++j)
                y[j] = (x[j] - mean) * rstd * factor(j);
        }
    });
}

struct Row {
    float mean, rstd;
};

struct RowGradient {
    const float *dy, *x, *residual;
    float *dx, *dweight, *dbias;
};

// With h = (x - mean) rstd and g = dy weight: dx = residual + rstd (g - mean(g) - h mean(g h)).
SLIPWAY_SIMD void rowGradient(std::int64_t width, Row row, const float *weight, const RowGradient &gradient)
{
    const float *const dy = gradient.dy, *const x = gradient.x, *const residual = gradient.residual;
    float *const dx = gradient.dx, *const dweight = gradient.dweight, *const dbias = gradient.dbias;
    if (dweight) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j)
            dweight[j] += dy[j] * (x[j] - row.mean) * row.rstd;
    }
    if (dbias) {
#pragma omp simd
        for (std::int64_t j = 0; j < width; ++j)
            dbias[j] += dy[j];
    }
    withWeight({weight}, [=](auto factor) __attribute__((always_inline)) {
        float sum = 0, dot = 0;
#pragma omp simd reduction(+ : sum, dot)
        for (std::int64_t j = 0; j < width; ++j) {
            sum += dy[j] * factor(j);
            dot += dy[j] * factor(j) * (x[j] - row.mean);
        }
        const float mean = sum / static_cast<float>(width);
        const float slope = dot * row.rstd * row.rstd / static_cast<float>(width);
        if (residual) { // NOLINT(bugprone-branch-clone): the loops below the pragmas differ
#pragma omp simd
            for (std::int64_t j = 0; j < width; ++j)
                dx[j] = residual[j] + row.rstd * (dy[j] * factor(j) - mean - (x[j] - row.mean) * slope);
        } else {
#pragma omp simd
            for (std::int64_t j = 0; j < width; ++j)
                dx[j] = row.rstd * (dy[j] * factor(j) - mean - (x[j] - row.mean) * slope);
        }
    });
}

} // namespace

void layerNorm(Rows shape, const LayerNorm &norm)
{
    const std::int64_t width = shape.width;
    parallelRanges(shape.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const float *row = norm.x + i * width;
            if (norm.delta) {
                addRow(width, row, norm.delta + i * width, norm.sum + i * width);
                row = norm.sum + i * width;
            }
            const float mean = sumOf(width, row) / static_cast<float>(width);
            const float rstd = 1.0f / std::sqrt(squaresAround(width, row, mean) / static_cast<float>(width) + norm.eps);
            normRow(width, row, mean, rstd, {norm.weight}, norm.bias, norm.y + i * width);
            norm.mean[i] = mean;
            norm.rstd[i] = rstd;
        }
    });
}

void layerNormBackward(Rows shape, const LayerNormGradient &gradient)
{
    const std::int64_t width = shape.width;
    RowSums sums(shape.rows, 2 * width);
    sums.forEachRow([&](std::int64_t i, float *own) {
        const std::int64_t at = i * width;
        rowGradient(width, {gradient.mean[i], gradient.rstd[i]}, gradient.weight,
            {.dy = gradient.dy + at,
                .x = gradient.x + at,
                .residual = gradient.residual ? gradient.residual + at : nullptr,
                .dx = gradient.dx + at,
                .dweight = gradient.dweight ? own : nullptr,
                .dbias = gradient.dbias ? own + width : nullptr});
    });
    sums.addTo(gradient.dweight, 0, width, gradient.accumulate);
    sums.addTo(gradient.dbias, width, width, gradient.accumulate);
}

} // namespace slipway::cpu_ops
