// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The fused kernels in CUDA. Included by kernels.cu, which compiles them for GPUs, and by a test, which runs them
// thread by thread on the CPU with substitutes for CUDA's keywords. Both define start<...>().
//
// Each kernel makes one pass over memory, except that a block may read a row twice, the second time from the cache.
// Threads read packs of N elements, 16 bytes if the sizes allow it. There are no atomics on values: partial sums over
// fixed ranges are added in a fixed order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <stdexcept>
#include <string>

#include "cuda/embedding_bodies.h"
#include "cuda/expert_bodies.h"
#include "cuda/fp8_bodies.h"
#include "cuda/kernel_parts.h"
#include "cuda/loss_bodies.h"
#include "cuda/norm_bodies.h"
#include "cuda/paged_attention_bodies.h"
#include "cuda/softmax_bodies.h"
#include "fused_ops/fused_ops.h"

namespace slipway::fused_ops {
namespace {

// Loads N angles in vectors of at most 16 bytes.
template<int N>
__device__ Values<float, N> loadAngles(const float *table, std::int64_t at)
{
    constexpr int kVector = N < 4 ? N : 4;
    Values<float, N> angles;
    for (int first = 0; first < N; first += kVector) {
        const Values<float, kVector> part = load<float, kVector>(table, at + first);
        for (int k = 0; k < kVector; ++k)
            angles.of[first + k] = part.of[k];
    }
    return angles;
}

// One block per token; a thread has a pack of both halves of a head, which form the pairs of the rotation.
template<typename T, int N>
__global__ void __launch_bounds__(kBlock) ropeKernel(Rope r)
{
    const int half = static_cast<int>(r.headDim / 2), packs = half / N, turned = static_cast<int>(r.heads + r.kvHeads),
              heads = turned + static_cast<int>(r.q.data ? r.kvHeads : 0);
    const std::int64_t token = blockIdx.x, start = token * (r.heads + 2 * r.kvHeads) * r.headDim,
                       angles = (r.positions ? r.positions[token] : token % r.seq) * half;
    for (int i = static_cast<int>(threadIdx.x); i < heads * packs; i += static_cast<int>(blockDim.x)) {
        const int head = i / packs, place = i % packs * N;
        const std::int64_t at = start + head * r.headDim + place;
        const void *source = r.qkv;
        std::int64_t from = at;
        if (r.q.data) {
            const Heads &part = head < r.heads ? r.q : head < turned ? r.k : r.v;
            const std::int64_t inPart = head < r.heads ? head : head < turned ? head - r.heads : head - turned;
            source = part.data;
            from =
                token / r.seq * part.batchStride + token % r.seq * part.tokenStride + inPart * part.headStride + place;
        }
        Values<T, N> a = load<T, N>(source, from), b = load<T, N>(source, from + half);
        if (head < turned) {
            const Values<float, N> cosines = loadAngles<N>(r.cosines, angles + place),
                                   sines = loadAngles<N>(r.sines, angles + place);
            for (int k = 0; k < N; ++k) {
                const float sine = r.inverse ? -sines.of[k] : sines.of[k];
                const float low = a.of[k] * cosines.of[k] - b.of[k] * sine,
                            high = b.of[k] * cosines.of[k] + a.of[k] * sine;
                a.of[k] = low;
                b.of[k] = high;
            }
        }
        store(r.qkv, at, a);
        store(r.qkv, at + half, b);
    }
}

__device__ inline float sigmoid(float x) { return 1.0f / (1.0f + __expf(-x)); }

// One block per range of a row.
template<typename T, int N, bool Back>
__global__ void __launch_bounds__(kBlock) swiGluKernel(SwiGlu s)
{
    const std::int64_t width = s.shape.width, row = blockIdx.x,
                       j = (std::int64_t{blockIdx.y} * blockDim.x + threadIdx.x) * N;
    if (j >= width)
        return;
    const std::int64_t at = row * 2 * width + j;
    // NOLINTNEXTLINE(misc-const-correctness): Back writes them.
    Values<T, N> gate = load<T, N>(s.gateUp, at), up = load<T, N>(s.gateUp, at + width);
    Values<T, N> other{};
    if constexpr (Back)
        other = load<T, N>(s.dproduct, row * width + j);
    for (int k = 0; k < N; ++k) {
        const float g = gate.of[k], s1 = sigmoid(g);
        if constexpr (Back) {
            const float d = other.of[k];
            gate.of[k] = d * up.of[k] * s1 * (1.0f + g * (1.0f - s1));
            up.of[k] = d * g * s1;
        } else {
            other.of[k] = g * s1 * up.of[k];
        }
    }
    if constexpr (Back) {
        store(s.gateUp, at, gate);
        store(s.gateUp, at + width, up);
    } else {
        store(s.product, row * width + j, other);
    }
}

template<int N>
__global__ void __launch_bounds__(kBlock) sumSquaresKernel(SumSquares s, Scratch *scratch)
{
    float sum = 0;
    const std::int64_t whole = s.elements / N * N, first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                       stride = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = first * N; i < whole; i += stride * N) {
        const Values<float, N> x = load<float, N>(s.values, i);
        for (int k = 0; k < N; ++k)
            sum += x.of[k] * x.of[k];
    }
    if (whole + first < s.elements)
        sum += s.values[whole + first] * s.values[whole + first];
    addParts(blockReduce(sum, Plus{}, 0.0f), s.scale, s.sum, s.accumulate, scratch);
}

template<typename T, int N>
__device__ void adamWPack(const AdamW &a, std::int64_t i, float clip)
{
    const float learningRate = a.rates[0] * a.rateFactor, correction1 = a.rates[1], correction2 = a.rates[2];
    const Values<float, N> gradient = load<float, N>(a.gradient, i);
    Values<float, N> m = load<float, N>(a.momentum, i), v = load<float, N>(a.variance, i),
                     master = load<float, N>(a.master, i);
    Values<T, N> parameter;
    for (int k = 0; k < N; ++k) {
        const float g = gradient.of[k] * clip;
        m.of[k] += (g - m.of[k]) * (1.0f - a.beta1);
        v.of[k] = a.beta2 * v.of[k] + (1.0f - a.beta2) * g * g;
        const float decay = i + k < a.decayed ? 1.0f - learningRate * a.weightDecay : 1.0f;
        master.of[k] =
            master.of[k] * decay - learningRate / correction1 * m.of[k] / (sqrtf(v.of[k] / correction2) + a.eps);
        parameter.of[k] = master.of[k];
    }
    store(a.momentum, i, m);
    store(a.variance, i, v);
    store(a.master, i, master);
    if (a.parameter != a.master)
        store(a.parameter, i, parameter);
}

// The last thread processes the remaining elements one by one.
template<typename T, int N>
__global__ void __launch_bounds__(kBlock) adamWKernel(AdamW a)
{
    const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * N;
    if (i >= a.elements)
        return;
    const float clip = a.gradClip > 0 ? fminf(1.0f, a.gradClip / (sqrtf(*a.norm2) + 1e-6f)) : 1.0f;
    if (i + N <= a.elements) {
        adamWPack<T, N>(a, i, clip);
        return;
    }
    for (std::int64_t k = i; k < a.elements; ++k)
        adamWPack<T, 1>(a, k, clip);
}

template<typename From, typename To, int N>
__device__ void castPack(const CastScale &c, std::int64_t i)
{
    const Values<From, N> from = load<From, N>(c.source, i);
    Values<To, N> to;
    for (int k = 0; k < N; ++k)
        to.of[k] = c.scale * from.of[k];
    store(c.target, i, to);
}

template<typename From, typename To, int N>
__global__ void __launch_bounds__(kBlock) castKernel(CastScale c)
{
    const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * N;
    if (i + N <= c.elements)
        castPack<From, To, N>(c, i);
    else
        for (std::int64_t k = i; k < c.elements; ++k)
            castPack<From, To, 1>(c, k);
}

// --- Launching the kernels
// ---------------------------------------------------------------------------------------------

std::int64_t ceilDiv(std::int64_t items, std::int64_t each) { return (items + each - 1) / each; }
unsigned count(std::int64_t items) { return static_cast<unsigned>(items); }

// Threads for `packs` packs per row, in whole warps.
unsigned threadsFor(std::int64_t packs, int most)
{
    return count(std::clamp<std::int64_t>(ceilDiv(packs, 32) * 32, 32, most));
}

// Calls with the type and the largest pack of at most 16 bytes that all addresses and the width of the rows allow:
// models exist with widths of 2,332 or 4,147.
template<typename Call>
void packed(Float type, std::int64_t width, std::initializer_list<const void *> addresses, const Call &call)
{
    const bool aligned = std::all_of(addresses.begin(), addresses.end(),
        [](const void *a) { return reinterpret_cast<std::uintptr_t>(a) % 16 == 0; });
    const std::int64_t pack = !aligned ? 1 : width % 8 == 0 ? 8 : width % 4 == 0 ? 4 : width % 2 == 0 ? 2 : 1;
    if (type == Float::Fp32)
        pack >= 4 ? call.template operator()<float, 4>() : call.template operator()<float, 1>();
    else if (pack == 8)
        call.template operator()<__nv_bfloat16, 8>();
    else if (pack == 4)
        call.template operator()<__nv_bfloat16, 4>();
    else if (pack == 2)
        call.template operator()<__nv_bfloat16, 2>();
    else
        call.template operator()<__nv_bfloat16, 1>();
}

void norm(const Norm &n, const Queue &queue)
{
    packed(n.type, n.shape.width, {n.x, n.delta, n.weight, n.sum, n.y}, [&]<typename T, int N>() {
        start(
            "norm", normKernel<T, N>, dim3(count(n.shape.rows)), dim3(threadsFor(n.shape.width / N, kBlock)), queue, n);
    });
}

void normBackward(const NormBackward &n, const Queue &queue)
{
    float *const parts = weightPartsOf(queue);
    const std::int64_t width = n.shape.width;
    std::int64_t blocks = std::min<std::int64_t>(kWeightParts, n.shape.rows);
    packed(n.type, width, {n.dy, n.x, n.weight, n.residual, n.dx}, [&]<typename T, int N>() {
        const auto inRegisters = [&](auto kernel) {
            start(
                "norm_backward", kernel, dim3(count(blocks)), dim3(threadsFor(width / N, kWideBlock)), queue, n, parts);
        };
        const std::int64_t packs = ceilDiv(width, std::int64_t{kWideBlock} * N); // packs per thread
        if (width > kSumFloats / 2 && packs <= 4) {
            if (packs == 1)
                inRegisters(normBackwardWideKernel<T, N, 1>);
            else if (packs == 2)
                inRegisters(normBackwardWideKernel<T, N, 2>);
            else
                inRegisters(normBackwardWideKernel<T, N, 4>);
            return;
        }
        const unsigned threads = threadsFor(width / N, kBlock);
        const std::int64_t rows =
            std::max<std::int64_t>(1, std::min<std::int64_t>(kWideBlock / threads, kSumFloats / width));
        blocks = std::min<std::int64_t>(kWeightParts, ceilDiv(n.shape.rows, rows));
        start("norm_backward", normBackwardKernel<T, N>, dim3(count(blocks)), dim3(threads, count(rows)), queue, n,
            parts);
    });
    start("norm_backward", weightSumKernel, dim3(count(ceilDiv(width, 32))), dim3(32, 8), queue, n,
        static_cast<const float *>(parts), static_cast<int>(blocks));
}

void rope(const Rope &r, const Queue &queue)
{
    std::int64_t together = r.headDim / 2; // elements, wherever heads begin
    for (const Heads &part : {r.q, r.k, r.v})
        together = std::gcd(std::gcd(together, part.batchStride), std::gcd(part.tokenStride, part.headStride));
    packed(r.type, together, {r.qkv, r.q.data, r.k.data, r.v.data, r.cosines, r.sines}, [&]<typename T, int N>() {
        start("rope", ropeKernel<T, N>, dim3(count(r.tokens)),
            dim3(threadsFor((r.heads + r.kvHeads) * (r.headDim / 2) / N, kBlock)), queue, r);
    });
}

template<bool Back>
void swiGluEither(const SwiGlu &s, const Queue &queue)
{
    if (s.shape.rows == 0) // CUDA launches no empty grids
        return;
    packed(s.type, s.shape.width, {s.gateUp, s.product, s.dproduct}, [&]<typename T, int N>() {
        const unsigned threads = threadsFor(s.shape.width / N, kBlock);
        start("swiglu", swiGluKernel<T, N, Back>,
            dim3(count(s.shape.rows), count(ceilDiv(s.shape.width, std::int64_t{threads} * N))), dim3(threads), queue,
            s);
    });
}

void crossEntropy(const CrossEntropy &asked, const Queue &queue)
{
    CrossEntropy c = asked;
    c.pitch = std::max(c.pitch, c.shape.width);
    packed(c.type, c.pitch, {c.logits}, [&]<typename T, int N>() {
        start("cross_entropy", crossEntropyKernel<T, N>, dim3(count(std::min<std::int64_t>(c.shape.rows, kParts))),
            dim3(threadsFor(c.pitch / N, kWideBlock)), queue, c, scratchOf(queue));
    });
}

void logitStatistics(const LogitStatistics &asked, const Queue &queue)
{
    LogitStatistics s = asked;
    s.pitch = std::max(s.pitch, s.shape.width);
    packed(s.type, s.pitch, {s.logits}, [&]<typename T, int N>() {
        start("logit_statistics", logitStatisticsKernel<T, N>, dim3(count(s.shape.rows)),
            dim3(threadsFor(s.pitch / N, kWideBlock)), queue, s);
    });
}

void causalSoftmax(const CausalSoftmax &c, const Queue &queue)
{
    packed(c.type, c.seq, {c.scores}, [&]<typename T, int N>() {
        start("causal_softmax", causalSoftmaxKernel<T, N>, dim3(count(c.matrices * c.seq)),
            dim3(threadsFor(c.seq / N, kBlock)), queue, c);
    });
}

void causalSoftmaxBackward(const CausalSoftmax &c, const Queue &queue)
{
    packed(c.type, c.seq, {c.scores, c.probabilities}, [&]<typename T, int N>() {
        start("causal_softmax", causalSoftmaxBackwardKernel<T, N>, dim3(count(c.matrices * c.seq)),
            dim3(threadsFor(c.seq / N, kBlock)), queue, c);
    });
}

void sumSquares(const SumSquares &s, const Queue &queue)
{
    packed(Float::Fp32, 4, {s.values}, [&]<typename T, int N>() {
        if constexpr (sizeof(T) == 4)
            start("sum_squares", sumSquaresKernel<N>,
                dim3(count(std::clamp<std::int64_t>(ceilDiv(s.elements, kBlock * N), 1, kParts))), dim3(kBlock), queue,
                s, scratchOf(queue));
    });
}

void adamW(const AdamW &a, const Queue &queue)
{
    packed(Float::Fp32, 4, {a.gradient, a.master, a.momentum, a.variance, a.parameter}, [&]<typename F, int N>() {
        if constexpr (sizeof(F) == 4) {
            const dim3 blocks(count(ceilDiv(a.elements, kBlock * N)));
            if (a.type == Float::Fp32)
                start("adamw", adamWKernel<float, N>, blocks, dim3(kBlock), queue, a);
            else
                start("adamw", adamWKernel<__nv_bfloat16, N>, blocks, dim3(kBlock), queue, a);
        }
    });
}

void castScale(const CastScale &c, const Queue &queue)
{
    packed(Float::Fp32, 4, {c.source, c.target}, [&]<typename F, int N>() {
        if constexpr (sizeof(F) == 4) {
            const dim3 blocks(count(ceilDiv(c.elements, kBlock * N)));
            const bool from = c.from == Float::Fp32, to = c.to == Float::Fp32;
            if (from && to)
                start("cast", castKernel<float, float, N>, blocks, dim3(kBlock), queue, c);
            else if (from)
                start("cast", castKernel<float, __nv_bfloat16, N>, blocks, dim3(kBlock), queue, c);
            else if (to)
                start("cast", castKernel<__nv_bfloat16, float, N>, blocks, dim3(kBlock), queue, c);
            else
                start("cast", castKernel<__nv_bfloat16, __nv_bfloat16, N>, blocks, dim3(kBlock), queue, c);
        }
    });
}

void embeddingBackward(const EmbeddingBackward &e, const Queue &queue)
{
    packed(e.type, e.shape.width, {e.dx, e.table, e.parts}, [&]<typename T, int N>() {
        const unsigned threads = threadsFor(e.shape.width / N, kBlock);
        const dim3 blocks(
            count(ceilDiv(e.shape.rows, kEmbeddingPart)), count(ceilDiv(e.shape.width, std::int64_t{threads} * N)));
        start("embedding_backward", embeddingRunsKernel<T, N>, blocks, dim3(threads), queue, e);
        start("embedding_backward", embeddingSharedKernel<N>, blocks, dim3(threads), queue, e);
    });
}

void quantize(const Quantize &q, const Queue &queue)
{
    const auto [rows, width] = q.shape;
    const std::int64_t together = q.transposed ? width : rows * width; // elements that a pack may lie within
    packed(q.type, together, {q.source, q.target}, [&, rows = rows, width = width]<typename T, int N>() {
        const std::int64_t blocks = ceilDiv(rows * width, std::int64_t{kBlock} * N);
        start("quantize", largestKernel<T, N>, dim3(count(std::min<std::int64_t>(blocks, kParts))), dim3(kBlock), queue,
            q, scratchOf(queue));
        if (q.transposed)
            start("quantize", quantizeTurnedKernel<T, N>,
                dim3(count(ceilDiv(width, kTile)), count(ceilDiv(rows, kTile))), dim3(kBlock), queue, q);
        else
            start("quantize", quantizeKernel<T, N>, dim3(count(blocks)), dim3(kBlock), queue, q);
    });
}

// Packs of `Per` dimensions if the head dimension is a multiple of it, else of one dimension.
template<typename T, int Per>
void startPaged(const PagedAttention &a, const Queue &queue)
{
    const dim3 blocks(count(a.heads), count(a.rows));
    const bool packs = a.headDim % Per == 0 && a.queryStride % Per == 0;
    start("paged_attention", packs ? pagedAttentionKernel<T, Per, Per> : pagedAttentionKernel<T, Per, 1>, blocks,
        dim3(kPagedWarps * 32), queue, a);
}

void pagedAttention(const PagedAttention &a, const Queue &queue)
{
    if (a.headDim > kLargestPagedHead)
        throw std::logic_error("paged attention: heads of " + std::to_string(a.headDim) + " dimensions");
    const auto ofType = [&]<typename T>() {
        if (a.headDim <= 32)
            startPaged<T, 1>(a, queue);
        else if (a.headDim <= 64)
            startPaged<T, 2>(a, queue);
        else if (a.headDim <= 128)
            startPaged<T, 4>(a, queue);
        else
            startPaged<T, 8>(a, queue);
    };
    a.type == Float::Fp32 ? ofType.template operator()<float>() : ofType.template operator()<__nv_bfloat16>();
}

void gatherRows(const GatherRows &g, const Queue &queue)
{
    packed(g.type, g.shape.width, {g.rows, g.added, g.y}, [&]<typename T, int N>() {
        start("gather_rows", gatherRowsKernel<T, N>, dim3(count(g.shape.rows)),
            dim3(threadsFor(g.shape.width / N, kBlock)), queue, g);
    });
}

void gatherRowsBackward(const GatherRowsBackward &g, const Queue &queue)
{
    packed(g.type, g.shape.width, {g.dy, g.rows}, [&]<typename T, int N>() {
        start("gather_rows_backward", gatherRowsBackwardKernel<T, N>, dim3(count(g.shape.rows * g.perToken)),
            dim3(threadsFor(g.shape.width / N, kBlock)), queue, g);
    });
}

std::int64_t scratchBytes(std::int64_t width)
{
    return static_cast<std::int64_t>(sizeof(Scratch)) + std::int64_t{kWeightParts} * width * 4;
}

constexpr Table kTable{norm, normBackward, rope, swiGluEither<false>, swiGluEither<true>, logitStatistics, crossEntropy,
    causalSoftmax, causalSoftmaxBackward, sumSquares, adamW, castScale, embeddingBackward, quantize, pagedAttention,
    gatherRows, gatherRowsBackward, scratchBytes};

} // namespace
} // namespace slipway::fused_ops
