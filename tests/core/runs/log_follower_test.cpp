// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// metrics.jsonl out of a growing log: every step once, wherever reading breaks off.
#include <fstream>

#include <gmock/gmock.h>

#include "followed_log.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using testing::FollowedLog;
using ::testing::HasSubstr;

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

TEST_F(FollowedLog, WrittenAnewAtAResumeLosesAndDoublesNoStep)
{
    writeRules("metrics.csv", false, "lightning");
    const std::string head = "epoch,step,train_loss\n";
    std::ofstream(m_paths.directory / "script.times") << "a 0 0\n";
    writeOwn(head + "0,5,2.5\n0,6,2.25\n0,7,2.0\n", false);
    poll();
    poll(true); // killed
    EXPECT_THAT(steps(), ElementsAre(5, 6, 7));
    std::ofstream(m_paths.directory / "script.times", std::ios::app) << "a 1 47\n";
    // As long as before when it is looked at: only its first lines tell that it is another.
    const std::string again = head + "0,6,1.75\n0,7,1.50\n0,8,1.25\n";
    writeOwn(again, true, false);
    poll();
    EXPECT_THAT(steps(), ElementsAre(5, 6, 7)) << "its clock has not seen it yet";
    writeOwn(again, true);
    poll();
    poll();
    EXPECT_THAT(steps(), ElementsAre(5, 6, 7, 6, 7)) << "the last one may get more figures";
    poll(true);
    EXPECT_THAT(steps(), ElementsAre(5, 6, 7, 6, 7, 8));
    EXPECT_EQ(metrics()[3].attempt, 1);
    EXPECT_EQ(metrics()[3].loss, 1.75);
}

TEST_F(FollowedLog, WrittenAnewWithMoreColumnsTellsNoStepTwice)
{
    writeRules("metrics.csv", false, "lightning");
    std::ofstream(m_paths.directory / "script.times") << "a 0 0\n";
    std::string rows, wider;
    for (int i = 1; i <= 20; ++i) {
        rows += "0," + std::to_string(i) + "," + std::to_string(3.0 / i) + "\n";
        wider += "0," + std::to_string(i) + "," + std::to_string(3.0 / i) + ",\n";
    }
    writeOwn("epoch,step,train_loss\n" + rows, false);
    poll();
    writeOwn("epoch,step,train_loss,val_loss\n" + wider + "0,20,,2.5\n0,21,0.125,\n", true);
    poll();
    poll(true);
    ASSERT_EQ(steps().size(), 21U);
    EXPECT_EQ(steps().back(), 21);
    EXPECT_EQ(metrics()[19].evalLoss, 2.5) << "which only the wider table tells";
}

TEST_F(FollowedLog, WrittenAnewWithEachEvaluationTellsEachStepAndEachEvaluationOnce)
{
    writeRules("metrics.csv", false, "lightning");
    std::ofstream(m_paths.directory / "script.times") << "a 0 0\n";
    std::string rows;
    for (int epoch = 0; epoch < 5; ++epoch) {
        for (int step = 10 * epoch + 1; step <= 10 * epoch + 10; ++step) {
            rows += std::to_string(epoch) + "," + std::to_string(step) + "," + std::to_string(3.0 / step) + ",\n";
            writeOwn("epoch,step,train_loss,val_loss\n" + rows, step % 3 == 0);
            poll();
        }
        rows += std::to_string(epoch) + "," + std::to_string(10 * epoch + 10) + ",," + std::to_string(5 - epoch) + "\n";
        writeOwn("epoch,step,train_loss,val_loss\n" + rows, true);
        poll();
    }
    poll(true);
    ASSERT_EQ(steps().size(), 50U);
    for (std::size_t i = 0; i < 50; ++i) {
        EXPECT_EQ(steps()[i], static_cast<std::int64_t>(i) + 1);
        EXPECT_EQ(metrics()[i].evalLoss.has_value(), i % 10 == 9) << i;
    }
    EXPECT_EQ(metrics()[49].evalLoss, 1);
}

TEST_F(FollowedLog, ReplacedByALongerOneThatBeginsAlikeIsReadOn)
{
    writeRules("train.log", false, {});
    std::string text;
    for (int step = 1; step <= 30; ++step) {
        text += "step " + std::to_string(step) + " loss 2.5\n";
        std::filesystem::remove(m_paths.directory / "script.log"); // another file, with all lines so far
        writeOwn(text, false);
        poll();
        ASSERT_EQ(steps().size(), static_cast<std::size_t>(step));
    }
}

TEST_F(FollowedLog, ReplacedByALongerOneWithTheSameBannerIsReadFromItsStart)
{
    const TemporaryDirectory theirs;
    const std::filesystem::path log = theirs.path() / "train.log";
    writeRules(log.string());
    const std::string banner = "config: " + std::string(1000, '-') + "\n";
    std::ofstream(log) << banner << "step 1 loss 3\nstep 2 loss 2\n";
    poll();
    std::ofstream(log) << banner << "step 3 loss 1.50\nstep 4 loss 1.25\nstep 5 loss 1.00\n";
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(FollowedLog, WrittenAnewBeforeItWasReadIsReadFromWhatTheHostHasKept)
{
    writeRules("train.log", false, {});
    std::ofstream(m_paths.directory / "script.times") << "a 0 0\n";
    const std::string first = "step 1 loss 4\nstep 2 loss 3\n", more = first + "step 3 loss 2\nstep 4 lo";
    writeOwn(first, false);
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2));
    writeOwn(more, false); // nobody looks
    keepOwn(more);
    writeOwn("step 4 loss 1.5\n", false);
    keepOwn("step 4 loss 1.5\n");
    std::ofstream(m_paths.directory / "script.times", std::ios::app) << "a 1 0\n";
    writeOwn("step 4 loss 1.25\nstep 5 loss 1\n", false);
    poll();
    poll();
    ASSERT_THAT(steps(), ElementsAre(1, 2, 3, 4, 4, 5));
    // Its line ends 14 of the 23 bytes that came in the clock's second second.
    EXPECT_EQ(metrics()[2].time,
        toIso8601(std::chrono::system_clock::time_point(std::chrono::milliseconds(m_begin * 1000 + 1608))));
    EXPECT_EQ(metrics()[3].loss, 1.5);
    EXPECT_EQ(metrics()[3].attempt, 0);
    EXPECT_EQ(metrics()[4].attempt, 1);
}

TEST_F(FollowedLog, WaitsForWhatTheHostHasKeptUntilAllOfItHasCome)
{
    writeRules("train.log", false, {});
    const std::string first = "step 1 loss 4\nstep 2 loss 3\n";
    writeOwn(first, false);
    keepOwn(first);
    writeOwn("step 3 loss 2\n", false);
    writeText(m_paths.directory / "script.kept", first.substr(0, 20));
    poll();
    EXPECT_THAT(steps(), ElementsAre());
    writeText(m_paths.directory / "script.kept", first);
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2, 3));
    std::filesystem::remove(m_paths.directory / "script.kept");
    poll(true);
    EXPECT_THAT(steps(), ElementsAre(1, 2, 3));
}

// Lines between the steps, as several ranks print them.
std::string lines(int from, int to)
{
    std::string text;
    for (int line = from; line <= to; ++line)
        text += line % 10 == 0 ? "step " + std::to_string(line / 10) + " | loss 2.5 | lr 3.0e-04\n"
                               : "[rank1] worker " + std::to_string(line) + " is still loading its shard\n";
    return text;
}

// Sanitizers find as much in a tenth of the lines, and take ten times as long for each.
constexpr int kManyLines = std::string_view(SLIPWAY_SANITIZERS).empty() ? 1'000'000 : 100'000;

TEST_F(FollowedLog, OfAMillionLinesIsReadOnceWhileItGrows)
{
    const auto readBytes = [] {
        std::string key;
        std::int64_t bytes = 0;
        std::ifstream("/proc/self/io") >> key >> bytes; // "rchar: ..."
        return bytes;
    };
    constexpr int kLines = kManyLines, kAtOnce = 1000;
    const std::int64_t before = readBytes();
    LogFollower follower(m_paths);
    for (int line = 1; line <= kLines; line += kAtOnce) {
        append(lines(line, line + kAtOnce - 1));
        const Result<bool> more = follower.poll(false);
        ASSERT_TRUE(more) << more.error().message();
        ASSERT_FALSE(*more) << "it has fallen behind at line " << line;
    }
    EXPECT_LT(readBytes() - before, 2 * static_cast<std::int64_t>(m_bytes)) << "each byte is read once";
    const std::vector<std::int64_t> all = steps();
    ASSERT_EQ(all.size(), kLines / 10U);
    for (std::size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(all[i], static_cast<std::int64_t>(i) + 1);
}

TEST_F(FollowedLog, OfAMillionLinesIsReadInPiecesThatMemoryHolds)
{
    std::string text;
    constexpr int kSteps = kManyLines / 5;
    for (int step = 1; step <= kSteps; ++step)
        text += "step " + std::to_string(step) + " loss 2.5\n";
    append(text);
    append(lines(10 * kSteps + 1, 14 * kSteps));
    constexpr auto kPiece = LogFollower::kStepsAtOnce + kMiB / 16; // and no more than a MiB of lines
    std::size_t reported = 0, polls = 0;
    for (bool more = true; more; ++polls) {
        more = LogFollower(m_paths).poll(false).valueOr(false);
        const std::string metrics = readFile(m_paths.metrics(), kGiB).value();
        const auto now = static_cast<std::size_t>(std::count(metrics.begin(), metrics.end(), '\n'));
        EXPECT_LE(now - reported, kPiece);
        reported = now;
    }
    EXPECT_EQ(reported, 14U * kSteps / 10);
    EXPECT_LT(polls, 20U);
    EXPECT_EQ(steps().back(), 14 * kSteps / 10);
}

TEST_F(FollowedLog, ThatIsDamagedSaysWhereOnce)
{
    writeRules("runs", false, {});
    std::string file = readFile(std::string(SLIPWAY_TEST_DATA) + "/logs/events.out.tfevents.1700000000.host").value();
    file[88] ^= 1; // the length of the second record
    writeOwn(file, false);
    poll();
    poll();
    const std::string events = readFile(m_paths.events()).value();
    EXPECT_THAT(events, HasSubstr("the log cannot be read beyond byte 88"));
    EXPECT_EQ(std::count(events.begin(), events.end(), '\n'), 1);
}

TEST_F(FollowedLog, OfRanksThatCutIntoOneAnotherLosesNoStepAndInventsNone)
{
    append("\x1b[32mstep 1 loss 4.0\x1b[0m\nstep 1 loss 4.5\nstep 2 lostep 2 loss 3.0\nss 3.5\n\nstep 3 loss 2.0\n"
           "step 3 loss 2.5\nstep 2 loss 3.5\nstep 4 loss 1.0\n");
    poll(true);
    EXPECT_THAT(steps(), ElementsAre(1, 2, 3, 4));
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

TEST_F(FollowedLog, OfSomebodyElseIsOnlyRead)
{
    const TemporaryDirectory theirs;
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
