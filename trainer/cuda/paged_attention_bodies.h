// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Attention over a paged KV cache. Included by kernel_bodies.h only.
#pragma once

#include <cstdint>

#include "cuda/kernel_parts.h"

namespace slipway::fused_ops {
namespace {

constexpr int kPagedWarps = 8;   // warps per block, each with every eighth key
constexpr int kPagedKeys = 4;    // keys per warp and iteration, whose loads overlap
constexpr float kLeast = -1e30f; // below all scores; finite, because infinity minus infinity is NaN

// The state of a warp's online softmax (Milakov and Gimelshein 2018, arXiv 1805.02867). `of` is the weighted sum of
// values in this lane's dimensions.
template<int Per>
struct OnlineSoftmax {
    float largest = kLeast, sum = 0;
    float of[Per] = {};
};

__device__ inline float warpSum(float value)
{
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffffU, value, step);
    return value;
}

// Loads this lane's `Per` dimensions of a head, in packs of N that are 32 packs apart.
template<typename T, int Per, int N>
__device__ void loadHead(const void *data, std::int64_t at, std::int64_t headDim, float *to)
{
    for (int i = 0; i < Per / N; ++i) {
        const std::int64_t j = (std::int64_t{i} * 32 + threadIdx.x % 32) * N;
        Values<T, N> pack{};
        if (j < headDim)
            pack = load<T, N>(data, at + j);
        for (int k = 0; k < N; ++k)
            to[i * N + k] = pack.of[k];
    }
}

// Element offset of the key at a position.
__device__ inline std::int64_t keyAt(
    const PagedAttention &a, const std::int32_t *table, std::int64_t position, std::int64_t kvHead)
{
    const std::int64_t slot = table[position / a.block] * a.block + position % a.block;
    return (slot * a.kvHeads + kvHead) * a.headDim;
}

__device__ inline float pagedScore(const PagedAttention &a, float product, int head, std::int64_t distance)
{
    float score = a.scale * product;
    if (a.softCap > 0)
        score = a.softCap * tanhf(score / a.softCap);
    return a.slopes ? score - a.slopes[head] * static_cast<float>(distance) : score;
}

// Combines the results of all warps. The first warp writes them.
template<typename T, int Per, int N>
__device__ void writeAll(const PagedAttention &a, const OnlineSoftmax<Per> &own, std::int64_t at)
{
    __shared__ float largest[kPagedWarps], sums[kPagedWarps], parts[kPagedWarps][kLargestPagedHead];
    const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
    if (lane == 0) {
        largest[warp] = own.largest;
        sums[warp] = own.sum;
    }
    for (int i = 0; i < Per; ++i)
        parts[warp][i * 32 + lane] = own.of[i];
    __syncthreads();
    if (warp > 0)
        return;
    float most = kLeast, sum = 0, out[Per] = {};
    for (const float each : largest)
        most = fmaxf(most, each);
    for (int w = 0; w < kPagedWarps; ++w) {
        const float factor = __expf(largest[w] - most);
        sum += factor * sums[w];
        for (int i = 0; i < Per; ++i)
            out[i] += factor * parts[w][i * 32 + lane];
    }
    for (int i = 0; i < Per / N; ++i) {
        const std::int64_t j = (std::int64_t{i} * 32 + lane) * N;
        Values<T, N> pack{};
        for (int k = 0; k < N; ++k)
            pack.of[k] = out[i * N + k] / sum;
        if (j < a.headDim)
            store(a.out, at + j, pack);
    }
}

// One block per row and head.
template<typename T, int Per, int N>
__global__ void __launch_bounds__(kPagedWarps * 32) pagedAttentionKernel(PagedAttention a)
{
    const int head = static_cast<int>(blockIdx.x);
    const std::int64_t row = blockIdx.y, warp = threadIdx.x / 32, kvHead = head / (a.heads / a.kvHeads),
                       position = a.positions[row],
                       first = a.window > 0 && position >= a.window ? position - a.window + 1 : 0;
    const std::int32_t *const table = a.tables + a.sequences[row] * a.tableWidth;
    float q[Per];
    loadHead<T, Per, N>(a.q, row * a.queryStride + head * a.headDim, a.headDim, q);
    OnlineSoftmax<Per> seen;
    for (std::int64_t begin = first + warp; begin <= position; begin += kPagedWarps * kPagedKeys) {
        float products[kPagedKeys];
        std::int64_t at[kPagedKeys];
        for (int n = 0; n < kPagedKeys; ++n) {
            const std::int64_t t = begin + n * kPagedWarps;
            at[n] = keyAt(a, table, t <= position ? t : position, kvHead);
            float key[Per];
            loadHead<T, Per, N>(a.keys, at[n], a.headDim, key);
            products[n] = 0;
            for (int i = 0; i < Per; ++i)
                products[n] += q[i] * key[i];
        }
        float most = seen.largest;
        for (int n = 0; n < kPagedKeys; ++n) {
            const std::int64_t t = begin + n * kPagedWarps;
            const float score = pagedScore(a, warpSum(products[n]), head, position - t);
            products[n] = t <= position ? score : kLeast;
            most = fmaxf(most, products[n]);
        }
        const float factor = __expf(seen.largest - most);
        seen.largest = most;
        seen.sum *= factor;
        for (int i = 0; i < Per; ++i)
            seen.of[i] *= factor;
        for (int n = 0; n < kPagedKeys; ++n) {
            const float weight = begin + n * kPagedWarps <= position ? __expf(products[n] - most) : 0.0f;
            float value[Per];
            loadHead<T, Per, N>(a.values, at[n], a.headDim, value);
            seen.sum += weight;
            for (int i = 0; i < Per; ++i)
                seen.of[i] += weight * value[i];
        }
    }
    writeAll<T, Per, N>(a, seen, (row * a.heads + head) * a.headDim);
}

} // namespace
} // namespace slipway::fused_ops
