// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/pulse.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/rendezvous.h"

namespace slipway::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Rank 1 of three, that sees what the test sets.
class PulseTest : public ::testing::Test {
protected:
    // False once it was to end. The others live on but for `stopped`.
    bool looks(int count, int stopped = -1)
    {
        bool goesOn = true;
        for (int i = 0; i < count; ++i) {
            for (int rank = 0; rank < 3; ++rank)
                seen.beats[static_cast<std::size_t>(rank)] += rank != stopped;
            goesOn = pulse.look();
        }
        return goesOn;
    }
    // This rank gets on all the while.
    bool worksFor(int count, int stopped = -1)
    {
        bool goesOn = true;
        for (int i = 0; i < count; ++i) {
            pulse.reportProgress("reading the checkpoint");
            goesOn = looks(1, stopped);
        }
        return goesOn;
    }

    Pulse::Seen seen{.beats = {0, 0, 0}, .failure = {}};
    bool answered = true;
    std::vector<std::string> told, ends;
    Pulse pulse{1, {.exchange = [this] { return answered ? std::optional(seen) : std::nullopt; },
                       .tell = [this](const std::string &cause) { told.push_back(cause); },
                       .end = [this](const std::string &cause) { ends.push_back(cause); }}};
};

TEST_F(PulseTest, LetsEachRankTakeItsTimeAsLongAsItGetsOn)
{
    EXPECT_TRUE(worksFor(100 * Pulse::kPatience));
    pulse.waits(true);
    EXPECT_TRUE(looks(100 * Pulse::kPatience)) << "for others, which get on";
    EXPECT_THAT(told, IsEmpty());
}

TEST_F(PulseTest, EndsARankThatDoesNotGetOnAndSaysWhatItDid)
{
    worksFor(3);
    EXPECT_TRUE(looks(Pulse::kPatience));
    EXPECT_THAT(told, IsEmpty());
    EXPECT_TRUE(looks(Pulse::kGrace)) << "others hear of it";
    EXPECT_FALSE(looks(1));
    EXPECT_FALSE(looks(1));
    EXPECT_THAT(told, ElementsAre("rank 1 hangs before its first step, while reading the checkpoint"));
    EXPECT_EQ(ends, told) << "once";
}

TEST_F(PulseTest, EndsARankThatWaitsForOneThatWasStopped)
{
    pulse.waits(true);
    EXPECT_TRUE(looks(3));
    EXPECT_FALSE(looks(Pulse::kPatience + Pulse::kGrace + 1, 2));
    EXPECT_THAT(ends, ElementsAre("rank 2 does not run before its first step: it was stopped, or its machine is gone"));
}

TEST_F(PulseTest, EndsARankToWhichNobodyAnswersAnyMore)
{
    pulse.waits(true);
    looks(3);
    answered = false;
    EXPECT_FALSE(looks(Pulse::kPatience + Pulse::kGrace + 1));
    EXPECT_THAT(ends, ElementsAre("where all meet nobody answers: rank 0 was stopped, or its machine is gone"));
}

TEST_F(PulseTest, CountsNoLookThatWasNotAnsweredAgainstOthers)
{
    pulse.waits(true);
    looks(1);
    for (int i = 0; i < 100; ++i) {
        answered = i % 10 == 0;
        EXPECT_TRUE(looks(1, i % 20 == 0 ? 2 : -1));
    }
}

TEST_F(PulseTest, EndsWhoDoesNotHeedAFailureThatItWasTold)
{
    pulse.ready();
    EXPECT_TRUE(looks(10));
    seen.failure = "rank 0 failed: disk full";
    EXPECT_TRUE(looks(Pulse::kGrace));
    EXPECT_FALSE(looks(1));
    EXPECT_THAT(told, IsEmpty()) << "they know";
    EXPECT_THAT(ends, ElementsAre("rank 0 failed: disk full"));
}

TEST_F(PulseTest, LeavesAloneWhoIsReadyForTheFirstStep)
{
    worksFor(2);
    pulse.ready();
    EXPECT_TRUE(looks(10 * Pulse::kPatience, 2));
    answered = false;
    EXPECT_TRUE(looks(10 * Pulse::kPatience));
}

// A beat may have been shown just after a look, and the first look that could see it just before.
TEST(PulseTimes, FindWhoHangsAndEndAllWithinThirtySeconds)
{
    const Seconds found = Pulse::secondsOf(Pulse::kPatience + 3, Rendezvous{}.startTimeout),
                  ends = Pulse::secondsOf(Pulse::kGrace + 1, Rendezvous{}.startTimeout);
    EXPECT_LE(found, Rendezvous{}.startTimeout);
    EXPECT_LT(found + ends + deadline::kGrace + deadline::kToEnd, deadline::kAll);
}

} // namespace
} // namespace slipway::testing
