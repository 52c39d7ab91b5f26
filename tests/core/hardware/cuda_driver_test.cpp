// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/cuda_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::testing {
namespace {

using ::testing::HasSubstr;

TEST(CudaDriver, IsTakenFromTheFirstBranchForTheTrainersCudaOn)
{
    EXPECT_EQ(driverTooOld("580.65.06"), "");
    EXPECT_EQ(driverTooOld("590.10"), "");
    EXPECT_EQ(driverTooOldForCuda(13000), "");
    EXPECT_EQ(driverTooOldForCuda(14010), "");
}

TEST(CudaDriver, OfAnOlderLineIsNamedWithTheNeededOneAndTheLibTorchThatWouldRun)
{
    for (const std::string &problem : {driverTooOld("570.86.15"), driverTooOldForCuda(12080)}) {
        EXPECT_THAT(problem, HasSubstr("driver 580 or newer"));
        EXPECT_THAT(problem, HasSubstr("last LibTorch that runs on it is 2.10"));
    }
    EXPECT_THAT(driverTooOld("570.86.15"), HasSubstr("driver 570.86.15 is too old"));
    EXPECT_THAT(driverTooOldForCuda(12080), HasSubstr("CUDA 12.8 at most"));
    EXPECT_THAT(driverTooOld("525.60.13"), HasSubstr("2.10"));
    EXPECT_THAT(driverTooOld("524.99"), HasSubstr("CUDA 11.8"));
    EXPECT_THAT(driverTooOld("390.157"), HasSubstr("No LibTorch for CUDA 11"));
}

TEST(CudaDriver, IsNotJudgedByWhatIsNoVersion)
{
    for (const char *const version : {"", "[N/A]", "-1.0", "0", "none", "99999999999999999999.1"})
        EXPECT_EQ(driverTooOld(version), "") << version;
    EXPECT_EQ(driverTooOldForCuda(0), "");
}

} // namespace
} // namespace slipway::testing
