// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/thread_watch.h"

#include <ctime>

#include <gtest/gtest.h>

namespace slipway::testing {
namespace {

class ThreadWatchTest : public ::testing::Test {
protected:
    // What the first of so many checks that finds something says.
    std::string checks(int count)
    {
        std::string cause;
        for (int i = 0; i < count && cause.empty(); ++i)
            cause = watch.check();
        return cause;
    }
    ThreadWatch watch{3};
};

TEST_F(ThreadWatchTest, NamesWhoOthersWaitForInVainAndWhatItDid)
{
    watch.waits(0, true);
    watch.waits(2, true);
    watch.reportProgress(1, "running a step");
    EXPECT_EQ(checks(ThreadWatch::kPatience + 1), "");
    EXPECT_EQ(checks(1), "rank 1 hangs, while running a step");
}

TEST_F(ThreadWatchTest, GivesALibraryItsOwnTimeToLoadAndTheNextWorkTheUsual)
{
    watch.waits(0, true);
    watch.reportLoading(1, "loading the libraries for attention");
    watch.waits(2, true);
    EXPECT_EQ(checks(ThreadWatch::kLoadingPatience + 1), "");
    EXPECT_EQ(checks(1), "rank 1 hangs, while loading the libraries for attention");
    watch.reportProgress(1, "allocating the memory of the step");
    EXPECT_EQ(checks(ThreadWatch::kPatience + 1), "");
    EXPECT_EQ(checks(1), "rank 1 hangs, while allocating the memory of the step");
}

TEST_F(ThreadWatchTest, LeavesAloneWhoGetsOn)
{
    watch.waits(0, true);
    watch.waits(2, true);
    for (int i = 0; i < 10; ++i) {
        watch.reportProgress(1, "running a step");
        EXPECT_EQ(checks(ThreadWatch::kPatience), "");
    }
}

TEST_F(ThreadWatchTest, BlamesNobodyWhileNobodyWaits)
{
    EXPECT_EQ(checks(10 * ThreadWatch::kPatience), "");
    watch.waits(0, true);
    EXPECT_EQ(checks(ThreadWatch::kPatience), "") << "patience counts from when somebody waits";
}

TEST_F(ThreadWatchTest, BlamesNobodyWhoWaits)
{
    for (int rank = 0; rank < 3; ++rank)
        watch.waits(rank, true);
    EXPECT_EQ(checks(10 * ThreadWatch::kPatience), "");
}

TEST_F(ThreadWatchTest, NamesWhoDoesNotComeBackFromItsWait)
{
    for (int rank = 0; rank < 3; ++rank)
        watch.waits(rank, true);
    watch.waits(2, false);
    EXPECT_EQ(checks(ThreadWatch::kPatience + 2), "rank 2 hangs, while starting");
}

TEST_F(ThreadWatchTest, LeavesAloneWhoComputesHoweverLong)
{
    watch.begins(1);
    watch.waits(0, true);
    watch.waits(2, true);
    const auto computed = [] { return std::clock(); };
    for (int i = 0; i < 3 * ThreadWatch::kPatience; ++i) {
        for (const std::clock_t before = computed(); computed() == before;) {
        }
        EXPECT_EQ(checks(1), "");
    }
}

TEST_F(ThreadWatchTest, IsNotMisledByWhoWaitsForADevice)
{
    watch.begins(1);
    watch.waits(0, true);
    watch.waits(2, true);
    watch.reportProgress(1, "running a step");
    watch.waitsForDevice(1);
    EXPECT_EQ(checks(ThreadWatch::kPatience + 2), "rank 1 hangs, while running a step");
}

} // namespace
} // namespace slipway::testing
