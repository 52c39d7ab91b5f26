// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// SwiGLU (Shazeer 2020) by its own name: the gated activation (activation.h) with SiLU.
#pragma once

#include "cpu_ops/activation.h"

namespace slipway::cpu_ops {

inline void swiGlu(Rows shape, const float *gateUp, float *product) { gated(shape, Activation::Silu, gateUp, product); }
inline void swiGluBackward(Rows shape, const float *dproduct, float *gateUp)
{
    gatedBackward(shape, Activation::Silu, dproduct, gateUp);
}

} // namespace slipway::cpu_ops
