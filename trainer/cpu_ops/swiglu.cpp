// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/swiglu.h"

#include "cpu_ops/parallel.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

constexpr std::int64_t kRowGrain = 8;

SLIPWAY_SIMD void productRow(std::int64_t width, const float *gate, const float *up, float *product)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        product[j] = gate[j] / (1.0f + fastExp(-gate[j])) * up[j];
}

// silu'(g) = s (1 + g (1 - s)) with s = sigmoid(g).
SLIPWAY_SIMD void gradientRow(std::int64_t width, const float *dproduct, float *gate, float *up)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j) {
        const float g = gate[j], u = up[j], d = dproduct[j];
        const float sigmoid = 1.0f / (1.0f + fastExp(-g));
        up[j] = d * g * sigmoid;
        gate[j] = d * u * sigmoid * (1.0f + g * (1.0f - sigmoid));
    }
}

} // namespace

void swiGlu(Rows shape, const float *gateUp, float *product)
{
    parallelRanges(shape.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const float *gate = gateUp + i * 2 * shape.width;
            productRow(shape.width, gate, gate + shape.width, product + i * shape.width);
        }
    });
}

void swiGluBackward(Rows shape, const float *dproduct, float *gateUp)
{
    parallelRanges(shape.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            float *gate = gateUp + i * 2 * shape.width;
            gradientRow(shape.width, dproduct + i * shape.width, gate, gate + shape.width);
        }
    });
}

} // namespace slipway::cpu_ops
