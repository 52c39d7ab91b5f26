// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which stream is current where, on a device that LibTorch knows by its interfaces alone: it computes nothing.
#include "exec/device_streams.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DeviceType.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <gtest/gtest.h>

#include "exec/staging.h"

namespace slipway::testing {
namespace {

constexpr c10::DeviceType kType = c10::DeviceType::PrivateUse1;
const c10::Device kDevice(kType, 0);

c10::Stream streamOf(c10::StreamId id) { return c10::Stream(c10::Stream::UNSAFE, kDevice, id); }

// One device; streams are numbers, of which a thread has a current one, and events are always over.
class StandInGuard final : public c10::impl::DeviceGuardImplInterface {
public:
    c10::DeviceType type() const override { return kType; }
    c10::Device exchangeDevice(c10::Device) const override { return kDevice; }
    c10::Device getDevice() const override { return kDevice; }
    void setDevice(c10::Device) const override {}
    void uncheckedSetDevice(c10::Device) const noexcept override {}
    c10::Stream getStream(c10::Device) const override { return streamOf(current); }
    c10::Stream getStreamFromGlobalPool(c10::Device, bool) const override { return streamOf(++given); }
    c10::Stream exchangeStream(c10::Stream stream) const override
    {
        return streamOf(std::exchange(current, stream.id()));
    }
    void record(void **, const c10::Stream &, c10::DeviceIndex, c10::EventFlag) const override {}
    void block(void *, const c10::Stream &) const override {}
    bool queryEvent(void *) const override { return true; }
    void synchronizeEvent(void *) const override {}
    c10::DeviceIndex deviceCount() const noexcept override { return 1; }

    static thread_local c10::StreamId current;
    static thread_local c10::StreamId given;
};
thread_local c10::StreamId StandInGuard::current = 0;
thread_local c10::StreamId StandInGuard::given = 100;

struct StandInHooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return true; }
    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    c10::Allocator *getPinnedMemoryAllocator() const override { return c10::GetDefaultCPUAllocator(); }
};

class StreamsOfADevice : public ::testing::Test {
protected:
    static void SetUpTestSuite()
    {
        static StandInGuard guard;
        static StandInHooks hooks;
        static const c10::impl::DeviceGuardImplRegistrar registered(kType, &guard);
        c10::register_privateuse1_backend("standin"); // page-locked memory is asked of it then
        at::RegisterPrivateUse1HooksInterface(&hooks);
    }
    void SetUp() override { StandInGuard::current = 7; }
    [[nodiscard]] static c10::StreamId current() { return StandInGuard::current; }
};

TEST_F(StreamsOfADevice, StayAsTheyWereForWhoeverHasMemoryStaged)
{
    Staging staging(kDevice, 64);
    staging.mark();
    staging.copy({}, [](std::size_t, Bytes, std::span<const std::byte>) {});
    EXPECT_EQ(current(), 7);
}

TEST_F(StreamsOfADevice, AreSetByEachStepWhateverWasCurrentBefore)
{
    DeviceStreams streams(kDevice);
    for (int step = 0; step < 3; ++step) {
        StandInGuard::current = 7; // somebody else's, since the step before
        streams.begin(1);
        EXPECT_EQ(current(), streams.stream().id());
        streams.enter(Lane::Communication);
        EXPECT_EQ(current(), streams.stream().id());
        streams.join();
    }
}

TEST_F(StreamsOfADevice, AreGivenBackWithTheExecutor)
{
    {
        DeviceStreams streams(kDevice);
        streams.begin(1);
        EXPECT_NE(current(), 7);
    }
    EXPECT_EQ(current(), 7);
}

} // namespace
} // namespace slipway::testing
