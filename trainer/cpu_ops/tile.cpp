// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/tile.h"

#include <cstring>

#include <ATen/native/CPUBlas.h>

#include "cpu_ops/simd.h"

// LibTorch exports this function, but its header needs FBGEMM's sources.
namespace fbgemm {
template<typename T>
void transpose_simd(
    std::int64_t rows, std::int64_t columns, const T *in, std::int64_t inStride, T *out, std::int64_t outStride);
extern template void transpose_simd<float>(
    std::int64_t, std::int64_t, const float *, std::int64_t, float *, std::int64_t);
} // namespace fbgemm

namespace slipway::cpu_ops {
namespace {

using Lane [[gnu::vector_size(32)]] = float;
constexpr std::int64_t kLane = 8; // floats

// Addresses are those of floats, which need not be a multiple of a vector's size.
[[gnu::always_inline]] inline void load(Lane &lane, const float *from) { std::memcpy(&lane, from, sizeof lane); }
[[gnu::always_inline]] inline void store(float *to, const Lane &lane) { std::memcpy(to, &lane, sizeof lane); }

// Rows x 16 elements of C stay in registers in the loop over k.
template<int Rows>
[[gnu::always_inline]] inline void multiplyRows(
    std::int64_t n, std::int64_t k, Tile a, Tile b, TileOut c, bool accumulate)
{
    std::int64_t j = 0;
    for (; j + 2 * kLane <= n; j += 2 * kLane) {
        Lane low[Rows] = {}, high[Rows] = {};
        for (std::int64_t l = 0; l < k; ++l) {
            Lane b0, b1;
            load(b0, b.data + l * b.stride + j);
            load(b1, b.data + l * b.stride + j + kLane);
            for (int i = 0; i < Rows; ++i) {
                low[i] += a.data[i * a.stride + l] * b0;
                high[i] += a.data[i * a.stride + l] * b1;
            }
        }
        for (int i = 0; i < Rows; ++i) {
            float *to = c.data + i * c.stride + j;
            if (accumulate) {
                Lane before, next;
                load(before, to);
                load(next, to + kLane);
                low[i] += before;
                high[i] += next;
            }
            store(to, low[i]);
            store(to + kLane, high[i]);
        }
    }
    for (; j < n; ++j) {
        for (int i = 0; i < Rows; ++i) {
            float sum = 0;
            for (std::int64_t l = 0; l < k; ++l)
                sum += a.data[i * a.stride + l] * b.data[l * b.stride + j];
            float &to = c.data[i * c.stride + j];
            to = accumulate ? to + sum : sum;
        }
    }
}

} // namespace

SLIPWAY_SIMD void tileMultiplyPlain(
    std::int64_t m, std::int64_t n, std::int64_t k, Tile a, Tile b, TileOut c, bool accumulate)
{
    constexpr int kRows = 4;
    std::int64_t i = 0;
    for (; i + kRows <= m; i += kRows)
        multiplyRows<kRows>(n, k, {a.data + i * a.stride, a.stride}, b, {c.data + i * c.stride, c.stride}, accumulate);
    for (; i < m; ++i)
        multiplyRows<1>(n, k, {a.data + i * a.stride, a.stride}, b, {c.data + i * c.stride, c.stride}, accumulate);
}

bool hasFastTiles()
{
#if defined(__x86_64__)
    static const bool fast = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    return fast;
#else
    return false;
#endif
}

void tileMultiply(std::int64_t m, std::int64_t n, std::int64_t k, Tile a, Tile b, TileOut c, bool accumulate)
{
    if (hasFastTiles())
        at::native::cpublas::brgemm(m, n, k, a.stride, b.stride, c.stride, accumulate, a.data, b.data, c.data, false);
    else
        tileMultiplyPlain(m, n, k, a, b, c, accumulate);
}

void tileTranspose(std::int64_t rows, std::int64_t columns, Tile in, TileOut out)
{
    fbgemm::transpose_simd<float>(rows, columns, in.data, in.stride, out.data, out.stride);
}

void tileCopy(std::int64_t rows, std::int64_t columns, Tile in, TileOut out)
{
    for (std::int64_t i = 0; i < rows; ++i)
        std::memcpy(
            out.data + i * out.stride, in.data + i * in.stride, static_cast<std::size_t>(columns) * sizeof(float));
}

} // namespace slipway::cpu_ops
