// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// RMSNorm and its gradient. Included by kernel_bodies.h only.
#pragma once

#include <cstdint>

#include "cuda/kernel_parts.h"

namespace slipway::fused_ops {
namespace {

template<typename T, int N>
__global__ void __launch_bounds__(kBlock) normKernel(Norm n)
{
    const std::int64_t at = std::int64_t{blockIdx.x} * n.shape.width;
    float squares = 0;
    for (std::int64_t j = threadIdx.x * N; j < n.shape.width; j += blockDim.x * N) {
        Values<T, N> x = load<T, N>(n.x, at + j);
        if (n.delta) {
            const Values<T, N> delta = load<T, N>(n.delta, at + j);
            for (int k = 0; k < N; ++k)
                x.of[k] = rounded<T>(x.of[k] + delta.of[k]);
            store(n.sum, at + j, x);
        }
        for (int k = 0; k < N; ++k)
            squares += x.of[k] * x.of[k];
    }
    const float rstd = rsqrtf(blockReduce(squares, Plus{}, 0.0f) / static_cast<float>(n.shape.width) + n.eps);
    if (threadIdx.x == 0)
        n.rstd[blockIdx.x] = rstd;
    const void *const normed = n.delta ? n.sum : n.x;
    for (std::int64_t j = threadIdx.x * N; j < n.shape.width; j += blockDim.x * N) {
        Values<T, N> y = load<T, N>(normed, at + j);
        const Values<T, N> weight = load<T, N>(n.weight, j);
        for (int k = 0; k < N; ++k)
            y.of[k] *= rstd * weight.of[k];
        store(n.y, at + j, y);
    }
}

// A block processes blockDim.y rows at a time, each with whole warps. It also sums the gradient of the weight: each
// thread adds its own columns of its own row, so no synchronization is needed. These sums are in shared memory, or in
// `parts` if rows are too wide.
template<typename T, int N>
__global__ void __launch_bounds__(kWideBlock) normBackwardKernel(NormBackward n, float *parts)
{
    __shared__ float shared[kSumFloats];
    __shared__ float warps[32];
    const std::int64_t width = n.shape.width;
    const bool wide = width > kSumFloats; // then blockDim.y is 1
    float *const part = parts + blockIdx.x * width, *const sums = wide ? part : shared + threadIdx.y * width;
    const unsigned perRow = blockDim.x / 32;
    // The columns of a pack are spread in shared memory to avoid bank conflicts.
    const std::int64_t packs = width / N;
    const auto place = [&](std::int64_t column, int k) { return wide ? column + k : k * packs + column / N; };
    for (std::int64_t j = threadIdx.x * N; j < width; j += blockDim.x * N)
        for (int k = 0; k < N; ++k)
            sums[place(j, k)] = 0;
    for (std::int64_t first = std::int64_t{blockIdx.x} * blockDim.y; first < n.shape.rows;
        first += std::int64_t{gridDim.x} * blockDim.y) {
        const std::int64_t row = first + threadIdx.y, at = row * width;
        const bool there = row < n.shape.rows;
        float dot = 0;
        for (std::int64_t j = threadIdx.x * N; there && j < width; j += blockDim.x * N) {
            const Values<T, N> dy = load<T, N>(n.dy, at + j), weight = load<T, N>(n.weight, j),
                               x = load<T, N>(n.x, at + j);
            for (int k = 0; k < N; ++k)
                dot += dy.of[k] * weight.of[k] * x.of[k];
        }
        for (int step = 16; step > 0; step /= 2)
            dot += __shfl_xor_sync(0xffffffffU, dot, step);
        __syncthreads(); // all threads have read the values of the previous rows
        if (threadIdx.x % 32 == 0)
            warps[threadIdx.y * perRow + threadIdx.x / 32] = dot;
        __syncthreads();
        dot = 0;
        for (unsigned warp = 0; warp < perRow; ++warp)
            dot += warps[threadIdx.y * perRow + warp];
        const float rstd = there ? n.rstd[row] : 0.0f, mean = dot / static_cast<float>(width) * rstd * rstd;
        for (std::int64_t j = threadIdx.x * N; there && j < width; j += blockDim.x * N) {
            const Values<T, N> dy = load<T, N>(n.dy, at + j), weight = load<T, N>(n.weight, j),
                               x = load<T, N>(n.x, at + j);
            Values<T, N> dx{};
            if (n.residual)
                dx = load<T, N>(n.residual, at + j);
            for (int k = 0; k < N; ++k) {
                dx.of[k] += rstd * (dy.of[k] * weight.of[k] - x.of[k] * mean);
                sums[place(j, k)] += dy.of[k] * x.of[k] * rstd;
            }
            store(n.dx, at + j, dx);
        }
    }
    __syncthreads();
    for (std::int64_t j = threadIdx.x; threadIdx.y == 0 && !wide && j < width; j += blockDim.x) {
        float sum = 0;
        for (unsigned row = 0; row < blockDim.y; ++row)
            sum += shared[row * width + j % N * packs + j / N];
        part[j] = sum;
    }
}

// For rows of which two do not fit into shared memory: a block processes one row at a time, and a thread keeps its `P`
// packs and the sums of these columns in registers.
template<typename T, int N, int P>
__global__ void __launch_bounds__(kWideBlock) normBackwardWideKernel(NormBackward n, float *parts)
{
    const std::int64_t width = n.shape.width;
    float sums[P][N] = {};
    const auto columnOf = [&](int pack) { return (std::int64_t{pack} * blockDim.x + threadIdx.x) * N; };
    for (std::int64_t row = blockIdx.x; row < n.shape.rows; row += gridDim.x) {
        const std::int64_t at = row * width;
        const float rstd = n.rstd[row];
        Values<T, N> x[P], product[P]; // dy times the weight
        float dot = 0;
        for (int p = 0; p < P && columnOf(p) < width; ++p) {
            const std::int64_t j = columnOf(p);
            const Values<T, N> dy = load<T, N>(n.dy, at + j), weight = load<T, N>(n.weight, j);
            x[p] = load<T, N>(n.x, at + j);
            for (int k = 0; k < N; ++k) {
                product[p].of[k] = dy.of[k] * weight.of[k];
                dot += product[p].of[k] * x[p].of[k];
                sums[p][k] += dy.of[k] * x[p].of[k] * rstd;
            }
        }
        const float mean = blockReduce(dot, Plus{}, 0.0f) / static_cast<float>(width) * rstd * rstd;
        for (int p = 0; p < P && columnOf(p) < width; ++p) {
            const std::int64_t j = columnOf(p);
            Values<T, N> dx{};
            if (n.residual)
                dx = load<T, N>(n.residual, at + j);
            for (int k = 0; k < N; ++k)
                dx.of[k] += rstd * (product[p].of[k] - x[p].of[k] * mean);
            store(n.dx, at + j, dx);
        }
    }
    for (int p = 0; p < P && columnOf(p) < width; ++p)
        for (int k = 0; k < N; ++k)
            parts[blockIdx.x * width + columnOf(p) + k] = sums[p][k];
}

// One block per 32 columns. Each threadIdx.y sums every eighth part, and threadIdx.y 0 adds these sums.
__global__ void __launch_bounds__(kBlock) weightSumKernel(NormBackward n, const float *parts, int count)
{
    __shared__ float sums[8][32];
    const std::int64_t column = std::int64_t{blockIdx.x} * 32 + threadIdx.x;
    float sum = 0;
    for (int part = static_cast<int>(threadIdx.y); column < n.shape.width && part < count; part += 8)
        sum += parts[part * n.shape.width + column];
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || column >= n.shape.width)
        return;
    for (int i = 1; i < 8; ++i)
        sum += sums[i][threadIdx.x];
    n.dweight[column] = (n.accumulate ? n.dweight[column] : 0.0f) + sum;
}

} // namespace
} // namespace slipway::fused_ops
