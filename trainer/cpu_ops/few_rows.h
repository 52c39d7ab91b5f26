// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Products of a few rows of activations with a matrix of weights, as a decoder has them: each weight is read once, in
// the order in which it lies, and no copy of it is worth its time. Weights in fp32, or in bf16 as the upper halves of
// fp32; sums are in fp32.
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

inline constexpr std::int64_t kFewRows = 32; // more are faster by the tiles of gemm()

// c [rows, n] = added + x [rows, k] w^T, w [n, k]; `added` may be c, null: nothing. A row's result does not depend on
// how many others there are.
void multiplyFewRows(std::int64_t rows, std::int64_t n, std::int64_t k, const float *x, const float *w, float *c,
    const float *added = nullptr);
void multiplyFewRows(
    std::int64_t rows, std::int64_t n, std::int64_t k, const float *x, const std::uint16_t *w, float *c);

// Between fp32 and bf16; rounds to the nearest, ties to even.
void expand(std::int64_t count, const std::uint16_t *from, float *to);
void narrow(std::int64_t count, const float *from, std::uint16_t *to);

} // namespace slipway::cpu_ops
