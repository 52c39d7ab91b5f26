// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The gradient of the embedding. Rows are sorted by token, and each block sums one part of this order. A frequent token
// is summed by many blocks, each in a fixed order, and their sums are added in the order of the parts. Included by
// kernel_bodies.h only.
#pragma once

#include <cstdint>

#include "cuda/kernel_parts.h"

namespace slipway::fused_ops {
namespace {

// The workspace for the sum of a token that a part shares with the previous, or with the next part.
__device__ inline float *sharedSum(const EmbeddingBackward &e, std::int64_t part, bool withNext)
{
    return e.parts + (part * 2 + (withNext ? 1 : 0)) * e.shape.width;
}

__device__ inline std::int64_t endOfPart(const EmbeddingBackward &e, std::int64_t part)
{
    const std::int64_t end = (part + 1) * kEmbeddingPart;
    return end < e.shape.rows ? end : e.shape.rows;
}

// sum += N floats, and the store, in packs of at most 16 bytes, the alignment of the addresses.
template<int N>
__device__ void addFloats(Values<float, N> &sum, const float *from)
{
    constexpr int kPack = N < 4 ? N : 4;
    for (int i = 0; i < N; i += kPack) {
        const Values<float, kPack> values = load<float, kPack>(from, i);
        for (int k = 0; k < kPack; ++k)
            sum.of[i + k] += values.of[k];
    }
}
template<int N>
__device__ void storeFloats(float *to, const Values<float, N> &sum)
{
    constexpr int kPack = N < 4 ? N : 4;
    for (int i = 0; i < N; i += kPack) {
        Values<float, kPack> values;
        for (int k = 0; k < kPack; ++k)
            values.of[k] = sum.of[i + k];
        store(to, i, values);
    }
}
template<int N>
__device__ void addToRow(const EmbeddingBackward &e, std::int32_t id, std::int64_t column, Values<float, N> sum)
{
    const std::int64_t number = id - e.firstId;
    if (number < 0 || number >= e.tableRows) // another rank's
        return;
    float *const row = e.table + number * e.shape.width + column;
    addFloats<N>(sum, row);
    storeFloats<N>(row, sum);
}

// The end of the run of equal tokens that begins at `i`.
__device__ inline std::int64_t endOfRun(const EmbeddingBackward &e, std::int64_t i, std::int64_t end)
{
    const std::int32_t id = e.ids[i];
    while (i < end && e.ids[i] == id)
        ++i;
    return i;
}

// One block per part and range of columns; a thread has a pack of columns. Runs within the part are added to the table.
// Runs that extend beyond it are stored in the workspace.
template<typename T, int N>
__global__ void __launch_bounds__(kBlock) embeddingRunsKernel(EmbeddingBackward e)
{
    const std::int64_t column = (std::int64_t{blockIdx.y} * blockDim.x + threadIdx.x) * N, part = blockIdx.x,
                       begin = part * kEmbeddingPart, end = endOfPart(e, part);
    if (column >= e.shape.width)
        return;
    for (std::int64_t i = begin; i < end;) {
        const std::int64_t first = i, last = endOfRun(e, i, end);
        Values<float, N> sum{};
        for (; i < last; ++i) {
            const Values<T, N> dx = load<T, N>(e.dx, e.places[i] * e.shape.width + column);
            for (int k = 0; k < N; ++k)
                sum.of[k] += dx.of[k];
        }
        const std::int32_t id = e.ids[first];
        const bool withBefore = first == begin && begin > 0 && e.ids[begin - 1] == id,
                   withNext = last == end && end < e.shape.rows && e.ids[end] == id;
        if (withBefore || withNext) {
            storeFloats<N>(sharedSum(e, part, !withBefore) + column, sum);
            continue;
        }
        addToRow<N>(e, id, column, sum);
    }
}

// The block of the part in which a shared run begins adds the sums of all parts.
template<int N>
__global__ void __launch_bounds__(kBlock) embeddingSharedKernel(EmbeddingBackward e)
{
    const std::int64_t column = (std::int64_t{blockIdx.y} * blockDim.x + threadIdx.x) * N,
                       begin = std::int64_t{blockIdx.x} * kEmbeddingPart;
    std::int64_t part = blockIdx.x, end = endOfPart(e, part);
    if (column >= e.shape.width || end == e.shape.rows)
        return;
    const std::int32_t id = e.ids[end];
    if (e.ids[end - 1] != id || (begin > 0 && e.ids[begin - 1] == id)) // no shared run begins in this part
        return;
    Values<float, N> sum{};
    addFloats<N>(sum, sharedSum(e, part, true) + column);
    do {
        addFloats<N>(sum, sharedSum(e, ++part, false) + column);
        end = endOfPart(e, part);
    } while (end < e.shape.rows && e.ids[end] == id);
    addToRow<N>(e, id, column, sum);
}

} // namespace
} // namespace slipway::fused_ops
