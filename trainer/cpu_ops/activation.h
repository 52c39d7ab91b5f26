// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Activation functions, alone or gated as in SwiGLU (Shazeer 2020).
#pragma once

#include "base/activation.h"
#include "cpu_ops/norm.h"

namespace slipway::cpu_ops {

// product = f(gate) x up, elementwise. Each row of `gateUp` is gate [width], then up [width].
void gatedActivation(Rows shape, Activation kind, const float *gateUp, float *product);
// Replaces gateUp by its gradient.
void gatedActivationBackward(Rows shape, Activation kind, const float *dproduct, float *gateUp);

// y = f(x); y may be x.
void activate(Rows shape, Activation kind, const float *x, float *y);
// Replaces x by its gradient.
void activateBackward(Rows shape, Activation kind, const float *dy, float *x);

} // namespace slipway::cpu_ops
