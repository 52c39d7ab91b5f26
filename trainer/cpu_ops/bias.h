// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "cpu_ops/norm.h"

namespace slipway::cpu_ops {

// y += bias in every row.
void addBias(Rows shape, const float *bias, float *y);

// dbias (+)= the sum of the rows of dy, in an order that never changes.
void biasGradient(Rows shape, const float *dy, float *dbias, bool accumulate);

} // namespace slipway::cpu_ops
