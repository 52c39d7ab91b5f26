// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The loss over a vocabulary that one rank has, or that several ranks shard. Included by kernel_bodies.h only.
#pragma once

#include <cstdint>

#include "cuda/kernel_parts.h"

namespace slipway::fused_ops {
namespace {

// Statistics of a row of logits: the maximum, the sum of exp(logit - maximum), and the target's logit.
struct RowStatistics {
    float largest, sum, chosen;
};

// Padding elements read as minus infinity, so that they do not contribute.
template<typename T, int N>
__device__ Values<T, N> loadLogits(const void *logits, std::int64_t at, std::int64_t j, std::int64_t width)
{
    Values<T, N> x = load<T, N>(logits, at + j);
    for (int k = 0; k < N; ++k)
        x.of[k] = j + k < width ? x.of[k] : -INFINITY;
    return x;
}

// The statistics of this rank's logits, computed by the whole block. Maximum and sum are computed in one pass (Milakov
// and Gimelshein 2018, arXiv 1805.02867).
template<typename T, int N>
__device__ RowStatistics statisticsOf(const void *logits, std::int64_t at, std::int64_t width, std::int64_t target)
{
    float largest = -INFINITY, sum = 0;
    for (std::int64_t j = threadIdx.x * N; j < width; j += blockDim.x * N) {
        const Values<T, N> x = loadLogits<T, N>(logits, at, j, width);
        float most = x.of[0];
        for (int k = 1; k < N; ++k)
            most = fmaxf(most, x.of[k]);
        if (most > largest) {
            sum *= __expf(largest - most);
            largest = most;
        }
        for (int k = 0; k < N; ++k)
            sum += __expf(x.of[k] - largest);
    }
    const float whole = blockReduce(largest, Larger{}, -INFINITY);
    sum = blockReduce(largest == -INFINITY ? 0.0f : sum * __expf(largest - whole), Plus{}, 0.0f);
    return {whole, sum, target >= 0 && target < width ? load<T, 1>(logits, at + target).of[0] : 0.0f};
}

// Combines the statistics of all ranks. Each thread does so by itself, because there are few ranks.
__device__ inline RowStatistics statisticsOfAllRanks(const CrossEntropy &c, std::int64_t row)
{
    RowStatistics all{-INFINITY, 0, 0};
    const auto of = [&](std::int64_t rank) { return c.statistics + (rank * c.shape.rows + row) * kLogitStatistics; };
    for (std::int64_t rank = 0; rank < c.ranks; ++rank)
        all.largest = fmaxf(all.largest, of(rank)[0]);
    for (std::int64_t rank = 0; rank < c.ranks; ++rank) {
        all.sum += of(rank)[1] * __expf(of(rank)[0] - all.largest);
        all.chosen += of(rank)[2];
    }
    return all;
}

// One block per row.
template<typename T, int N>
__global__ void __launch_bounds__(kWideBlock) logitStatisticsKernel(LogitStatistics s)
{
    const std::int64_t row = blockIdx.x;
    const RowStatistics own =
        statisticsOf<T, N>(s.logits, row * s.pitch, s.shape.width, std::int64_t{s.targets[row]} - s.firstId);
    if (threadIdx.x > 0)
        return;
    float *const to = s.statistics + row * kLogitStatistics;
    to[0] = own.largest;
    to[1] = own.sum;
    to[2] = own.chosen;
}

// Blocks process rows in turn.
template<typename T, int N>
__global__ void __launch_bounds__(kWideBlock) crossEntropyKernel(CrossEntropy c, Scratch *scratch)
{
    float loss = 0;
    for (std::int64_t row = blockIdx.x; row < c.shape.rows; row += gridDim.x) {
        const std::int64_t at = row * c.pitch, target = std::int64_t{c.targets[row]} - c.firstId;
        const bool counts = c.targets[row] >= 0;
        const RowStatistics all =
            c.statistics ? statisticsOfAllRanks(c, row) : statisticsOf<T, N>(c.logits, at, c.shape.width, target);
        if (counts)
            loss += logf(all.sum) + all.largest - all.chosen;
        __syncthreads(); // all threads have read the target's logit before it is overwritten
        const float share = counts ? c.scale / all.sum : 0.0f;
        for (std::int64_t j = threadIdx.x * N; j < c.pitch; j += blockDim.x * N) {
            Values<T, N> x = loadLogits<T, N>(c.logits, at, j, c.shape.width);
            for (int k = 0; k < N; ++k)
                x.of[k] = share * __expf(x.of[k] - all.largest) - (j + k == target ? c.scale : 0.0f);
            store(c.logits, at + j, x);
        }
    }
    addParts(loss, c.scale, c.loss, c.accumulate, scratch);
}

} // namespace
} // namespace slipway::fused_ops
