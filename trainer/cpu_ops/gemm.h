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

// C = added + A B in the layout of the form. All operands are row-major and contiguous. `added` may be C; null: no
// addend.
void gemm(const GemmShape &shape, const float *a, const float *b, float *c, const float *added = nullptr);

// C [rows, n] = A [rows, k] B^T with weights B [n, k] as bit patterns of bf16. Sums are fp32.
void gemmOfBf16Weights(
    std::int64_t rows, std::int64_t n, std::int64_t k, const float *a, const std::uint16_t *b, float *c);

// One GEMM per expert, with weights of the same shape. Expert e has rows offsets[e] to offsets[e + 1] - 1.
//   Forward         c[rows, n] = a[rows, k] b[e]^T, b [experts, n, k]
//   InputGradient   c[rows, n] = a[rows, k] b[e], b [experts, k, n]
//   WeightGradient  c[e] = or += a[rows, m]^T b[rows, n], c [experts, m, n]; zeros for an expert without rows
struct GroupedGemmShape {
    GemmForm form = GemmForm::Forward;
    std::int64_t experts = 0;
    const std::int32_t *offsets = nullptr; // [experts + 1]
    std::int64_t m = 0, n = 0, k = 0;      // WeightGradient has no k, the two others no m
    bool accumulate = false;               // adds to c
};
void groupedGemm(const GroupedGemmShape &shape, const float *a, const float *b, float *c);

// gemm() by LibTorch, for CPUs without fast tiles (tile.h).
void gemmByLibTorch(const GemmShape &shape, const float *a, const float *b, float *c, const float *added = nullptr);

} // namespace slipway::cpu_ops
