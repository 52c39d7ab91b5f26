// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/watchdog.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::testing {
namespace {

class WatchdogTest : public ::testing::Test {
protected:
    Watchdog::Watched collective(std::size_t i)
    {
        begun.resize(std::max(begun.size(), i + 1));
        ended.resize(begun.size());
        return {.begun = [this, i] { return static_cast<bool>(begun[i]); },
            .ended = [this, i] { return static_cast<bool>(ended[i]); }};
    }
    std::vector<bool> begun, ended;
    std::string problem;
    std::vector<std::string> causes;
    Watchdog watchdog{{.timeout = [] { return 10.0; },
        .problem = [this] { return problem; },
        .giveUp = [this](const std::string &cause) { causes.push_back(cause); }}};
};

TEST_F(WatchdogTest, HasPatienceWhileThisRankIsNotThereItself)
{
    watchdog.watch(collective(0));
    for (const Seconds now : {0.0, 100.0, 200.0})
        EXPECT_TRUE(watchdog.check(now));
    begun[0] = true;
    EXPECT_TRUE(watchdog.check(300));
    EXPECT_TRUE(watchdog.check(309));
    ended[0] = true;
    EXPECT_TRUE(watchdog.check(400));
    EXPECT_TRUE(causes.empty());
}

TEST_F(WatchdogTest, GivesUpOnceAfterPeersThatDoNotCome)
{
    watchdog.watch(collective(0));
    begun[0] = true;
    EXPECT_TRUE(watchdog.check(5));
    EXPECT_TRUE(watchdog.check(14));
    EXPECT_FALSE(watchdog.check(16));
    EXPECT_FALSE(watchdog.check(17));
    EXPECT_THAT(causes, ::testing::ElementsAre(::testing::HasSubstr("did not respond within 10 s")));
}

TEST_F(WatchdogTest, CountsFromEachCollectiveAnew)
{
    watchdog.watch(collective(0));
    watchdog.watch(collective(1));
    begun[0] = begun[1] = true;
    EXPECT_TRUE(watchdog.check(0));
    ended[0] = true;
    EXPECT_TRUE(watchdog.check(9));
    EXPECT_TRUE(watchdog.check(18));
    EXPECT_FALSE(watchdog.check(20));
}

TEST_F(WatchdogTest, TellsAtOnceWhatIsKnownToBeWrong)
{
    problem = "rank 3 failed: the disk is full";
    EXPECT_TRUE(watchdog.check(0)) << "nobody waits";
    watchdog.watch(collective(0));
    EXPECT_FALSE(watchdog.check(1));
    EXPECT_THAT(causes, ::testing::ElementsAre(problem));
}

} // namespace
} // namespace slipway::testing
