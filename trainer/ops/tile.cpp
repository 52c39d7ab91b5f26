// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ops/tile.h"

#include <cstring>

#include <ATen/native/CPUBlas.h>

#include "ops/simd.h"

// LibTorch exports it, its header needs FBGEMM's sources.
namespace fbgemm {
template<typename T>
void transpose_simd(std::int64_t rows, std::int64_t columns, const T *in, std::int64_t inStride, T *out, std::int64_t outStride);
extern template void transpose_simd<float>(std::int64_t, std::int64_t, const float *, std::int64_t, float *, std::int64_t);
} // namespace fbgemm

namespace slipway::ops {
namespace {

SLIPWAY_SIMD void multiplyPlain(std::int64_t m, std::int64_t n, std::int64_t k, Tile a, Tile b, TileOut c, bool accumulate)
{
    for (std::int64_t i = 0; i < m; ++i) {
        float *row = c.data + i * c.stride;
        if (!accumulate)
            std::memset(row, 0, static_cast<std::size_t>(n) * sizeof(float));
        for (std::int64_t l = 0; l < k; ++l) {
            const float factor = a.data[i * a.stride + l];
            const float *other = b.data + l * b.stride;
            for (std::int64_t j = 0; j < n; ++j)
                row[j] += factor * other[j];
        }
    }
}

} // namespace

bool hasFastTiles()
{
#if defined(__x86_64__)
    static const bool fast = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
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
        multiplyPlain(m, n, k, a, b, c, accumulate);
}

void tileTranspose(std::int64_t rows, std::int64_t columns, Tile in, TileOut out)
{
    fbgemm::transpose_simd<float>(rows, columns, in.data, in.stride, out.data, out.stride);
}

void tileCopy(std::int64_t rows, std::int64_t columns, Tile in, TileOut out)
{
    for (std::int64_t i = 0; i < rows; ++i)
        std::memcpy(out.data + i * out.stride, in.data + i * in.stride, static_cast<std::size_t>(columns) * sizeof(float));
}

} // namespace slipway::ops
