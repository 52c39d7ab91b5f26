// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The softmax of vanilla attention and its gradient, in place. Rows are read twice, the second time from the cache.
// Included by kernel_bodies.h only.
#pragma once

#include <cstdint>

#include "cuda/kernel_parts.h"

namespace slipway::fused_ops {
namespace {

// Elements from `attended` on read as `otherwise`.
template<typename T, int N>
__device__ Values<T, N> loadMasked(
    const void *data, std::int64_t at, std::int64_t j, std::int64_t attended, float otherwise)
{
    Values<T, N> x = load<T, N>(data, at + j);
    for (int k = 0; k < N; ++k)
        x.of[k] = j + k < attended ? x.of[k] : otherwise;
    return x;
}

// One block per row of a matrix.
template<typename T, int N>
__global__ void __launch_bounds__(kBlock) causalSoftmaxKernel(CausalSoftmax c)
{
    const std::int64_t at = std::int64_t{blockIdx.x} * c.seq, attended = std::int64_t{blockIdx.x} % c.seq + 1;
    float largest = -INFINITY, sum = 0;
    for (std::int64_t j = threadIdx.x * N; j < attended; j += blockDim.x * N) {
        const Values<T, N> x = loadMasked<T, N>(c.scores, at, j, attended, -INFINITY);
        float most = x.of[0] * c.scale;
        for (int k = 1; k < N; ++k)
            most = fmaxf(most, x.of[k] * c.scale);
        if (most > largest) {
            sum *= __expf(largest - most);
            largest = most;
        }
        for (int k = 0; k < N; ++k)
            sum += __expf(x.of[k] * c.scale - largest);
    }
    const float whole = blockReduce(largest, Larger{}, -INFINITY);
    sum = blockReduce(largest == -INFINITY ? 0.0f : sum * __expf(largest - whole), Plus{}, 0.0f);
    const float share = 1.0f / sum;
    for (std::int64_t j = threadIdx.x * N; j < c.seq; j += blockDim.x * N) {
        Values<T, N> x{};
        if (j < attended)
            x = loadMasked<T, N>(c.scores, at, j, attended, -INFINITY);
        for (int k = 0; k < N; ++k)
            x.of[k] = j < attended ? share * __expf(x.of[k] * c.scale - whole) : 0.0f;
        store(c.scores, at + j, x);
    }
}

template<typename T, int N>
__global__ void __launch_bounds__(kBlock) causalSoftmaxBackwardKernel(CausalSoftmax c)
{
    const std::int64_t at = std::int64_t{blockIdx.x} * c.seq, attended = std::int64_t{blockIdx.x} % c.seq + 1;
    float own = 0;
    for (std::int64_t j = threadIdx.x * N; j < attended; j += blockDim.x * N) {
        const Values<T, N> p = load<T, N>(c.probabilities, at + j),
                           d = loadMasked<T, N>(c.scores, at, j, attended, 0.0f);
        for (int k = 0; k < N; ++k)
            own += p.of[k] * d.of[k];
    }
    const float dot = blockReduce(own, Plus{}, 0.0f);
    for (std::int64_t j = threadIdx.x * N; j < c.seq; j += blockDim.x * N) {
        Values<T, N> d{};
        if (j < attended) {
            const Values<T, N> p = load<T, N>(c.probabilities, at + j);
            d = loadMasked<T, N>(c.scores, at, j, attended, 0.0f);
            for (int k = 0; k < N; ++k)
                d.of[k] = j + k < attended ? c.scale * p.of[k] * (d.of[k] - dot) : 0.0f;
        }
        store(c.scores, at + j, d);
    }
}

} // namespace
} // namespace slipway::fused_ops
