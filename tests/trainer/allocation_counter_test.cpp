// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/allocation_counter.h"

#include <barrier>
#include <thread>

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

namespace slipway::testing {
namespace {

at::Tensor taken(std::int64_t bytes) { return at::empty({bytes}, at::TensorOptions(at::kByte)); }

TEST(AllocationCounter, CountsThePeakSinceItWasAskedLast)
{
    const auto counter = std::make_shared<AllocationCounter>(at::kCPU);
    {
        const AllocationCounter::Counting counting(counter);
        const at::Tensor kept = taken(1000);
        EXPECT_EQ(taken(500).numel(), 500);
        EXPECT_EQ(counter->takePeak(), 1500);
        EXPECT_EQ(counter->takePeak(), 1000);
    }
    EXPECT_EQ(taken(700).numel(), 700) << "not counted any more";
    EXPECT_EQ(counter->takePeak(), 1000);
    EXPECT_EQ(counter->takePeak(), 0);
}

TEST(AllocationCounter, LeavesOutOtherDevices)
{
    const auto counter = std::make_shared<AllocationCounter>(at::Device(at::kCUDA, 0));
    const AllocationCounter::Counting counting(counter);
    EXPECT_EQ(taken(1000).numel(), 1000);
    EXPECT_EQ(counter->takePeak(), 0);
}

// Ranks that are threads and share a device.
TEST(AllocationCounter, TellsRanksThatAllocateAtTheSameTimeApart)
{
    std::barrier both(2);
    Bytes peaks[2] = {};
    const auto rank = [&](int number) {
        const auto counter = std::make_shared<AllocationCounter>(at::kCPU);
        const AllocationCounter::Counting counting(counter);
        const at::Tensor kept = taken(1000 * (number + 1));
        both.arrive_and_wait(); // both have theirs
        peaks[number] = counter->takePeak();
        both.arrive_and_wait();
    };
    std::thread first(rank, 0), second(rank, 1);
    first.join();
    second.join();
    EXPECT_EQ(peaks[0], 1000);
    EXPECT_EQ(peaks[1], 2000);
}

} // namespace
} // namespace slipway::testing
