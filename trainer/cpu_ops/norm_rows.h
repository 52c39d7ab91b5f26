// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Sums and products of one row, its norms and their gradients. A null weight means ones.
#pragma once

#include <cstdint>
#include <optional>

namespace slipway::cpu_ops {

void addRow(std::int64_t width, const float *a, const float *b, float *sum);

void multiplyRow(std::int64_t width, float factor, float *row);

float dotRow(std::int64_t width, const float *a, const float *b);

float sumOfSquares(std::int64_t width, const float *x);

// (mean(x^2) + eps)^-1/2
float inverseRms(std::int64_t width, const float *x, float eps);

// A norm multiplies its row by `offset` + weight.
struct RowWeight {
    const float *weight = nullptr;
    float offset = 0;
};

// Calls loop(factor), where factor(j) is the multiplier of element j. It is inlined, so that functions with
// SLIPWAY_SIMD compile the loop for each level of x86-64.
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

// The sum of dy weight x.
float rmsRowDot(std::int64_t width, RowWeight weight, const float *dy, const float *x);

// With h = x rstd and g = dy weight: dx = residual + rstd (g - h mean(g h)), dweight += dy h. dx may be dy or the
// residual. The residual and dweight may be null. For one part of several equally long ones of a row, `dot` is the mean
// of their rmsRowDot().
struct RmsRowGradient {
    const float *dy = nullptr, *x = nullptr, *residual = nullptr;
    float *dx = nullptr, *dweight = nullptr;
    std::optional<float> dot = {};
};
void rmsRowGradient(std::int64_t width, float rstd, RowWeight weight, const RmsRowGradient &gradient);

} // namespace slipway::cpu_ops
