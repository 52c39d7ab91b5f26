// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/few_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cpu_ops/parallel.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

using Lanes [[gnu::vector_size(64)]] = float;
using Bits [[gnu::vector_size(64)]] = std::uint32_t;
using Halves [[gnu::vector_size(32)]] = std::uint16_t;

// Loads a vector of weights or activations from an unaligned address. readSome() loads `count` elements and sets the
// others to 0.
[[gnu::always_inline]] inline void read(const float *from, Lanes &to) { std::memcpy(&to, from, sizeof(to)); }
[[gnu::always_inline]] inline void read(const std::uint16_t *from, Lanes &to)
{
    Halves halves;
    std::memcpy(&halves, from, sizeof(halves));
    const Bits bits = __builtin_convertvector(halves, Bits) << 16U;
    std::memcpy(&to, &bits, sizeof(to));
}
template<typename W>
[[gnu::always_inline]] inline void readSome(const W *from, std::int64_t count, Lanes &to)
{
    W some[kLanes] = {};
    std::memcpy(some, from, static_cast<std::size_t>(count) * sizeof(W));
    read(some, to);
}

[[gnu::always_inline]] inline float sumOf(const Lanes &lanes)
{
    float of[kLanes];
    std::memcpy(of, &lanes, sizeof(of));
    for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
        for (std::int64_t lane = 0; lane < half; ++lane)
            of[lane] += of[lane + half];
    }
    return of[0];
}

// Computes the sums of four columns for two rows at once. Each sum is added in the order of sumOf(): halves of the
// lanes, halves of these, and so on. As soon as the partial sums of two columns fit into one vector, they share it.
using Eight [[gnu::vector_size(32)]] = float;
[[gnu::always_inline]] inline void halve(const Lanes &v, Eight &to)
{
    to = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
         __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
}
// Four lanes for each of two sums.
[[gnu::always_inline]] inline void halveTwo(const Lanes &a, const Lanes &b, Eight &to)
{
    Eight x, y;
    halve(a, x);
    halve(b, y);
    to = __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
}
// Two lanes for each of four sums, in the order first, third, second, fourth.
[[gnu::always_inline]] inline void halveFour(const Lanes (&row)[4], Eight &to)
{
    Eight x, y;
    halveTwo(row[0], row[1], x);
    halveTwo(row[2], row[3], y);
    to = __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13) +
         __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
}
[[gnu::always_inline]] inline void sumsOf(const Lanes (&first)[4], const Lanes (&second)[4], float *a, float *b)
{
    Eight x, y;
    halveFour(first, x);
    halveFour(second, y);
    const Eight sums = __builtin_shufflevector(x, y, 0, 4, 2, 6, 8, 12, 10, 14) +
                       __builtin_shufflevector(x, y, 1, 5, 3, 7, 9, 13, 11, 15);
    float of[8];
    std::memcpy(of, &sums, sizeof(of));
    std::copy_n(of, 4, a);
    std::copy_n(of + 4, 4, b);
}

struct Block {
    std::int64_t n, k;
    const float *x;
    float *c;
    const float *added;
};

// Rows x Columns sums of kLanes partial sums each, which stay in registers in the loop over k.
template<int Rows, int Columns, typename W>
[[gnu::always_inline]] inline void multiplyBlock(const Block &b, const W *w, std::int64_t row, std::int64_t column)
{
    Lanes sums[Rows][Columns] = {};
    const float *const x = b.x + row * b.k;
    const W *const from = w + column * b.k;
    const auto step = [&](std::int64_t at, std::int64_t count) __attribute__((always_inline)) {
        Lanes weights[Columns];
        for (int j = 0; j < Columns; ++j)
            count == kLanes ? read(from + j * b.k + at, weights[j]) : readSome(from + j * b.k + at, count, weights[j]);
        for (int i = 0; i < Rows; ++i) {
            Lanes values;
            count == kLanes ? read(x + i * b.k + at, values) : readSome(x + i * b.k + at, count, values);
            for (int j = 0; j < Columns; ++j)
                sums[i][j] += values * weights[j];
        }
    };
    std::int64_t at = 0;
    for (; at + kLanes <= b.k; at += kLanes)
        step(at, kLanes);
    if (at < b.k)
        step(at, b.k - at);
    float results[Rows][Columns];
    if constexpr (Columns == 4) {
        for (int i = 0; i + 1 < Rows; i += 2)
            sumsOf(sums[i], sums[i + 1], results[i], results[i + 1]);
        if constexpr (Rows % 2 == 1) {
            float unused[Columns];
            sumsOf(sums[Rows - 1], sums[Rows - 1], results[Rows - 1], unused);
        }
    } else {
        for (int i = 0; i < Rows; ++i) {
            for (int j = 0; j < Columns; ++j)
                results[i][j] = sumOf(sums[i][j]);
        }
    }
    for (int i = 0; i < Rows; ++i) {
        for (int j = 0; j < Columns; ++j) {
            const std::int64_t place = (row + i) * b.n + column + j;
            b.c[place] = b.added ? b.added[place] + results[i][j] : results[i][j];
        }
    }
}

constexpr int kRowsAtOnce = 4, kColumnsAtOnce = 4;

template<int Columns, typename W>
[[gnu::always_inline]] inline void multiplyColumns(const Block &b, const W *w, std::int64_t rows, std::int64_t column)
{
    std::int64_t row = 0;
    for (; row + kRowsAtOnce <= rows; row += kRowsAtOnce)
        multiplyBlock<kRowsAtOnce, Columns>(b, w, row, column);
    if (rows - row == 3)
        multiplyBlock<3, Columns>(b, w, row, column);
    else if (rows - row == 2)
        multiplyBlock<2, Columns>(b, w, row, column);
    else if (rows - row == 1)
        multiplyBlock<1, Columns>(b, w, row, column);
}

template<typename W>
[[gnu::always_inline]] inline void multiplyRange(
    const Block &b, const W *w, std::int64_t rows, std::int64_t begin, std::int64_t end)
{
    std::int64_t column = begin;
    for (; column + kColumnsAtOnce <= end; column += kColumnsAtOnce)
        multiplyColumns<kColumnsAtOnce>(b, w, rows, column);
    for (; column < end; ++column)
        multiplyColumns<1>(b, w, rows, column);
}

SLIPWAY_SIMD void multiplyFp32Range(
    const Block &b, const float *w, std::int64_t rows, std::int64_t begin, std::int64_t end)
{
    multiplyRange(b, w, rows, begin, end);
}
SLIPWAY_SIMD void multiplyBf16Range(
    const Block &b, const std::uint16_t *w, std::int64_t rows, std::int64_t begin, std::int64_t end)
{
    multiplyRange(b, w, rows, begin, end);
}

// The number of columns per thread. Less work than this is not worth waking another thread.
std::int64_t grainOf(std::int64_t rows, std::int64_t k)
{
    constexpr std::int64_t kLeast = 32, kProducts = 32768;
    const std::int64_t columns = ceilDiv(kProducts, std::max<std::int64_t>(rows * k, 1));
    return std::max(kLeast, ceilDiv(columns, kColumnsAtOnce) * kColumnsAtOnce);
}

} // namespace

void multiplyFewRows(
    std::int64_t rows, std::int64_t n, std::int64_t k, const float *x, const float *w, float *c, const float *added)
{
    const Block block{n, k, x, c, added};
    parallelRanges(n, grainOf(rows, k),
        [&](std::int64_t begin, std::int64_t end) { multiplyFp32Range(block, w, rows, begin, end); });
}

void multiplyFewRows(
    std::int64_t rows, std::int64_t n, std::int64_t k, const float *x, const std::uint16_t *w, float *c)
{
    const Block block{n, k, x, c, nullptr};
    parallelRanges(n, grainOf(rows, k),
        [&](std::int64_t begin, std::int64_t end) { multiplyBf16Range(block, w, rows, begin, end); });
}

SLIPWAY_SIMD void convertToFp32(std::int64_t count, const std::uint16_t *from, float *to)
{
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = std::bit_cast<float>(static_cast<std::uint32_t>(from[i]) << 16U);
}

SLIPWAY_SIMD void convertToBf16(std::int64_t count, const float *from, std::uint16_t *to)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(from[i]);
        const std::uint32_t rounded = (bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U;
        // Rounding must not convert a NaN to infinity.
        to[i] = static_cast<std::uint16_t>(from[i] != from[i] ? bits >> 16U | 0x40U : rounded);
    }
}

} // namespace slipway::cpu_ops
