// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// LayerNorm (Ba et al. 2016): y = (x - mean) rstd weight + bias with rstd = (variance + eps)^-1/2 of each row. A null
// weight means ones, a null bias zeros.
#pragma once

#include "cpu_ops/norm.h"

namespace slipway::cpu_ops {

struct LayerNorm {
    const float *x = nullptr;
    const float *delta = nullptr; // residual addition: sum = x + delta, which is then normalized; null: none
    const float *weight = nullptr, *bias = nullptr;
    float eps = 0;
    float *sum = nullptr; // may be x or delta; not written without delta
    float *y = nullptr;
    float *mean = nullptr, *rstd = nullptr; // [rows]
};
void layerNorm(Rows shape, const LayerNorm &norm);

struct LayerNormGradient {
    const float *dy = nullptr, *x = nullptr, *mean = nullptr, *rstd = nullptr, *weight = nullptr;
    const float *residual = nullptr;            // added to the gradient of x; may be dx; null: none
    float *dx = nullptr;                        // may be dy
    float *dweight = nullptr, *dbias = nullptr; // null: not computed
    bool accumulate = false;                    // adds to dweight and dbias
};
void layerNormBackward(Rows shape, const LayerNormGradient &gradient);

} // namespace slipway::cpu_ops
