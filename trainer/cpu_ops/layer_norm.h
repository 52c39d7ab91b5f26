// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// LayerNorm (Ba et al. 2016): y = (x - mean) rstd weight + bias, rstd = (variance + eps)^-1/2 of each row. A null
// weight stands for ones, a null bias for zeros.
#pragma once

#include "cpu_ops/norm.h"

namespace slipway::cpu_ops {

struct LayerNorm {
    const float *x = nullptr;
    const float *delta = nullptr; // where given: sum = x + delta, then the norm of it
    const float *weight = nullptr, *bias = nullptr;
    float eps = 0;
    float *sum = nullptr; // may be x or delta; without delta it is not written
    float *y = nullptr;
    float *mean = nullptr, *rstd = nullptr; // [rows]
};
void layerNorm(Rows shape, const LayerNorm &norm);

struct LayerNormGradient {
    const float *dy = nullptr, *x = nullptr, *mean = nullptr, *rstd = nullptr, *weight = nullptr;
    const float *residual = nullptr;            // dx = residual + the norm's own; may be dx; null: the norm's own alone
    float *dx = nullptr;                        // may be dy
    float *dweight = nullptr, *dbias = nullptr; // null: not wanted
    bool accumulate = false;                    // dweight +=, dbias +=
};
void layerNormBackward(Rows shape, const LayerNormGradient &gradient);

} // namespace slipway::cpu_ops
