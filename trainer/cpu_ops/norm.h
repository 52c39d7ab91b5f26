// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// RMSNorm (Zhang and Sennrich 2019): y = x rstd (weightOffset + weight) with rstd = (mean(x^2) + eps)^-1/2 of each row.
// Gemma's weightOffset is 1. A null weight means ones. Tensors are contiguous, [rows, width].
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

struct Rows {
    std::int64_t rows = 0, width = 0;
};

void rmsNorm(Rows shape, const float *x, const float *weight, float eps, float *y, float *rstd, float weightOffset = 0);

// sum = x + delta, then y = the norm of sum. `sum` may be `x` or `delta`.
void addRmsNorm(Rows shape, const float *x, const float *delta, const float *weight, float eps, float *sum, float *y,
    float *rstd, float weightOffset = 0);

struct RmsNormGradient {
    const float *dy = nullptr, *x = nullptr, *rstd = nullptr, *weight = nullptr;
    const float *residual = nullptr; // added to the gradient of x; may be dx; null: none
    float *dx = nullptr;             // may be dy
    float *dweight = nullptr;        // null: not computed
    bool accumulate = false;         // adds to dweight
    float weightOffset = 0;
};
void rmsNormBackward(Rows shape, const RmsNormGradient &gradient);

void add(std::int64_t elements, const float *a, const float *b, float *sum);

// x *= factor
void scale(std::int64_t elements, float factor, float *x);

} // namespace slipway::cpu_ops
