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

// C [rows, n] = A [rows, k] B^T of weights B [n, k] in bf16, the upper halves of fp32; sums are in fp32.
void gemmOfNarrowWeights(
    std::int64_t rows, std::int64_t n, std::int64_t k, const float *a, const std::uint16_t *b, float *c);

// The same for matrices that follow each other, one for each expert, all with weights of one shape. Expert e has the
// rows from offsets[e] up to offsets[e + 1] of what the tokens bring.
//   Forward         c[rows, n] = a[rows, k] b[e]^T, b [experts, n, k]
//   InputGradient   c[rows, n] = a[rows, k] b[e], b [experts, k, n]
//   WeightGradient  c[e] (+)= a[rows, m]^T b[rows, n], c [experts, m, n]; of an expert without rows: zeros
struct GroupedGemmShape {
    GemmForm form = GemmForm::Forward;
    std::int64_t experts = 0;
    const std::int32_t *offsets = nullptr; // [experts + 1]
    std::int64_t m = 0, n = 0, k = 0;      // m of WeightGradient alone, k of the two others
    bool accumulate = false;               // c +=
};
void groupedGemm(const GroupedGemmShape &shape, const float *a, const float *b, float *c);

// The same by LibTorch's own product: for processors without fast tiles (tile.h).
void gemmByLibTorch(const GemmShape &shape, const float *a, const float *b, float *c, const float *added = nullptr);

} // namespace slipway::cpu_ops
