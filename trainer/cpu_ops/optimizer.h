// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

double sumSquares(std::int64_t elements, const float *values);

// The scalars of AdamW in one step.
struct AdamWFactors {
    float learningRate = 0, beta1 = 0, beta2 = 0, eps = 0, weightDecay = 0;
    float correction1 = 1, correction2 = 1; // 1 - beta^step
    float gradientScale = 1;                // factor of gradient clipping
};

struct AdamWTensors {
    float *weight = nullptr;
    const float *gradient = nullptr;
    float *momentum = nullptr, *variance = nullptr;
};

// Loshchilov and Hutter 2019: w -= lr (weightDecay w + mHat / (sqrt(vHat) + eps)).
void adamW(std::int64_t elements, const AdamWFactors &factors, const AdamWTensors &tensors);

} // namespace slipway::cpu_ops
