// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// RMSNorm (Zhang and Sennrich 2019): y = x rstd weight, rstd = (mean(x^2) + eps)^-1/2 of each row. Rows x width,
// contiguous. What a row is multiplied by is weightOffset + weight (Gemma's offset is 1); a null weight stands for
// ones.
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

struct Rows {
    std::int64_t rows = 0, width = 0;
};

void rmsNorm(Rows shape, const float *x, const float *weight, float eps, float *y, float *rstd, float weightOffset = 0);

// sum = x + delta, then the norm of it. `sum` may be `x` or `delta`.
void addRmsNorm(Rows shape, const float *x, const float *delta, const float *weight, float eps, float *sum, float *y,
    float *rstd, float weightOffset = 0);

struct RmsNormGradient {
    const float *dy = nullptr, *x = nullptr, *rstd = nullptr, *weight = nullptr;
    const float *residual = nullptr; // dx = residual + the norm's own; may be dx; null: the norm's own alone
    float *dx = nullptr;             // may be dy
    float *dweight = nullptr;        // null: not wanted
    bool accumulate = false;         // dweight +=
    float weightOffset = 0;
};
void rmsNormBackward(Rows shape, const RmsNormGradient &gradient);

void add(std::int64_t elements, const float *a, const float *b, float *sum);

// x *= factor
void scale(std::int64_t elements, float factor, float *x);

} // namespace slipway::cpu_ops
