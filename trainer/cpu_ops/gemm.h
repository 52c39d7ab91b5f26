// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>

#include "plan/step_plan.h"

namespace slipway::cpu_ops {

struct GemmShape {
    GemmForm form = GemmForm::Forward;
    std::int64_t m = 0, n = 0, k = 0;
};

// C = added + A B in the form's layout, all operands row-major and contiguous. What is added may be C; null: nothing.
void gemm(const GemmShape &shape, const float *a, const float *b, float *c, const float *added = nullptr);

// The same by LibTorch's own product: for processors without fast tiles (tile.h).
void gemmByLibTorch(const GemmShape &shape, const float *a, const float *b, float *c, const float *added = nullptr);

} // namespace slipway::cpu_ops
