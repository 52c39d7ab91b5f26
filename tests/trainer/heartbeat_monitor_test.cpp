// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/heartbeat_monitor.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/rendezvous.h"

namespace slipway::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Rank 1 of three, that sees what the test sets.
class HeartbeatMonitorTest : public ::testing::Test {
protected:
    // False once it was to end. The others live on but for `stopped`.
    bool checks(int count, int stopped = -1)
    {
        bool continues = true;
        for (int i = 0; i < count; ++i) {
            for (int rank = 0; rank < 3; ++rank)
                seen.beats[static_cast<std::size_t>(rank)] += rank != stopped;
            continues = monitor.check();
        }
        return continues;
    }
    // This rank gets on all the while.
    bool worksFor(int count, int stopped = -1)
    {
        bool continues = true;
        for (int i = 0; i < count; ++i) {
            monitor.reportProgress("reading the checkpoint");
            continues = checks(1, stopped);
        }
        return continues;
    }

    HeartbeatMonitor::Heartbeats seen{.beats = {0, 0, 0}, .failure = {}};
    bool answered = true;
    std::vector<std::string> told, ends;
    HeartbeatMonitor monitor{1, {.exchange = [this] { return answered ? std::optional(seen) : std::nullopt; },
                                    .report = [this](const std::string &cause) { told.push_back(cause); },
                                    .end = [this](const std::string &cause) { ends.push_back(cause); }}};
};

TEST_F(HeartbeatMonitorTest, LetsEachRankTakeItsTimeAsLongAsItGetsOn)
{
    EXPECT_TRUE(worksFor(100 * HeartbeatMonitor::kPatience));
    monitor.reportWait(true);
    EXPECT_TRUE(checks(100 * HeartbeatMonitor::kPatience)) << "for others, which get on";
    EXPECT_THAT(told, IsEmpty());
}

TEST_F(HeartbeatMonitorTest, EndsARankThatDoesNotGetOnAndSaysWhatItDid)
{
    worksFor(3);
    EXPECT_TRUE(checks(HeartbeatMonitor::kPatience));
    EXPECT_THAT(told, IsEmpty());
    EXPECT_TRUE(checks(HeartbeatMonitor::kGrace)) << "others hear of it";
    EXPECT_FALSE(checks(1));
    EXPECT_FALSE(checks(1));
    EXPECT_THAT(told, ElementsAre("rank 1 hangs before its first step, while reading the checkpoint"));
    EXPECT_EQ(ends, told) << "once";
}

// By itself the monitor of the test checks once a second.
TEST_F(HeartbeatMonitorTest, GivesALibraryItsOwnTimeToLoadAndTheNextWorkTheUsual)
{
    monitor.reportProgress("loading NCCL", 120);
    EXPECT_TRUE(checks(120 + 1)) << "the first check sees the step";
    EXPECT_THAT(told, IsEmpty());
    checks(1);
    EXPECT_THAT(told, ElementsAre("rank 1 hangs before its first step, while loading NCCL"));
}

TEST_F(HeartbeatMonitorTest, ExpectsWhatFollowsALibraryAsFastAsEver)
{
    monitor.reportProgress("loading NCCL", 120);
    EXPECT_TRUE(checks(100));
    monitor.reportProgress("reading the checkpoint");
    EXPECT_TRUE(checks(HeartbeatMonitor::kPatience + 1));
    EXPECT_THAT(told, IsEmpty());
    checks(1);
    EXPECT_THAT(told, ElementsAre("rank 1 hangs before its first step, while reading the checkpoint"));
}

TEST_F(HeartbeatMonitorTest, EndsARankThatWaitsForOneThatWasStopped)
{
    monitor.reportWait(true);
    EXPECT_TRUE(checks(3));
    EXPECT_FALSE(checks(HeartbeatMonitor::kPatience + HeartbeatMonitor::kGrace + 1, 2));
    EXPECT_THAT(
        ends, ElementsAre("rank 2 does not run before its first step: it was stopped, or its machine was lost"));
}

TEST_F(HeartbeatMonitorTest, EndsARankToWhichNobodyAnswersAnyMore)
{
    monitor.reportWait(true);
    checks(3);
    answered = false;
    EXPECT_FALSE(checks(HeartbeatMonitor::kPatience + HeartbeatMonitor::kGrace + 1));
    EXPECT_THAT(ends, ElementsAre("the rendezvous store does not answer: rank 0 was stopped, or its machine was lost"));
}

TEST_F(HeartbeatMonitorTest, CountsNoLookThatWasNotAnsweredAgainstOthers)
{
    monitor.reportWait(true);
    checks(1);
    for (int i = 0; i < 100; ++i) {
        answered = i % 10 == 0;
        EXPECT_TRUE(checks(1, i % 20 == 0 ? 2 : -1));
    }
}

TEST_F(HeartbeatMonitorTest, EndsWhoDoesNotHeedAFailureThatItWasTold)
{
    monitor.ready();
    EXPECT_TRUE(checks(10));
    seen.failure = "rank 0 failed: disk full";
    EXPECT_TRUE(checks(HeartbeatMonitor::kGrace));
    EXPECT_FALSE(checks(1));
    EXPECT_THAT(told, IsEmpty()) << "they know";
    EXPECT_THAT(ends, ElementsAre("rank 0 failed: disk full"));
}

TEST_F(HeartbeatMonitorTest, LeavesAloneWhoIsReadyForTheFirstStep)
{
    worksFor(2);
    monitor.ready();
    EXPECT_TRUE(checks(10 * HeartbeatMonitor::kPatience, 2));
    answered = false;
    EXPECT_TRUE(checks(10 * HeartbeatMonitor::kPatience));
}

// A beat may have been shown just after a check, and the first check that could see it just before.
TEST(HeartbeatMonitorTimes, FindWhoHangsAndEndAllWithinThirtySeconds)
{
    const Seconds found = HeartbeatMonitor::secondsOf(HeartbeatMonitor::kPatience + 3, Rendezvous{}.startTimeout),
                  ends = HeartbeatMonitor::secondsOf(HeartbeatMonitor::kGrace + 1, Rendezvous{}.startTimeout);
    EXPECT_LE(found, Rendezvous{}.startTimeout);
    EXPECT_LT(found + ends + deadline::kGrace + deadline::kToEnd, deadline::kAll);
}

} // namespace
} // namespace slipway::testing
