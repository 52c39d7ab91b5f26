// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/norm.h"

#include "cpu_ops/parallel.h"
#include "cpu_ops/row_sums.h"

namespace slipway::cpu_ops {

void rmsNorm(Rows shape, const float *x, const float *weight, float eps, float *y, float *rstd, float weightOffset)
{
    parallelRanges(shape.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const float *row = x + i * shape.width;
            rstd[i] = inverseRms(shape.width, row, eps);
            scaleRow(shape.width, row, {weight, weightOffset}, rstd[i], y + i * shape.width);
        }
    });
}

void addRmsNorm(Rows shape, const float *x, const float *delta, const float *weight, float eps, float *sum, float *y,
    float *rstd, float weightOffset)
{
    parallelRanges(shape.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            float *row = sum + i * shape.width;
            addRow(shape.width, x + i * shape.width, delta + i * shape.width, row);
            rstd[i] = inverseRms(shape.width, row, eps);
            scaleRow(shape.width, row, {weight, weightOffset}, rstd[i], y + i * shape.width);
        }
    });
}

void rmsNormBackward(Rows shape, const RmsNormGradient &gradient)
{
    RowSums sums(shape.rows, gradient.dweight ? shape.width : 0);
    sums.forEachRow([&](std::int64_t i, float *own) {
        const std::int64_t at = i * shape.width;
        rmsRowGradient(shape.width, gradient.rstd[i], {gradient.weight, gradient.weightOffset},
            {.dy = gradient.dy + at,
                .x = gradient.x + at,
                .residual = gradient.residual ? gradient.residual + at : nullptr,
                .dx = gradient.dx + at,
                .dweight = gradient.dweight ? own : nullptr});
    });
    sums.addTo(gradient.dweight, 0, shape.width, gradient.accumulate);
}

void add(std::int64_t elements, const float *a, const float *b, float *sum)
{
    parallelRanges(elements, kElementGrain,
        [&](std::int64_t begin, std::int64_t end) { addRow(end - begin, a + begin, b + begin, sum + begin); });
}

void scale(std::int64_t elements, float factor, float *x)
{
    parallelRanges(elements, kElementGrain,
        [&](std::int64_t begin, std::int64_t end) { multiplyRow(end - begin, factor, x + begin); });
}

} // namespace slipway::cpu_ops
