// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// GEMMs of few rows of activations, for decoding. Weights are read once, in memory order, and not packed into panels.
// Weights are fp32, or bf16 as bit patterns. Sums are fp32.
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

inline constexpr std::int64_t kFewRows = 32; // gemm() is faster for more rows

// c [rows, n] = added + x [rows, k] w^T with w [n, k]. `added` may be c; null: no addend. The result of a row does not
// depend on the number of rows.
void multiplyFewRows(std::int64_t rows, std::int64_t n, std::int64_t k, const float *x, const float *w, float *c,
    const float *added = nullptr);
void multiplyFewRows(
    std::int64_t rows, std::int64_t n, std::int64_t k, const float *x, const std::uint16_t *w, float *c);

// Converts bit patterns of bf16 to fp32 and back. Rounds to nearest, ties to even.
void convertToFp32(std::int64_t count, const std::uint16_t *from, float *to);
void convertToBf16(std::int64_t count, const float *from, std::uint16_t *to);

} // namespace slipway::cpu_ops
