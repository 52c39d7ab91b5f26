// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cuda/cuda_event.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

// The runtime, played: its events are numbers, and the n-th call of a function fails if a test says so.
namespace {

int alive = 0, created = 0, lacking = 0; // `lacking`: the event, counted from 1, that cannot be created
bool recordFails = false;
cudaError_t lastError = cudaSuccess;
unsigned newestFlags = 0;

cudaEvent_t handle(std::uintptr_t number)
{
    return reinterpret_cast<cudaEvent_t>(number); // NOLINT(performance-no-int-to-ptr): nobody reads through it
}

cudaError_t answer(bool fails)
{
    if (fails)
        lastError = cudaErrorMemoryAllocation;
    return fails ? cudaErrorMemoryAllocation : cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    newestFlags = flags;
    const bool fails = ++created == lacking;
    if (!fails) {
        ++alive;
        *event = handle(static_cast<std::uintptr_t>(created));
    }
    return answer(fails);
}
cudaError_t cudaEventDestroy(cudaEvent_t)
{
    --alive;
    return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t, unsigned flags)
{
    newestFlags = flags;
    return answer(recordFails);
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
// Event n is reached n * 250 ms after the start.
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    const auto number = [](cudaEvent_t event) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(event)); };
    *milliseconds = static_cast<float>(250 * (number(end) - number(begin)));
    return cudaSuccess;
}
cudaError_t cudaGetLastError() { return std::exchange(lastError, cudaSuccess); }
const char *cudaGetErrorString(cudaError_t) { return "out of memory"; }

} // extern "C"

namespace slipway {
namespace {

class CudaEventTest : public testing::Test {
protected:
    void SetUp() override
    {
        alive = created = lacking = 0;
        recordFails = false;
        lastError = cudaSuccess;
    }
};

TEST_F(CudaEventTest, IsDestroyedWhereWorkBetweenTwoEventsThrows)
{
    const auto measure = [] {
        const CudaEvent begin, end;
        begin.record(nullptr);
        throw std::runtime_error("the copy failed");
    };
    EXPECT_THROW(measure(), std::runtime_error);
    EXPECT_EQ(created, 2);
    EXPECT_EQ(alive, 0);
}

TEST_F(CudaEventTest, TheFirstIsDestroyedIfThereIsNoSecond)
{
    lacking = 2;
    EXPECT_THROW((std::vector<CudaEvent>(2)), CudaEventFailed);
    EXPECT_EQ(alive, 0);
}

TEST_F(CudaEventTest, AFailureNamesTheCallAndLeavesNoErrorBehind)
{
    recordFails = true;
    const CudaEvent event;
    try {
        event.record(nullptr);
        FAIL();
    } catch (const CudaEventFailed &failed) {
        EXPECT_STREQ(failed.what(), "cudaEventRecordWithFlags: out of memory");
    }
    EXPECT_EQ(lastError, cudaSuccess);
}

TEST_F(CudaEventTest, IsDestroyedOnceWhereAVectorMovesIt)
{
    {
        std::vector<CudaEvent> events;
        for (int i = 0; i < 9; ++i)
            events.emplace_back();
        EXPECT_EQ(alive, 9);
        events[0] = std::move(events[8]);
        EXPECT_EQ(events[0].get(), handle(9));
    }
    EXPECT_EQ(created, 9);
    EXPECT_EQ(alive, 0);
}

TEST_F(CudaEventTest, TheTimeSinceAnotherIsInSeconds)
{
    const CudaEvent begin, end;
    EXPECT_DOUBLE_EQ(end.secondsSince(begin), 0.25);
}

TEST_F(CudaEventTest, PassesTheFlagsOn)
{
    const CudaEvent event(cudaEventDisableTiming);
    EXPECT_EQ(newestFlags, cudaEventDisableTiming);
    event.record(nullptr, cudaEventRecordExternal);
    EXPECT_EQ(newestFlags, cudaEventRecordExternal);
}

} // namespace
} // namespace slipway
