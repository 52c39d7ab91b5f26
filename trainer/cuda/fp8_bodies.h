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
__global__ void __launch_bounds__(kBlock) largestKernel(Quantize q, Scratch *scratch)
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
__global__ void __launch_bounds__(kBlock) quantizeKernel(Quantize q)
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

// Each block transposes a tile through shared memory. A thread reads packs along a row and writes packs along a column.
template<typename T, int N>
__global__ void __launch_bounds__(kBlock) quantizeTurnedKernel(Quantize q)
{
    constexpr int kPack = 4;
    using Bytes = Pack<unsigned char, kPack>;
    __shared__ Bytes tile[kTile][kTile / kPack + 1]; // one more pack, to avoid bank conflicts
    const std::int64_t firstRow = std::int64_t{blockIdx.y} * kTile, firstColumn = std::int64_t{blockIdx.x} * kTile,
                       rows = q.shape.rows, width = q.shape.width;
    const float inverse = 1.0f / *q.factor;
    for (int i = static_cast<int>(threadIdx.x) * N; i < kTile * kTile; i += static_cast<int>(blockDim.x) * N) {
        const int y = i / kTile, x = i % kTile;
        if (firstRow + y >= rows || firstColumn + x >= width)
            continue;
        const Values<T, N> from = load<T, N>(q.source, (firstRow + y) * width + firstColumn + x);
        for (int k = 0; k < N; ++k)
            tile[x + k][y / kPack].values[y % kPack] = narrowed(from.of[k] * inverse, q.to);
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x) * kPack; i < kTile * kTile; i += static_cast<int>(blockDim.x) * kPack) {
        const int x = i / kTile, y = i % kTile;
        const std::int64_t row = firstRow + y;
        if (row >= rows || firstColumn + x >= width)
            continue;
        const Bytes bytes = tile[x][y / kPack];
        unsigned char *const to = static_cast<unsigned char *>(q.target) + (firstColumn + x) * rows + row;
        if (rows % kPack == 0)
            *reinterpret_cast<Bytes *>(to) = bytes;
        else
            for (int k = 0; k < kPack && row + k < rows; ++k)
                to[k] = bytes.values[k];
    }
}

} // namespace
} // namespace slipway::fused_ops
