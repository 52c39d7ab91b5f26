// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The kernels on a GPU. One pass over memory each: what is read is read once, but for a row that a block looks at twice
// (it is in the cache then). No atomics on values: partial sums of fixed parts are added in a fixed order.
#include <algorithm>
#include <stdexcept>
#include <string>

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "kernels/kernels.h"

namespace slipway::kernels {

namespace {

constexpr int kBlock = 256;         // threads
constexpr int kParts = 1024;        // blocks of a sum over everything
constexpr int kWeightParts = 64;    // row parts of a sum over columns
constexpr int kLargestWidth = 16384; // of a normed row

__device__ float partialSums[kParts];
__device__ unsigned finishedParts;
__device__ float weightSums[kWeightParts][kLargestWidth];

cudaStream_t streamOf(void *stream) { return static_cast<cudaStream_t>(stream); }

void check(const char *kernel)
{
    if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess)
        throw std::runtime_error(std::string("CUDA kernel ") + kernel + ": " + cudaGetErrorString(error));
}

unsigned blocksFor(std::int64_t items, int perBlock = kBlock) { return static_cast<unsigned>((items + perBlock - 1) / perBlock); }

__device__ float load(const float *data, std::int64_t i) { return data[i]; }
__device__ float load(const __nv_bfloat16 *data, std::int64_t i) { return __bfloat162float(data[i]); }
__device__ void store(float *data, std::int64_t i, float value) { data[i] = value; }
__device__ void store(__nv_bfloat16 *data, std::int64_t i, float value) { data[i] = __float2bfloat16(value); }
__device__ float roundTo(const float *, float value) { return value; }
__device__ float roundTo(const __nv_bfloat16 *, float value) { return __bfloat162float(__float2bfloat16(value)); }

// Over the block, in a fixed order; every thread gets it.
template<typename Combine>
__device__ float blockReduce(float value, Combine combine, float identity)
{
    __shared__ float warps[32];
    for (int step = 16; step > 0; step /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffffU, value, step));
    __syncthreads(); // of an earlier call everybody has read
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x % 32 < blockDim.x / 32 ? warps[threadIdx.x % 32] : identity;
    for (int step = 16; step > 0; step /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffffU, value, step));
    return value;
}

struct Plus {
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// Adds this block's part; the last block to come adds all parts, in their order, to *sum.
__device__ void addParts(float part, float scale, float *sum, bool accumulate)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partialSums[blockIdx.x] = part;
        __threadfence();
        last = atomicAdd(&finishedParts, 1U) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    float own = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        own += *static_cast<volatile float *>(&partialSums[i]);
    const float total = blockReduce(own, Plus{}, 0.0f);
    if (threadIdx.x == 0) {
        *sum = (accumulate ? *sum : 0.0f) + scale * total;
        finishedParts = 0;
    }
}

template<typename T>
__global__ void normKernel(Norm n)
{
    const std::int64_t at = std::int64_t{blockIdx.x} * n.shape.width;
    const T *const x = static_cast<const T *>(n.x), *const delta = static_cast<const T *>(n.delta), *const weight = static_cast<const T *>(n.weight);
    float squares = 0;
    for (std::int64_t j = threadIdx.x; j < n.shape.width; j += blockDim.x) {
        const float value = delta ? roundTo(x, load(x, at + j) + load(delta, at + j)) : load(x, at + j);
        if (delta)
            store(static_cast<T *>(n.sum), at + j, value);
        squares += value * value;
    }
    const float rstd = rsqrtf(blockReduce(squares, Plus{}, 0.0f) / static_cast<float>(n.shape.width) + n.eps);
    if (threadIdx.x == 0)
        n.rstd[blockIdx.x] = rstd;
    const T *const normed = delta ? static_cast<const T *>(n.sum) : x;
    for (std::int64_t j = threadIdx.x; j < n.shape.width; j += blockDim.x)
        store(static_cast<T *>(n.y), at + j, load(normed, at + j) * rstd * load(weight, j));
}

template<typename T>
__global__ void normBackwardKernel(NormBackward n)
{
    const std::int64_t at = std::int64_t{blockIdx.x} * n.shape.width;
    const T *const dy = static_cast<const T *>(n.dy), *const x = static_cast<const T *>(n.x), *const weight = static_cast<const T *>(n.weight), *const residual = static_cast<const T *>(n.residual);
    const float rstd = n.rstd[blockIdx.x];
    float dot = 0;
    for (std::int64_t j = threadIdx.x; j < n.shape.width; j += blockDim.x)
        dot += load(dy, at + j) * load(weight, j) * load(x, at + j);
    const float mean = blockReduce(dot, Plus{}, 0.0f) / static_cast<float>(n.shape.width) * rstd * rstd;
    for (std::int64_t j = threadIdx.x; j < n.shape.width; j += blockDim.x) {
        const float own = rstd * (load(dy, at + j) * load(weight, j) - load(x, at + j) * mean);
        store(static_cast<T *>(n.dx), at + j, residual ? load(residual, at + j) + own : own);
    }
}

// Blocks of 32 columns and a part of the rows.
template<typename T>
__global__ void weightPartsKernel(NormBackward n)
{
    __shared__ float sums[8][32];
    const std::int64_t column = std::int64_t{blockIdx.x} * 32 + threadIdx.x;
    const T *const dy = static_cast<const T *>(n.dy), *const x = static_cast<const T *>(n.x);
    float sum = 0;
    if (column < n.shape.width) {
        for (std::int64_t row = std::int64_t{blockIdx.y} * 8 + threadIdx.y; row < n.shape.rows; row += std::int64_t{gridDim.y} * 8)
            sum += load(dy, row * n.shape.width + column) * load(x, row * n.shape.width + column) * n.rstd[row];
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && column < n.shape.width) {
        for (int i = 1; i < 8; ++i)
            sum += sums[i][threadIdx.x];
        weightSums[blockIdx.y][column] = sum;
    }
}

__global__ void weightSumKernel(NormBackward n)
{
    const std::int64_t column = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (column >= n.shape.width)
        return;
    float sum = n.accumulate ? n.dweight[column] : 0.0f;
    for (int part = 0; part < kWeightParts; ++part)
        sum += weightSums[part][column];
    n.dweight[column] = sum;
}

template<typename T>
__global__ void ropeKernel(Rope r)
{
    const std::int64_t half = r.headDim / 2, turned = (r.heads + r.kvHeads) * half;
    const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= r.tokens * turned)
        return;
    const std::int64_t token = i / turned, head = i % turned / half, place = i % half;
    const std::int64_t at = token * (r.heads + 2 * r.kvHeads) * r.headDim + head * r.headDim + place, angle = token % r.seq * half + place;
    T *const qkv = static_cast<T *>(r.qkv);
    const float a = load(qkv, at), b = load(qkv, at + half), cosine = r.cosines[angle], sine = r.back ? -r.sines[angle] : r.sines[angle];
    store(qkv, at, a * cosine - b * sine);
    store(qkv, at + half, b * cosine + a * sine);
}

__device__ float sigmoid(float x) { return 1.0f / (1.0f + __expf(-x)); }

template<typename T, bool Back>
__global__ void swiGluKernel(SwiGlu s)
{
    const std::int64_t width = s.shape.width, i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= s.shape.rows * width)
        return;
    T *const gateUp = static_cast<T *>(s.gateUp);
    const std::int64_t at = i / width * 2 * width + i % width;
    const float gate = load(gateUp, at), up = load(gateUp, at + width), s1 = sigmoid(gate);
    if constexpr (Back) {
        const float d = load(static_cast<const T *>(s.dproduct), i);
        store(gateUp, at, d * up * s1 * (1.0f + gate * (1.0f - s1)));
        store(gateUp, at + width, d * gate * s1);
    } else {
        store(static_cast<T *>(s.product), i, gate * s1 * up);
    }
}

// A block takes rows in turn. Maximum and sum come in one pass (Milakov and Gimelshein 2018, arXiv 1805.02867).
template<typename T>
__global__ void crossEntropyKernel(CrossEntropy c)
{
    T *const logits = static_cast<T *>(c.logits);
    float loss = 0;
    for (std::int64_t row = blockIdx.x; row < c.shape.rows; row += gridDim.x) {
        const std::int64_t at = row * c.shape.width;
        float largest = -INFINITY, sum = 0;
        for (std::int64_t j = threadIdx.x; j < c.shape.width; j += blockDim.x) {
            const float value = load(logits, at + j);
            if (value > largest) {
                sum *= __expf(largest - value);
                largest = value;
            }
            sum += __expf(value - largest);
        }
        const float whole = blockReduce(largest, Larger{}, -INFINITY);
        sum = blockReduce(largest == -INFINITY ? 0.0f : sum * __expf(largest - whole), Plus{}, 0.0f);
        const std::int32_t target = c.targets[row];
        loss += __logf(sum) + whole - load(logits, at + target);
        __syncthreads(); // all have the target's logit before it is overwritten
        for (std::int64_t j = threadIdx.x; j < c.shape.width; j += blockDim.x)
            store(logits, at + j, c.scale * (__expf(load(logits, at + j) - whole) / sum - (j == target ? 1.0f : 0.0f)));
    }
    addParts(loss, c.scale, c.loss, c.accumulate);
}

__global__ void sumSquaresKernel(SumSquares s)
{
    float sum = 0;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < s.elements; i += std::int64_t{gridDim.x} * blockDim.x)
        sum += s.values[i] * s.values[i];
    addParts(blockReduce(sum, Plus{}, 0.0f), 1.0f, s.sum, s.accumulate);
}

template<typename T>
__global__ void adamWKernel(AdamW a)
{
    const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= a.elements)
        return;
    const float clip = a.gradClip > 0 ? fminf(1.0f, a.gradClip / (sqrtf(*a.norm2) + 1e-6f)) : 1.0f;
    const float gradient = a.gradient[i] * clip;
    const float m = a.momentum[i] + (gradient - a.momentum[i]) * (1.0f - a.beta1);
    const float v = a.beta2 * a.variance[i] + (1.0f - a.beta2) * gradient * gradient;
    const float decay = i < a.decayed ? 1.0f - a.learningRate * a.weightDecay : 1.0f;
    const float weight = a.master[i] * decay - a.learningRate / a.correction1 * m / (sqrtf(v / a.correction2) + a.eps);
    a.momentum[i] = m;
    a.variance[i] = v;
    a.master[i] = weight;
    if (a.parameter != a.master)
        store(static_cast<T *>(a.parameter), i, weight);
}

template<typename From, typename To>
__global__ void castKernel(CastScale c)
{
    const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < c.elements)
        store(static_cast<To *>(c.target), i, c.scale * load(static_cast<const From *>(c.source), i));
}

void norm(const Norm &n, void *stream)
{
    const auto blocks = static_cast<unsigned>(n.shape.rows);
    if (n.type == Float::Fp32)
        normKernel<float><<<blocks, kBlock, 0, streamOf(stream)>>>(n);
    else
        normKernel<__nv_bfloat16><<<blocks, kBlock, 0, streamOf(stream)>>>(n);
    check("norm");
}

template<typename T>
void normBackwardAs(const NormBackward &n, cudaStream_t stream)
{
    // The weight's gradient first: dx may lie where dy does.
    weightPartsKernel<T><<<dim3(blocksFor(n.shape.width, 32), kWeightParts), dim3(32, 8), 0, stream>>>(n);
    weightSumKernel<<<blocksFor(n.shape.width), kBlock, 0, stream>>>(n);
    normBackwardKernel<T><<<static_cast<unsigned>(n.shape.rows), kBlock, 0, stream>>>(n);
}

void normBackward(const NormBackward &n, void *stream)
{
    if (n.shape.width > kLargestWidth)
        throw std::runtime_error("rows of " + std::to_string(n.shape.width) + " elements are too wide for the norm's kernel");
    n.type == Float::Fp32 ? normBackwardAs<float>(n, streamOf(stream)) : normBackwardAs<__nv_bfloat16>(n, streamOf(stream));
    check("norm_backward");
}

void rope(const Rope &r, void *stream)
{
    const unsigned blocks = blocksFor(r.tokens * (r.heads + r.kvHeads) * (r.headDim / 2));
    if (r.type == Float::Fp32)
        ropeKernel<float><<<blocks, kBlock, 0, streamOf(stream)>>>(r);
    else
        ropeKernel<__nv_bfloat16><<<blocks, kBlock, 0, streamOf(stream)>>>(r);
    check("rope");
}

template<bool Back>
void swiGluEither(const SwiGlu &s, void *stream)
{
    const unsigned blocks = blocksFor(s.shape.rows * s.shape.width);
    if (s.type == Float::Fp32)
        swiGluKernel<float, Back><<<blocks, kBlock, 0, streamOf(stream)>>>(s);
    else
        swiGluKernel<__nv_bfloat16, Back><<<blocks, kBlock, 0, streamOf(stream)>>>(s);
    check("swiglu");
}

void crossEntropy(const CrossEntropy &c, void *stream)
{
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(c.shape.rows, kParts));
    if (c.type == Float::Fp32)
        crossEntropyKernel<float><<<blocks, kBlock, 0, streamOf(stream)>>>(c);
    else
        crossEntropyKernel<__nv_bfloat16><<<blocks, kBlock, 0, streamOf(stream)>>>(c);
    check("cross_entropy");
}

void sumSquares(const SumSquares &s, void *stream)
{
    const unsigned blocks = std::clamp(blocksFor(s.elements), 1U, static_cast<unsigned>(kParts));
    sumSquaresKernel<<<blocks, kBlock, 0, streamOf(stream)>>>(s);
    check("sum_squares");
}

void adamW(const AdamW &a, void *stream)
{
    if (a.type == Float::Fp32)
        adamWKernel<float><<<blocksFor(a.elements), kBlock, 0, streamOf(stream)>>>(a);
    else
        adamWKernel<__nv_bfloat16><<<blocksFor(a.elements), kBlock, 0, streamOf(stream)>>>(a);
    check("adamw");
}

void castScale(const CastScale &c, void *stream)
{
    const unsigned blocks = blocksFor(c.elements);
    const cudaStream_t on = streamOf(stream);
    if (c.from == Float::Fp32)
        c.to == Float::Fp32 ? castKernel<float, float><<<blocks, kBlock, 0, on>>>(c) : castKernel<float, __nv_bfloat16><<<blocks, kBlock, 0, on>>>(c);
    else
        c.to == Float::Fp32 ? castKernel<__nv_bfloat16, float><<<blocks, kBlock, 0, on>>>(c) : castKernel<__nv_bfloat16, __nv_bfloat16><<<blocks, kBlock, 0, on>>>(c);
    check("cast");
}

} // namespace

const Table *cudaKernels()
{
    static constexpr Table kTable{norm, normBackward, rope, swiGluEither<false>, swiGluEither<true>, crossEntropy, sumSquares, adamW, castScale};
    return &kTable;
}

} // namespace slipway::kernels
