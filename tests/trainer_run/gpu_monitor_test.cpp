// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/gpu_monitor.h"

#include <gtest/gtest.h>

namespace slipway::testing {
namespace {

TEST(GpuMonitor, ReadsWhatTheDriverSaysInTheUnitsOfTheRecord)
{
    const std::unique_ptr<GpuMonitor> watch = GpuMonitor::start({"GPU-1", "GPU-2", "none"}, Nvml::open(FAKE_NVML));
    ASSERT_TRUE(watch);
    const std::vector<GpuSample> samples = watch->latest();
    ASSERT_EQ(samples.size(), 3U);
    EXPECT_EQ(samples[0], (GpuSample{.utilisation = 97,
                              .powerWatts = 650.5,
                              .temperatureC = 61,
                              .used = 63 * kGiB, // without the driver's own GiB
                              .clockMhz = 1410,
                              .clockMaxMhz = 1980,
                              .throttleReasons = 4}));
    EXPECT_EQ(samples[1], GpuSample{}); // says nothing
    EXPECT_EQ(samples[2], GpuSample{}); // not there
}

TEST(GpuMonitor, IsNotThereWithoutADriverOrDevices)
{
    EXPECT_FALSE(GpuMonitor::start({"GPU-1"}, Nvml::open("libnvidia-ml-of-nobody.so")));
    EXPECT_FALSE(GpuMonitor::start({}, Nvml::open(FAKE_NVML)));
}

TEST(Nvml, SaysHowDevicesAreConnected)
{
    const std::unique_ptr<Nvml> driver = Nvml::open(FAKE_NVML);
    ASSERT_TRUE(driver);
    EXPECT_EQ(driver->linkBetween("GPU-1", "GPU-2"), "NVLink");
    EXPECT_EQ(driver->linkBetween("GPU-1", "none"), "");
}

} // namespace
} // namespace slipway::testing
