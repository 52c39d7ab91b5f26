// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// No tensor of a step lives outside the arena.
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

#include "cpu_ops/tile.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

// Hands on to LibTorch's allocator and counts.
class CountingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override
    {
        allocatedBytes += bytes;
        return c10::GetDefaultCPUAllocator()->allocate(bytes);
    }
    void copy_data(void *to, const void *from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }

    std::size_t allocatedBytes = 0;
};

TEST(Allocations, LibTorchHandsOutNothingInAStep)
{
    if (!cpu_ops::hasFastTiles())
        GTEST_SKIP() << "without AVX-512 LibTorch's own product runs, which may take workspace";
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    config.recompute = Recompute::Full;
    SingleCommunicator communicator;
    const std::unique_ptr<Executor> executor = executorOf(planOf(config, model), model, communicator);
    const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 1);
    static CountingAllocator counter; // LibTorch keeps a pointer
    c10::Allocator *const before = c10::GetCPUAllocator();
    c10::SetCPUAllocator(&counter, 1);
    ASSERT_EQ(c10::GetCPUAllocator(), &counter);
    for (int step = 1; step <= 2; ++step)
        ASSERT_TRUE(executor->step(batch.input(), {.step = step}));
    c10::SetCPUAllocator(before, 1);
    EXPECT_EQ(counter.allocatedBytes, 0u);
}

} // namespace
} // namespace slipway::testing
