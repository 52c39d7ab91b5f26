// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "hardware/processor_rates.h"

namespace slipway {

namespace {

constexpr int kDepth = 128;            // of a block of a GEMM: its operands fit into 32 KiB
constexpr int kCalls = 2000;           // GEMMs per round
constexpr std::size_t kAlignment = 64; // of memory that vectors are loaded from

// Computes c += a b for one block. c has `rows` x two vectors, which stay in registers. a and b stay in the first-level
// cache.
template<typename Vector, int rows>
[[gnu::always_inline]] inline void multiplyBlock(const float *a, const float *b, float *c)
{
    constexpr int width = sizeof(Vector) / sizeof(float);
    Vector sums[rows][2] = {};
    for (int k = 0; k < kDepth; ++k) {
        const auto *const column = reinterpret_cast<const Vector *>(b + static_cast<std::ptrdiff_t>(k) * 2 * width);
        const Vector left = column[0], right = column[1];
#pragma GCC unroll 16
        for (int row = 0; row < rows; ++row) {
            const float factor = a[k * rows + row];
            sums[row][0] += factor * left;
            sums[row][1] += factor * right;
        }
    }
    auto *const result = reinterpret_cast<Vector *>(c);
#pragma GCC unroll 16
    for (int row = 0; row < rows; ++row) {
        result[std::ptrdiff_t{2} * row] += sums[row][0];
        result[std::ptrdiff_t{2} * row + 1] += sums[row][1];
    }
}

template<typename Vector, int rows>
[[gnu::always_inline]] inline double multiplyMany(float *memory)
{
    constexpr int width = sizeof(Vector) / sizeof(float);
    float *const a = memory, *const b = a + 2048, *const c = b + std::ptrdiff_t{2} * kDepth * width;
    for (int call = 0; call < kCalls; ++call)
        multiplyBlock<Vector, rows>(a, b, c);
    return 2.0 * kCalls * kDepth * rows * 2 * width;
}

typedef float Vector128 __attribute__((vector_size(16)));

double multiplyPlain(float *memory) { return multiplyMany<Vector128, 4>(memory); }

#if defined(__x86_64__) || defined(__i386__)
typedef float Vector256 __attribute__((vector_size(32)));
typedef float Vector512 __attribute__((vector_size(64)));

[[gnu::target("avx2,fma")]] double multiplyAvx2(float *memory) { return multiplyMany<Vector256, 6>(memory); }
[[gnu::target("avx512f")]] double multiplyAvx512(float *memory) { return multiplyMany<Vector512, 12>(memory); }
#endif

// Returns the FLOPs of one round.
double multiply(float *memory)
{
#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_cpu_supports("avx512f"))
        return multiplyAvx512(memory);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return multiplyAvx2(memory);
#endif
    return multiplyPlain(memory);
}

// Returns the bytes read and written in one round. A round copies the first half into the second, scaled, like an
// elementwise kernel.
double copyScaled(float *memory, std::size_t floats)
{
    constexpr std::size_t width = sizeof(Vector128) / sizeof(float);
    const std::size_t half = floats / 2 / width;
    const auto *const from = reinterpret_cast<const Vector128 *>(memory);
    auto *const to = reinterpret_cast<Vector128 *>(memory) + half;
    for (std::size_t i = 0; i < half; ++i)
        to[i] = from[i] * 1.0001F;
    return 2.0 * sizeof(Vector128) * static_cast<double>(half);
}

// Returns the highest sum of all threads' rates over rounds that begin at the same time. Other programs disturbed the
// best round least.
template<typename Round>
double bestRate(int threads, Seconds duration, std::size_t floats, Round round)
{
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(duration);
    double best = 0;
    bool done = false;
    std::vector<double> rates(static_cast<std::size_t>(threads));
    std::barrier rounds(threads, [&]() noexcept {
        double sum = 0;
        for (const double rate : rates)
            sum += rate;
        best = std::max(best, sum);
        done = Clock::now() >= end;
    });
    const auto work = [&](std::size_t thread) {
        std::vector<float> memory(floats + kAlignment / sizeof(float), 0.5F);
        void *aligned = memory.data();
        std::size_t space = memory.size() * sizeof(float);
        auto *const begin = static_cast<float *>(std::align(kAlignment, floats * sizeof(float), aligned, space));
        while (!done) { // NOLINT(bugprone-infinite-loop): the barrier ends it between two rounds
            const auto start = Clock::now();
            const double amount = round(begin);
            rates[thread] = amount / std::max(1e-9, std::chrono::duration<double>(Clock::now() - start).count());
            rounds.arrive_and_wait();
        }
    };
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread)
        others.emplace_back(work, static_cast<std::size_t>(thread));
    work(0);
    others.clear(); // joins
    return best;
}

} // namespace

ProcessorRates measureProcessor(const ProcessorFacts &facts, Seconds duration, std::string date)
{
    // The arrays exceed the caches, but take no more than a sixteenth of the memory.
    constexpr double largest = 32e6 / sizeof(float);
    const double share = static_cast<double>(facts.memory) / 16 / facts.cores / sizeof(float);
    const auto floats = static_cast<std::size_t>(std::clamp(share, 1e6, 2 * largest));
    constexpr std::size_t blocks = 16384; // of a, b and c
    return {.fp32Flops = bestRate(facts.cores, duration / 2, blocks, multiply),
        .copyBandwidth =
            bestRate(facts.cores, duration / 2, floats, [floats](float *memory) { return copyScaled(memory, floats); }),
        .asOf = std::move(date)};
}

} // namespace slipway
