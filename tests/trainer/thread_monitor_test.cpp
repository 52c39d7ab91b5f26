// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/thread_monitor.h"

#include <ctime>

#include <gtest/gtest.h>

namespace slipway::testing {
namespace {

class ThreadMonitorTest : public ::testing::Test {
protected:
    // What the first of so many checks that finds something says.
    std::string checks(int count)
    {
        std::string cause;
        for (int i = 0; i < count && cause.empty(); ++i)
            cause = watch.check();
        return cause;
    }
    ThreadMonitor watch{3};
};

TEST_F(ThreadMonitorTest, NamesWhoOthersWaitForInVainAndWhatItDid)
{
    watch.reportWait(0, true);
    watch.reportWait(2, true);
    watch.reportProgress(1, "running a step");
    EXPECT_EQ(checks(ThreadMonitor::kPatience + 1), "");
    EXPECT_EQ(checks(1), "rank 1 hangs, while running a step");
}

TEST_F(ThreadMonitorTest, GivesALibraryItsOwnTimeToLoadAndTheNextWorkTheUsual)
{
    watch.reportWait(0, true);
    watch.reportLoading(1, "loading the libraries for attention");
    watch.reportWait(2, true);
    EXPECT_EQ(checks(ThreadMonitor::kLoadingPatience + 1), "");
    EXPECT_EQ(checks(1), "rank 1 hangs, while loading the libraries for attention");
    watch.reportProgress(1, "allocating the memory of the step");
    EXPECT_EQ(checks(ThreadMonitor::kPatience + 1), "");
    EXPECT_EQ(checks(1), "rank 1 hangs, while allocating the memory of the step");
}

TEST_F(ThreadMonitorTest, LeavesAloneWhoGetsOn)
{
    watch.reportWait(0, true);
    watch.reportWait(2, true);
    for (int i = 0; i < 10; ++i) {
        watch.reportProgress(1, "running a step");
        EXPECT_EQ(checks(ThreadMonitor::kPatience), "");
    }
}

TEST_F(ThreadMonitorTest, BlamesNobodyWhileNobodyWaits)
{
    EXPECT_EQ(checks(10 * ThreadMonitor::kPatience), "");
    watch.reportWait(0, true);
    EXPECT_EQ(checks(ThreadMonitor::kPatience), "") << "patience counts from when somebody waits";
}

TEST_F(ThreadMonitorTest, BlamesNobodyWhoWaits)
{
    for (int rank = 0; rank < 3; ++rank)
        watch.reportWait(rank, true);
    EXPECT_EQ(checks(10 * ThreadMonitor::kPatience), "");
}

TEST_F(ThreadMonitorTest, NamesWhoDoesNotComeBackFromItsWait)
{
    for (int rank = 0; rank < 3; ++rank)
        watch.reportWait(rank, true);
    watch.reportWait(2, false);
    EXPECT_EQ(checks(ThreadMonitor::kPatience + 2), "rank 2 hangs, while starting");
}

TEST_F(ThreadMonitorTest, LeavesAloneWhoComputesHoweverLong)
{
    watch.begins(1);
    watch.reportWait(0, true);
    watch.reportWait(2, true);
    const auto computed = [] { return std::clock(); };
    for (int i = 0; i < 3 * ThreadMonitor::kPatience; ++i) {
        for (const std::clock_t before = computed(); computed() == before;) {
        }
        EXPECT_EQ(checks(1), "");
    }
}

TEST_F(ThreadMonitorTest, IsNotMisledByWhoWaitsForADevice)
{
    watch.begins(1);
    watch.reportWait(0, true);
    watch.reportWait(2, true);
    watch.reportProgress(1, "running a step");
    watch.reportDeviceWait(1);
    EXPECT_EQ(checks(ThreadMonitor::kPatience + 2), "rank 1 hangs, while running a step");
}

} // namespace
} // namespace slipway::testing
