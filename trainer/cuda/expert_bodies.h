// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The rows of a mixture of experts on their way back to their tokens, and their gradients. Included by kernel_bodies.h
// only.
#pragma once

#include <cstdint>

#include "cuda/kernel_parts.h"

namespace slipway::fused_ops {
namespace {

// One block per token.
template<typename T, int N>
__global__ void __launch_bounds__(kBlock) gatherRowsKernel(GatherRows g)
{
    const std::int64_t token = blockIdx.x, width = g.shape.width, first = token * g.perToken;
    for (std::int64_t j = std::int64_t{threadIdx.x} * N; j < width; j += std::int64_t{blockDim.x} * N) {
        Values<T, N> sum{};
        if (g.added)
            sum = load<T, N>(g.added, token * width + j);
        for (std::int64_t slot = first; slot < first + g.perToken; ++slot) {
            const Values<T, N> row = load<T, N>(g.rows, g.places[slot] * width + j);
            const float weight = g.weights ? g.weights[slot] : 1.0f;
            for (int k = 0; k < N; ++k)
                sum.of[k] += weight * row.of[k];
        }
        store(g.y, token * width + j, sum);
    }
}

// One block per slot.
template<typename T, int N>
__global__ void __launch_bounds__(kBlock) gatherRowsBackwardKernel(GatherRowsBackward g)
{
    const std::int64_t slot = blockIdx.x, width = g.shape.width, dy = slot / g.perToken * width,
                       row = g.places[slot] * width;
    const float weight = g.weights[slot];
    float own = 0;
    for (std::int64_t j = std::int64_t{threadIdx.x} * N; j < width; j += std::int64_t{blockDim.x} * N) {
        Values<T, N> d = load<T, N>(g.dy, dy + j);
        const Values<T, N> x = load<T, N>(g.rows, row + j);
        for (int k = 0; k < N; ++k) {
            own += d.of[k] * x.of[k];
            d.of[k] *= weight;
        }
        store(g.rows, row + j, d);
    }
    const float dot = blockReduce(own, Plus{}, 0.0f);
    if (threadIdx.x == 0)
        g.dweights[slot] = dot;
}

} // namespace
} // namespace slipway::fused_ops
