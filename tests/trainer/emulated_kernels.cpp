// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// CUDA's words on the processor: one block after the other, its threads as contexts that take turns where they meet.
#include "emulated_kernels.h"

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include <ucontext.h>

#include <cuda_bf16.h>
#include <vector_types.h>

// NOLINTBEGIN(bugprone-reserved-identifier): the names are those of CUDA
#undef __global__
#undef __device__
#undef __shared__
#undef __launch_bounds__
#define __global__
#define __device__
#define __shared__ static // of the one block that runs
#define __launch_bounds__(threads)
// NOLINTEND(bugprone-reserved-identifier)

namespace slipway::fused_ops {
namespace {

dim3 threadIdx, blockIdx, blockDim, gridDim;

// Where so many threads wait for each other.
struct Barrier {
    unsigned arrived = 0, round = 0;
};

class Block {
public:
    explicit Block(dim3 size) : m_size(size), m_warps((size.x * size.y * size.z + 31) / 32) {}

    void run(const std::function<void()> &body)
    {
        const unsigned threads = m_size.x * m_size.y * m_size.z;
        s_body = &body;
        s_block = this;
        m_threads.resize(threads);
        for (unsigned i = 0; i < threads; ++i) {
            Thread &thread = m_threads[i];
            thread.stack = std::make_unique_for_overwrite<std::array<char, 65536>>();
            getcontext(&thread.context);
            thread.context.uc_stack = {.ss_sp = thread.stack->data(), .ss_flags = 0, .ss_size = thread.stack->size()};
            thread.context.uc_link = &m_scheduler;
            makecontext(&thread.context, &Block::enter, 0);
        }
        for (unsigned left = threads; left > 0;) {
            const unsigned before = m_progress;
            for (m_current = 0; m_current < threads; ++m_current) {
                if (m_threads[m_current].done)
                    continue;
                threadIdx =
                    dim3(m_current % m_size.x, m_current / m_size.x % m_size.y, m_current / m_size.x / m_size.y);
                swapcontext(&m_scheduler, &m_threads[m_current].context);
                left -= m_threads[m_current].done;
            }
            if (before == m_progress)
                throw std::logic_error("threads of a block wait for ones that do not come");
        }
    }

    static Block &running() { return *s_block; }
    void meetAll() { meet(m_all, m_size.x * m_size.y * m_size.z); }
    float exchange(float value, int step)
    {
        Warp &warp = m_warps[m_current / 32];
        const unsigned lane = m_current % 32;
        warp.values[lane] = value;
        meet(warp.barrier, 32);
        const float other = warp.values[lane ^ static_cast<unsigned>(step)];
        meet(warp.barrier, 32);
        return other;
    }

private:
    struct Thread {
        ucontext_t context{};
        std::unique_ptr<std::array<char, 65536>> stack;
        bool done = false;
    };
    struct Warp {
        Barrier barrier;
        std::array<float, 32> values{};
    };

    static void enter()
    {
        (*s_body)();
        Thread &thread = s_block->m_threads[s_block->m_current];
        thread.done = true;
        ++s_block->m_progress;
    }

    void meet(Barrier &barrier, unsigned threads)
    {
        const unsigned round = barrier.round, own = m_current;
        ++m_progress;
        if (++barrier.arrived == threads) {
            barrier.arrived = 0;
            ++barrier.round;
            return;
        }
        while (barrier.round == round)
            swapcontext(&m_threads[own].context, &m_scheduler);
    }

    static inline const std::function<void()> *s_body = nullptr;
    static inline Block *s_block = nullptr;
    dim3 m_size;
    std::vector<Warp> m_warps;
    std::vector<Thread> m_threads;
    ucontext_t m_scheduler{};
    Barrier m_all;
    unsigned m_current = 0, m_progress = 0;
};

template<typename... Parameters, typename... Arguments>
void start(const char *, void (*kernel)(Parameters...), dim3 blocks, dim3 threads, const Queue &,
    const Arguments &...arguments)
{
    gridDim = blocks;
    blockDim = threads;
    for (unsigned y = 0; y < blocks.y; ++y) {
        for (unsigned x = 0; x < blocks.x; ++x) {
            blockIdx = dim3(x, y);
            Block(threads).run([&] { kernel(arguments...); });
        }
    }
}

// NOLINTBEGIN(bugprone-reserved-identifier): the names are those of CUDA
void __syncthreads() { Block::running().meetAll(); }
float __shfl_xor_sync(unsigned, float value, int step) { return Block::running().exchange(value, step); }
void __threadfence() {}
unsigned atomicAdd(unsigned *to, unsigned value)
{
    const unsigned before = *to;
    *to += value;
    return before;
}
float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
float __expf(float x) { return std::exp(x); }
// NOLINTEND(bugprone-reserved-identifier)

} // namespace
} // namespace slipway::fused_ops

#include "cuda/kernel_bodies.h"

const slipway::fused_ops::Table *slipway::fused_ops::emulatedKernels() { return &kTable; }
