// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Quantization to fp8: one kernel for the largest absolute value, one for the conversion. Included by kernel_bodies.h
// only.
#pragma once

#include <cstdint>

#include <cuda_fp8.h>

#include "cuda/kernel_parts.h"

namespace slipway::fused_ops {
namespace {

constexpr int kTile = 64; // rows and columns that a block transposes

__device__ inline unsigned char narrowed(float value, Float to)
{
    return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, to == Float::E5m2 ? __NV_E5M2 : __NV_E4M3);
}

// Maximum that propagates NaN.
struct Largest {
    __device__ float operator()(float a, float b) const { return a > b || a != a ? a : b; }
};

// The last block to finish computes the maximum of all blocks, which does not depend on the order.
template<typename T, int N>
__global__ void largestKernel(Quantize q, Scratch *scratch)
{
    const std::int64_t elements = q.shape.rows * q.shape.width, stride = std::int64_t{gridDim.x} * blockDim.x * N;
    float most = kSmallestQuantized;
    for (std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * N; i < elements; i += stride) {
        const Values<T, N> x = load<T, N>(q.source, i);
        for (int k = 0; k < N; ++k)
            most = Largest{}(fabsf(x.of[k]), most);
    }
    const float part = blockReduce(most, Largest{}, 0.0f);
    if (!isLastBlock(part, scratch))
        return;
    float own = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        own = Largest{}(*static_cast<volatile float *>(&scratch->parts[i]), own);
    const float all = blockReduce(own, Largest{}, 0.0f);
    if (threadIdx.x == 0) {
        *q.factor = all / (q.to == Float::E5m2 ? kLargestE5m2 : kLargestE4m3);
        scratch->finished = 0;
    }
}

template<typename T, int N>
__global__ void quantizeKernel(Quantize q)
{
    const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * N;
    if (i >= q.shape.rows * q.shape.width)
        return;
    const float inverse = 1.0f / *q.factor;
    const Values<T, N> x = load<T, N>(q.source, i);
    Pack<unsigned char, N> to;
    for (int k = 0; k < N; ++k)
        to.values[k] = narrowed(x.of[k] * inverse, q.to);
    *reinterpret_cast<Pack<unsigned char, N> *>(static_cast<unsigned char *>(q.target) + i) = to;
}

// Each block transposes a tile through shared memory, so that reads and writes are coalesced.
template<typename T>
__global__ void quantizeTurnedKernel(Quantize q)
{
    __shared__ unsigned char tile[kTile][kTile + 4];
    const float inverse = 1.0f / *q.factor;
    const std::int64_t firstRow = std::int64_t{blockIdx.y} * kTile, firstColumn = std::int64_t{blockIdx.x} * kTile;
    for (int y = static_cast<int>(threadIdx.y); y < kTile; y += static_cast<int>(blockDim.y)) {
        for (int x = static_cast<int>(threadIdx.x); x < kTile; x += static_cast<int>(blockDim.x)) {
            const std::int64_t row = firstRow + y, column = firstColumn + x;
            if (row < q.shape.rows && column < q.shape.width)
                tile[x][y] = narrowed(load<T, 1>(q.source, row * q.shape.width + column).of[0] * inverse, q.to);
        }
    }
    __syncthreads();
    auto *const target = static_cast<unsigned char *>(q.target);
    for (int y = static_cast<int>(threadIdx.y); y < kTile; y += static_cast<int>(blockDim.y)) {
        for (int x = static_cast<int>(threadIdx.x); x < kTile; x += static_cast<int>(blockDim.x)) {
            const std::int64_t row = firstRow + x, column = firstColumn + y;
            if (row < q.shape.rows && column < q.shape.width)
                target[column * q.shape.rows + row] = tile[y][x];
        }
    }
}

} // namespace
} // namespace slipway::fused_ops
