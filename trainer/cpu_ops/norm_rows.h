// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One row of a norm, and what its gradient is made of. A null weight stands for ones.
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

void addRow(std::int64_t width, const float *a, const float *b, float *sum);

// (mean(x^2) + eps)^-1/2
float inverseRms(std::int64_t width, const float *x, float eps);

// What a norm multiplies its row by: `offset` + weight.
struct RowWeight {
    const float *weight = nullptr;
    float offset = 0;
};

// Calls loop(factor) where factor(j) is what element j is multiplied by. Inlined, so that a function with SLIPWAY_SIMD
// has each loop for its level of x86-64.
template<typename Loop>
[[gnu::always_inline]] inline void withWeight(RowWeight row, const Loop &loop)
{
    if (row.weight)
        loop([row](std::int64_t j) __attribute__((always_inline)) { return row.offset + row.weight[j]; });
    else
        loop([](std::int64_t) __attribute__((always_inline)) { return 1.0f; });
}

// y = x rstd weight; y may be x.
void scaleRow(std::int64_t width, const float *x, RowWeight weight, float rstd, float *y);

// With h = x rstd and g = dy weight: dx = residual + rstd (g - h mean(g h)), dweight += dy h. dx may be dy or the
// residual; a null residual or dweight is none.
struct RmsRowGradient {
    const float *dy = nullptr, *x = nullptr, *residual = nullptr;
    float *dx = nullptr, *dweight = nullptr;
};
void rmsRowGradient(std::int64_t width, float rstd, RowWeight weight, const RmsRowGradient &gradient);

} // namespace slipway::cpu_ops
