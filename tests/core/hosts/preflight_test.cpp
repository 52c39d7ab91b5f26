// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::testing {
namespace {

class GpusOfAHost : public ::testing::Test {
protected:
    PreflightCheck checked(const std::string &driver)
    {
        m_facts.driver = driver;
        return gpuCheck(m_facts, m_config, m_catalogue);
    }
    Catalogue m_catalogue = loadCatalogue().value();
    RunConfig m_config{.gpu = "h100-sxm-80gb"};
    HostFacts m_facts{.gpus = {HostGpu{.name = "NVIDIA H100 80GB HBM3", .memory = 80 * kGiB}}};
};

TEST_F(GpusOfAHost, HoldALaunchBackWhereTheirDriverIsTooOldAndSayWhichOneIsNeeded)
{
    const PreflightCheck check = checked("570.86.15");
    EXPECT_FALSE(check.passed);
    EXPECT_EQ(check.fault, Fault::Outside);
    EXPECT_THAT(check.detail, ::testing::HasSubstr("needs driver 580 or newer"));
    EXPECT_FALSE(Preflight{.checks = {check}}.passed(PreflightPolicy::All));
    EXPECT_TRUE(Preflight{.checks = {check}}.passed(PreflightPolicy::IgnorePredictions)) << "a person may know better";
}

TEST_F(GpusOfAHost, PassWithADriverThatRunsTheTrainer)
{
    const PreflightCheck check = checked("580.65.06");
    EXPECT_TRUE(check.passed) << check.detail;
    EXPECT_THAT(check.detail, ::testing::HasSubstr("driver 580.65.06"));
}

} // namespace
} // namespace slipway::testing
