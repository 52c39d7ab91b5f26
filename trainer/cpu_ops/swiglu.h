// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// SwiGLU (Shazeer 2020): product = silu(gate) up, each row of `gateUp` being its gate [width], then its up [width].
#pragma once

#include "cpu_ops/norm.h"

namespace slipway::cpu_ops {

void swiGlu(Rows shape, const float *gateUp, float *product);
// Replaces gateUp by its gradient.
void swiGluBackward(Rows shape, const float *dproduct, float *gateUp);

} // namespace slipway::cpu_ops
