// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "cpu_ops/norm.h"

namespace slipway::cpu_ops {

// Adds bias to every row of y.
void addBias(Rows shape, const float *bias, float *y);

// dbias = or += the sum of the rows of dy, in a fixed order.
void biasGradient(Rows shape, const float *dy, float *dbias, bool accumulate);

} // namespace slipway::cpu_ops
