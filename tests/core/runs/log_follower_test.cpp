// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// metrics.jsonl out of a growing log: every step once, wherever reading breaks off.
#include "runs/log_follower.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "support/log_grammar.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FollowedLog : public ::testing::Test {
protected:
    void SetUp() override { writeRules({}); }
    void writeRules(const std::string &attachedTo)
    {
        const ScriptRules rules{.trainer = testing::shippedTrainer(),
            .log = attachedTo,
            .attached = !attachedTo.empty(),
            .tokensPerStep = 1000};
        ASSERT_TRUE(writeScriptRules(m_paths, rules));
        EXPECT_EQ(readScriptRules(m_paths).value().trainer.log, rules.trainer.log);
    }
    // `noted`: the host's clock has seen it.
    void append(const std::string &text, bool noted = true)
    {
        std::ofstream(m_paths.outLog(), std::ios::app) << text;
        m_bytes += text.size();
        m_now += 1;
        if (noted)
            std::ofstream(m_paths.directory / "script.times", std::ios::app)
                << "t " << m_now - 1 << " " << m_now << " " << m_bytes << "\n";
    }
    // Each time by a follower that knows nothing but the files.
    void poll(bool ended = false)
    {
        LogFollower follower(m_paths);
        for (bool more = true; more;) {
            const Result<bool> polled = follower.poll(ended);
            ASSERT_TRUE(polled) << polled.error().message();
            more = *polled;
        }
    }
    std::vector<StepMetrics> metrics()
    {
        std::vector<StepMetrics> list;
        const std::string text = readFile(m_paths.metrics()).valueOr({});
        for (const std::string_view line : split(text, '\n')) {
            if (!line.empty())
                list.push_back(stepMetricsFromJson(line).value());
        }
        return list;
    }
    std::vector<std::int64_t> steps()
    {
        std::vector<std::int64_t> list;
        for (const StepMetrics &step : metrics())
            list.push_back(step.step);
        return list;
    }

    TemporaryDirectory m_folder;
    RunPaths m_paths{m_folder.path()};
    std::size_t m_bytes = 0;
    // The files are written now, so the clock beside them may not be far from it.
    const std::int64_t m_begin =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    std::int64_t m_now = m_begin;
};

TEST_F(FollowedLog, GivesEachStepOnceHoweverItIsCut)
{
    const std::string text = "step 1 loss 4\nstep 2 loss 3\r\nstep 3 loss 2\n";
    for (const char c : text) {
        append(std::string(1, c));
        poll();
    }
    EXPECT_THAT(steps(), ElementsAre(1, 2, 3));
    poll(true);
    EXPECT_THAT(steps(), ElementsAre(1, 2, 3));
}

TEST_F(FollowedLog, CountsALastLineWithoutAnEndWhenTheRunHasEnded)
{
    append("step 1 loss 4\nstep 2 loss 3");
    poll();
    EXPECT_THAT(steps(), ElementsAre(1));
    poll(true);
    EXPECT_THAT(steps(), ElementsAre(1, 2));
}

TEST_F(FollowedLog, WritesAgainWhatWasWrittenAfterTheLastState)
{
    append("step 1 loss 4\n");
    poll();
    const std::string state = readFile(m_paths.directory / "script.state").value();
    append("step 2 loss 3\n");
    poll();
    // As if the process had been killed between the metrics and the state, with a line cut short behind them.
    std::ofstream(m_paths.directory / "script.state") << state;
    std::ofstream(m_paths.metrics(), std::ios::app) << "{\"v\":1,\"st";
    append("step 3 loss 2\n");
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2, 3));
}

TEST_F(FollowedLog, WaitsForTheTimeOfALine)
{
    append("step 1 loss 4\n");
    append("step 2 loss 3\n", false);
    poll();
    EXPECT_THAT(steps(), ElementsAre(1)) << "the host has not noted when the second was written";
    append("step 3 loss 2\n");
    poll();
    ASSERT_THAT(steps(), ElementsAre(1, 2, 3));
    EXPECT_EQ(metrics()[0].time, toIso8601(std::chrono::system_clock::time_point(std::chrono::seconds(m_begin + 1))));
    EXPECT_NEAR(metrics()[2].stepSeconds, 0.5, 0.01) << "two lines came between two looks of the clock";
}

TEST_F(FollowedLog, BeginsAgainAtALaterAttempt)
{
    append("step 1 loss 4\nstep 2 loss 3\nstep 3 loss 2\n");
    poll();
    std::ofstream(m_paths.directory / "script.times", std::ios::app) << "a 1 " << m_bytes << "\n";
    append("step 2 loss 2.5\n");
    poll();
    ASSERT_THAT(steps(), ElementsAre(1, 2, 3, 2));
    EXPECT_EQ(metrics().back().attempt, 1);
}

TEST_F(FollowedLog, PassesOverALineOfTenMegabytes)
{
    append("step 1 loss 4\nstep 2 loss 3 " + std::string(10'000'000, 'x') + " step 7 loss 7\nstep 3 loss 2\n");
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2, 3)) << "the begin of the long one counts";
}

TEST_F(FollowedLog, TellsOnceThatNothingMatches)
{
    std::string text;
    for (int i = 0; i < 300; ++i)
        text += "hello " + std::to_string(i) + "\n";
    append(text);
    poll();
    append(text);
    poll();
    const std::string events = readFile(m_paths.events()).value();
    EXPECT_EQ(std::count(events.begin(), events.end(), '\n'), 1);
    EXPECT_THAT(events, HasSubstr("Seen: 'hello 0', 'hello 1', 'hello 2'"));
}

TEST_F(FollowedLog, HasWhatTheGpusDid)
{
    std::ofstream(m_paths.directory / "script.times", std::ios::app)
        << "g " << m_begin << " 0, 97, 301.5, 61, 40000\ng " << m_begin << " 1, [N/A], 300, 60, 40001\n";
    append("step 1 loss 4\n");
    poll();
    const std::vector<GpuSample> gpus = metrics().at(0).gpus;
    ASSERT_EQ(gpus.size(), 2U);
    EXPECT_EQ(gpus[0].utilisation, 97);
    EXPECT_EQ(gpus[0].powerWatts, 301.5);
    EXPECT_EQ(gpus[0].used, 40000 * kMiB);
    EXPECT_FALSE(gpus[1].utilisation);
}

TEST_F(FollowedLog, OfSomebodyElseIsOnlyRead)
{
    TemporaryDirectory theirs;
    const std::filesystem::path log = theirs.path() / "train.log";
    std::ofstream(log) << "step 1 loss 4\nstep 2 loss 3\n";
    writeRules(log.string());
    poll();
    ASSERT_THAT(steps(), ElementsAre(1, 2));
    EXPECT_EQ(metrics()[1].stepSeconds, 0) << "nobody knows when they were written";
    std::filesystem::remove(log);
    std::ofstream(log) << "step 1 loss 4\n"; // rotated
    poll();
    std::ofstream(log, std::ios::app) << "step 2 loss 3\nstep 3 loss 2\n";
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2, 3));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(theirs.path()), {}), 1);
}

} // namespace
} // namespace slipway
