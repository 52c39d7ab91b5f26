// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Building blocks of the kernels: packs of elements, and reductions over a block and over all blocks. Included by
// kernel_bodies.h only.
#pragma once

#include <cstdint>

#include "fused_ops/fused_ops.h"

namespace slipway::fused_ops {
namespace {

constexpr int kBlock = 256;       // threads per block, at most
constexpr int kWideBlock = 512;   // the same for rows as long as a vocabulary
constexpr int kParts = 1024;      // blocks of a sum over all elements
constexpr int kWeightParts = 256; // blocks of a sum over rows: two per multiprocessor of an H100. The same on all
                                  // devices, so that sums do not depend on the device
constexpr int kSumFloats = 4096;  // partial sums that a block keeps in shared memory

// The beginning of Queue::scratch. kWeightParts rows of partial sums follow it.
struct Scratch {
    unsigned finished; // blocks that have stored their part; 0 between kernels
    float parts[kParts];
};
Scratch *scratchOf(const Queue &queue) { return static_cast<Scratch *>(queue.scratch); }
float *weightPartsOf(const Queue &queue) { return reinterpret_cast<float *>(scratchOf(queue) + 1); }

template<typename T, int N>
struct alignas(sizeof(T) * N) Pack {
    T values[N];
};

__device__ inline float wide(float value) { return value; }
__device__ inline float wide(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ inline void narrowTo(float &to, float value) { to = value; }
__device__ inline void narrowTo(__nv_bfloat16 &to, float value) { to = __float2bfloat16(value); }
template<typename T>
__device__ float rounded(float value)
{
    T to;
    narrowTo(to, value);
    return wide(to);
}

// N elements from `i` on, in fp32.
template<typename T, int N>
struct Values {
    float of[N];
};
template<typename T, int N>
__device__ Values<T, N> load(const void *data, std::int64_t i)
{
    const Pack<T, N> pack = *reinterpret_cast<const Pack<T, N> *>(static_cast<const T *>(data) + i);
    Values<T, N> values;
    for (int k = 0; k < N; ++k)
        values.of[k] = wide(pack.values[k]);
    return values;
}
template<typename T, int N>
__device__ void store(void *data, std::int64_t i, const Values<T, N> &values)
{
    Pack<T, N> pack;
    for (int k = 0; k < N; ++k)
        narrowTo(pack.values[k], values.of[k]);
    *reinterpret_cast<Pack<T, N> *>(static_cast<T *>(data) + i) = pack;
}

struct Plus {
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
    __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};

// Reduces over the block in a fixed order. All threads get the result.
template<typename Combine>
__device__ float blockReduce(float value, Combine combine, float identity)
{
    __shared__ float warps[32];
    for (int step = 16; step > 0; step /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffffU, value, step));
    __syncthreads(); // all threads have read the result of an earlier call
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x % 32 < blockDim.x / 32 ? warps[threadIdx.x % 32] : identity;
    for (int step = 16; step > 0; step /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffffU, value, step));
    return value;
}

// Stores this block's part. True in the last block, which must reset `finished` to 0 after it has read all parts.
__device__ inline bool isLastBlock(float part, Scratch *scratch)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        scratch->parts[blockIdx.x] = part;
        __threadfence();
        last = atomicAdd(&scratch->finished, 1U) == gridDim.x - 1;
    }
    __syncthreads();
    if (last)
        __threadfence();
    return last;
}

// Stores this block's part. The last block to finish adds all parts, in their order, to *sum.
__device__ inline void addParts(float part, float scale, float *sum, bool accumulate, Scratch *scratch)
{
    if (!isLastBlock(part, scratch))
        return;
    float own = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        own += *static_cast<volatile float *>(&scratch->parts[i]);
    const float total = blockReduce(own, Plus{}, 0.0f);
    if (threadIdx.x == 0) {
        *sum = (accumulate ? *sum : 0.0f) + scale * total;
        scratch->finished = 0;
    }
}

} // namespace
} // namespace slipway::fused_ops
