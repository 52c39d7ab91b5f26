// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A device that LibTorch knows by its interfaces alone: it has streams and events, and computes nothing. LibTorch asks
// it for page-locked memory once it is registered, so it stands in a program of its own.
#pragma once

#include <utility>

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DeviceType.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <gtest/gtest.h>

namespace slipway::testing {

constexpr c10::DeviceType kStandInType = c10::DeviceType::PrivateUse1;
inline const c10::Device kStandIn(kStandInType, 0);

// One device; streams are numbers, of which a thread has a current one, and events are always over.
class StandInGuard final : public c10::impl::DeviceGuardImplInterface {
public:
    c10::DeviceType type() const override { return kStandInType; }
    c10::Device exchangeDevice(c10::Device) const override { return kStandIn; }
    c10::Device getDevice() const override { return kStandIn; }
    void setDevice(c10::Device) const override {}
    void uncheckedSetDevice(c10::Device) const noexcept override {}
    c10::Stream getStream(c10::Device) const override { return streamOf(current); }
    c10::Stream getStreamFromGlobalPool(c10::Device, bool) const override { return streamOf(++given); }
    c10::Stream exchangeStream(c10::Stream stream) const override
    {
        return streamOf(current == staysOn ? current : std::exchange(current, stream.id()));
    }
    void *getStreamNativeHandle(const c10::Stream stream) const override
    {
        return reinterpret_cast<void *>(stream.id()); // NOLINT(performance-no-int-to-ptr): nobody reads through it
    }
    void record(void **, const c10::Stream &, c10::DeviceIndex, c10::EventFlag) const override {}
    void block(void *, const c10::Stream &) const override {}
    bool queryEvent(void *) const override { return true; }
    void synchronizeEvent(void *) const override {}
    void synchronizeStream(const c10::Stream &) const override {}
    double elapsedTime(void *, void *, c10::DeviceIndex) const override { return 0; }
    c10::DeviceIndex deviceCount() const noexcept override { return 1; }

    static inline thread_local c10::StreamId current = 0;
    static inline thread_local c10::StreamId given = 100;
    static inline thread_local c10::StreamId staysOn = -1; // a fault: whoever enters this stream does not leave it

private:
    static c10::Stream streamOf(c10::StreamId id) { return c10::Stream(c10::Stream::UNSAFE, kStandIn, id); }
};

struct StandInHooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return true; }
    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    c10::Allocator *getPinnedMemoryAllocator() const override { return c10::GetDefaultCPUAllocator(); }
};

class OnStandIn : public ::testing::Test {
protected:
    static void SetUpTestSuite()
    {
        static const bool registered = [] {
            static StandInGuard guard;
            static StandInHooks hooks;
            static const c10::impl::DeviceGuardImplRegistrar registrar(kStandInType, &guard);
            c10::register_privateuse1_backend("standin"); // page-locked memory is asked of it then
            at::RegisterPrivateUse1HooksInterface(&hooks);
            return true;
        }();
        static_cast<void>(registered);
    }
    void SetUp() override
    {
        StandInGuard::current = 7;
        StandInGuard::staysOn = -1;
    }
    [[nodiscard]] static c10::StreamId current() { return StandInGuard::current; }
};

} // namespace slipway::testing
