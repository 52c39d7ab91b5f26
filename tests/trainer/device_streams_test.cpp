// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which stream is current where.
#include "exec/device_streams.h"

#include "exec/staging.h"
#include "standin_device.h"

namespace slipway::testing {
namespace {

using StreamsOfADevice = OnStandIn;

TEST_F(StreamsOfADevice, StayAsTheyWereForWhoeverHasMemoryStaged)
{
    Staging staging(kStandIn, 64);
    staging.mark();
    staging.copy({}, [](std::size_t, Bytes, std::span<const std::byte>) {});
    EXPECT_EQ(current(), 7);
}

TEST_F(StreamsOfADevice, AreSetByEachStepWhateverWasCurrentBefore)
{
    DeviceStreams streams(kStandIn);
    for (int step = 0; step < 3; ++step) {
        StandInGuard::current = 7; // somebody else's, since the step before
        streams.begin(1);
        EXPECT_EQ(current(), streams.stream().id());
        streams.enter(DeviceStream::Communication);
        EXPECT_EQ(current(), streams.stream().id());
        streams.join();
    }
}

TEST_F(StreamsOfADevice, AreGivenBackWithTheExecutor)
{
    {
        DeviceStreams streams(kStandIn);
        streams.begin(1);
        EXPECT_NE(current(), 7);
    }
    EXPECT_EQ(current(), 7);
}

} // namespace
} // namespace slipway::testing
