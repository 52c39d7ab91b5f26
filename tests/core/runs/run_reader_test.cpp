// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/run_reader.h"

#include <algorithm>
#include <limits>
#include <map>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "predict/predict.h"
#include "run_examples.h"
#include "runs/progress.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;

class Reading : public ::testing::Test {
protected:
    void step(std::int64_t number, int attempt = 0)
    {
        appendText(m_paths.metrics(), toJsonLine(exampleStep(number, attempt)) + "\n");
    }
    RunChange poll()
    {
        const Result<RunChange> change = m_reader.poll();
        EXPECT_TRUE(change) << change.error().message();
        return *change;
    }
    const RunData &run() { return m_reader.run(); }
    std::vector<std::int64_t> steps()
    {
        std::vector<std::int64_t> list;
        for (const StepMetrics &metrics : run().metrics)
            list.push_back(metrics.step);
        return list;
    }

    TemporaryDirectory m_folder;
    RunPaths m_paths{m_folder.path()};
    RunReader m_reader{m_folder.path()};
};

TEST_F(Reading, AnEmptyDirectoryIsADraftWithoutAnything)
{
    poll();
    EXPECT_EQ(run().state(), RunState::Draft);
    EXPECT_TRUE(run().metrics.empty());
    EXPECT_EQ(run().name, m_folder.path().filename());
    EXPECT_FALSE(poll().any());
}

TEST_F(Reading, ADirectoryThatIsNotThereIsAnError)
{
    RunReader reader(m_folder.path() / "nowhere");
    const auto change = reader.poll();
    ASSERT_FALSE(change);
    EXPECT_EQ(change.error().fault, Fault::Input);
}

TEST_F(Reading, BringsEachStepOnceAsItIsWritten)
{
    step(1);
    step(2);
    EXPECT_TRUE(poll().metrics);
    EXPECT_THAT(steps(), ElementsAre(1, 2));
    EXPECT_FALSE(poll().metrics);
    step(3);
    EXPECT_TRUE(poll().metrics);
    EXPECT_EQ(run().metrics[2], exampleStep(3));
}

TEST_F(Reading, ALaterAttemptTakesTheStepsThatItRepeats)
{
    for (int i = 1; i <= 5; ++i)
        step(i);
    step(4, 1); // resumed from the checkpoint of step 3
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(run().metrics[3].attempt, 1);
    ASSERT_EQ(run().superseded.size(), 2U);
    EXPECT_EQ(run().superseded[1].step, 5);
    step(5, 1);
    step(6, 1);
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(Reading, SkipsALineThatACrashCutAndReportsIt)
{
    step(1);
    appendText(m_paths.metrics(), toJsonLine(exampleStep(2)).substr(0, 40));
    poll();
    EXPECT_THAT(steps(), ElementsAre(1)); // may still be written
    EXPECT_EQ(run().problemCount, 0);
    appendText(m_paths.metrics(), "\n");
    step(2, 1);
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2));
    ASSERT_EQ(run().problemCount, 1);
    EXPECT_EQ(run().problems[0], (ReadProblem{.file = "metrics.jsonl", .line = 2, .what = run().problems[0].what}));
}

TEST_F(Reading, ReportsOnceThatTheLastLineOfAnEndedRunIsCut)
{
    step(1);
    appendText(m_paths.metrics(), toJsonLine(exampleStep(2)).substr(0, 40));
    poll();
    EXPECT_EQ(run().problemCount, 0);
    writeText(m_paths.exitStatus(), "137\n");
    poll();
    poll();
    EXPECT_THAT(steps(), ElementsAre(1));
    ASSERT_EQ(run().problemCount, 1);
    EXPECT_EQ(run().problems[0], (ReadProblem{.file = "metrics.jsonl", .line = 2, .what = "the line is cut short"}));
}

TEST_F(Reading, FindsTheLineThatANextAttemptAppendedToACutOne)
{
    step(1);
    appendText(m_paths.metrics(), toJsonLine(exampleStep(2)).substr(0, 40));
    step(2, 1);
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2));
    EXPECT_EQ(run().metrics[1].attempt, 1);
    EXPECT_EQ(run().problemCount, 1);
}

TEST_F(Reading, SurvivesZerosAndGarbageAfterAPowerCut)
{
    step(1);
    appendText(m_paths.metrics(), std::string(500, '\0') + "\n\xff\xfe\n[]\n");
    step(2);
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2));
    EXPECT_EQ(run().problemCount, 3);
}

// Long enough to be read in several pieces by several threads.
TEST_F(Reading, ALongFileSaysWhatItsLinesSayOneByOne)
{
    std::map<std::int64_t, StepMetrics> expected;
    std::int64_t problems = 0, superseded = 0;
    std::string text;
    const auto write = [&](std::int64_t number, int attempt) {
        StepMetrics metrics = exampleStep(number, attempt);
        metrics.mfu = 1.0 / static_cast<double>(number);
        if (number % 1009 == 0)
            metrics.loss = std::numeric_limits<double>::infinity();
        std::string line = toJsonLine(metrics);
        if (number % 1013 == 0) // not for the fast reader
            line.insert(1, R"("later":"\u00fc \"x\"",)");
        superseded += expected.contains(number) ? 1 : 0;
        expected[number] = metrics;
        text += line + "\n";
        if (number % 997 == 0) {
            text += "\x01{\"step\":\n";
            ++problems;
        }
    };
    for (std::int64_t number = 1; number <= 15'000; ++number)
        write(number, 0);
    text += toJsonLine(exampleStep(15'001)).substr(0, 100);
    ++problems;
    for (std::int64_t number = 14'001; number <= 25'000; ++number)
        write(number, 1);
    ASSERT_GT(text.size(), std::size_t{4} << 20);
    writeText(m_paths.metrics(), text + toJsonLine(exampleStep(25'001)).substr(0, 50));
    EXPECT_EQ(poll().metricsFrom, 0U);
    ASSERT_EQ(run().metrics.size(), expected.size());
    auto row = run().metrics.begin();
    for (const auto &[number, metrics] : expected) {
        ASSERT_EQ(toJsonLine(*row), toJsonLine(metrics));
        ++row;
    }
    EXPECT_EQ(run().problemCount, problems);
    EXPECT_EQ(run().problems[1].line, 2 * 997 + 2); // the first one took a line, too
    EXPECT_EQ(static_cast<std::int64_t>(run().superseded.size()), superseded);
}

TEST_F(Reading, KeepsNoMoreThanSomeProblemsButCountsAll)
{
    for (int i = 0; i < 1000; ++i)
        appendText(m_paths.metrics(), "garbage\n");
    poll();
    EXPECT_EQ(run().problemCount, 1000);
    EXPECT_EQ(run().problems.size(), RunReader::kMostProblems);
}

TEST_F(Reading, BeginsAnewWhenMetricsAreTruncated)
{
    step(1);
    step(2);
    poll();
    writeText(m_paths.metrics(), "");
    step(1);
    EXPECT_TRUE(poll().restarted);
    EXPECT_THAT(steps(), ElementsAre(1));
}

TEST_F(Reading, BringsEventsAndLogs)
{
    const RunEvent event{.time = utcNow(), .kind = "checkpoint", .message = "step 5", .step = 5};
    appendText(m_paths.events(), toJsonLine(event) + "\n");
    appendText(m_paths.outLog(), "hello ");
    const RunChange change = poll();
    EXPECT_TRUE(change.events);
    EXPECT_EQ(change.logText, "hello ");
    EXPECT_THAT(run().events, ElementsAre(event));
    appendText(m_paths.outLog(), "again\n");
    EXPECT_EQ(poll().logText, "again\n");
}

TEST_F(Reading, SeesTheEndWithAllThatWasWrittenBefore)
{
    step(1);
    writeText(m_paths.exitStatus(), "0\n");
    EXPECT_TRUE(poll().status);
    EXPECT_EQ(run().state(), RunState::Succeeded);
    EXPECT_THAT(steps(), ElementsAre(1));
}

TEST_F(Reading, ReadsTheConfigurationAndAgainWhenItChanges)
{
    writeText(m_paths.config(), "name: first\nsteps: 50\n");
    EXPECT_TRUE(poll().config);
    ASSERT_TRUE(run().config) << run().problems.at(0).what;
    EXPECT_EQ(run().name, "first");
    EXPECT_EQ(run().totalSteps(), 50);
    EXPECT_EQ(run().configText, "name: first\nsteps: 50\n");
    writeText(m_paths.config(), "name: first\nsteps: 60\n");
    std::filesystem::last_write_time(
        m_paths.config(), std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    EXPECT_TRUE(poll().config);
    EXPECT_EQ(run().totalSteps(), 60);
}

TEST_F(Reading, ShowsARunWhoseConfigurationIsDamaged)
{
    writeText(m_paths.config(), "micro_batch: [\n");
    step(1);
    poll();
    EXPECT_FALSE(run().config);
    EXPECT_EQ(run().problems.at(0).file, "run.yaml");
    EXPECT_THAT(steps(), ElementsAre(1));
}

TEST_F(Reading, ReadsThePredictionBack)
{
    const Prediction prediction = examplePrediction();
    writeText(m_paths.prediction(), toJson(prediction).dump());
    poll();
    ASSERT_TRUE(run().prediction) << run().problems.at(0).what;
    EXPECT_EQ(run().prediction->memory.peakAllocated, prediction.memory.peakAllocated);
    EXPECT_EQ(run().prediction->speed.step, prediction.speed.step);
    EXPECT_EQ(run().prediction->cost.usdPerHour, prediction.cost.usdPerHour);
}

TEST_F(Reading, ReportsAPredictionThatIsDamaged)
{
    writeText(m_paths.prediction(), "{\"version\": 1, \"memory\":");
    poll();
    EXPECT_FALSE(run().prediction);
    EXPECT_EQ(run().problems.at(0).file, "prediction.json");
}

std::string repeated(std::string_view part, std::size_t count)
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += part;
    return text;
}

// Such a line ended every program that read the folder, at each start again.
TEST_F(Reading, SkipsALineThatNestsVeryDeepAndReportsIt)
{
    const std::string open = repeated("[", 30'000), close = repeated("]", 30'000);
    step(1);
    appendText(m_paths.metrics(), repeated("[", 120'000) + "\n");
    appendText(m_paths.metrics(), R"({"v":1,"step":2,"loss":)" + open + close + "}\n");
    appendText(m_paths.metrics(), R"({"v":1,"step":2,"loss":1,"phases":)" + repeated("{\"a\":", 10'000) + "\n");
    step(3);
    appendText(m_paths.events(), R"({"v":1,"kind":"x","message":)" + open + close + "}\n");
    writeText(
        m_paths.prediction(), R"({"version":1,"memory":)" + repeated("[", 500'000) + repeated("]", 500'000) + "}");
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 3));
    EXPECT_EQ(run().problemCount, 5);
    EXPECT_EQ(run().problems.at(0).file, "prediction.json");
    EXPECT_EQ(
        run().problems.at(1), (ReadProblem{.file = "metrics.jsonl", .line = 2, .what = "is larger than 65536 bytes"}));
    EXPECT_EQ(run().problems.at(2).what, "has arrays and objects more than 8 deep");
    EXPECT_EQ(run().problems.at(4).file, "events.jsonl");
}

TEST_F(Reading, SkipsALineThatIsLongerThanALineMayBeAndReportsIt)
{
    const std::string line = toJsonLine(exampleStep(2));
    const auto padded = [&](std::size_t size) { return line + std::string(size - line.size(), ' ') + "\n"; };
    step(1);
    appendText(m_paths.metrics(), padded(64 * 1024));
    appendText(m_paths.metrics(), padded(64 * 1024 + 1));
    for (int piece = 0; piece < 5; ++piece) { // of an endless line little is kept
        appendText(m_paths.metrics(), std::string(3'000'000, 'x'));
        poll();
    }
    appendText(m_paths.metrics(), "\n");
    step(3);
    poll();
    EXPECT_THAT(steps(), ElementsAre(1, 2, 3));
    EXPECT_EQ(run().problemCount, 2);
    EXPECT_EQ(run().problems.at(1).line, 4);
}

TEST_F(Reading, TakesNoMoreGpusThanAMachineHas)
{
    StepMetrics metrics = exampleStep(1);
    metrics.gpus.assign(2000, {.utilisation = 50.0});
    appendText(m_paths.metrics(), toJsonLine(metrics) + "\n");
    poll();
    EXPECT_EQ(run().metrics[0].gpus.size(), kMostGpus);
}

TEST_F(Reading, LeavesOutWhatIsOverItsLimitsAndReportsItOnce)
{
    for (int i = 1; i <= 100; ++i)
        step(i);
    for (int i = 1; i <= 50; ++i)
        appendText(m_paths.events(), R"({"kind":"evaluation"})"
                                     "\n");
    RunReader few(m_folder.path(), RunReader::Extent::Whole, {.values = 9 * 8 * 100, .superseded = 10, .events = 20});
    ASSERT_TRUE(few.poll());
    EXPECT_EQ(few.run().metrics.size(), 100U);
    EXPECT_EQ(few.run().events.size(), 20U);
    EXPECT_EQ(few.run().problemCount, 1);
    for (int i = 1; i <= 100; ++i)
        step(i, 1);
    ASSERT_TRUE(few.poll());
    EXPECT_EQ(few.run().superseded.size(), 10U);
    EXPECT_EQ(few.run().problemCount, 2);
    for (int i = 101; i <= 2000; ++i)
        step(i, 1);
    ASSERT_TRUE(few.poll());
    step(2001, 1);
    ASSERT_TRUE(few.poll());
    EXPECT_LT(few.run().metrics.size(), 2000U);
    EXPECT_EQ(few.run().problemCount, 3);
}

TEST_F(Reading, ReadsNoMoreInOnePollThanItsLimitAndTheRestInTheNextOnes)
{
    std::string text;
    for (int i = 1; text.size() < (std::size_t{5} << 20); ++i)
        text += toJsonLine(exampleStep(i)) + "\n";
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    writeText(m_paths.metrics(), text);
    RunReader slow(m_folder.path(), RunReader::Extent::Whole, {.perPoll = 2 * kMiB});
    std::vector<bool> more;
    do
        more.push_back(slow.poll()->more);
    while (more.back() && more.size() < 10);
    EXPECT_EQ(more.size(), 3U);
    EXPECT_EQ(slow.run().metrics.size(), lines);
    EXPECT_EQ(readRun(m_folder.path())->metrics.size(), lines);
}

TEST_F(Reading, StaysAtTheEndOfALogThatGrowsFasterThanItIsRead)
{
    appendText(m_paths.outLog(), std::string(3 << 20, 'a') + "end\n");
    const std::string text = poll().logText;
    EXPECT_TRUE(text.starts_with("[2.0 MiB of the log are left out here]\n")) << text.substr(0, 60);
    EXPECT_TRUE(text.ends_with("aend\n"));
    EXPECT_LT(text.size(), std::size_t{2} << 20);
    appendText(m_paths.outLog(), "next\n");
    EXPECT_EQ(poll().logText, "next\n");
}

// What a fetched folder could hold in their place: a pipe would hold the program up, a link would show another file.
TEST_F(Reading, ReadsNeitherLinksNorPipesInThePlaceOfItsFiles)
{
    const TemporaryDirectory elsewhere;
    writeText(elsewhere.path() / "secret", "name: secret\n");
    std::filesystem::create_symlink(elsewhere.path() / "secret", m_paths.config());
    ASSERT_EQ(::mkfifo(m_paths.prediction().c_str(), 0600), 0);
    ASSERT_EQ(::mkfifo(m_paths.errLog().c_str(), 0600), 0);
    step(1);
    poll();
    EXPECT_EQ(run().configText, "");
    EXPECT_FALSE(run().config);
    ASSERT_EQ(run().problemCount, 2);
    EXPECT_EQ(run().problems[0].what, "is a symbolic link");
    EXPECT_THAT(run().problems[1].what, ::testing::HasSubstr("is a pipe"));
    EXPECT_EQ(lastErrors(m_paths, 5), "");
    std::filesystem::create_symlink(elsewhere.path() / "secret", m_paths.outLog());
    EXPECT_FALSE(m_reader.poll());
}

TEST_F(Reading, TheEndsOfARunHaveItsLatestStepThoughDamagedLinesFollowIt)
{
    for (std::int64_t number = 1; number <= 30; ++number)
        step(number);
    for (const int lines : {100, 1'000}) { // in all 1.3 MB, then 14.3 MB
        std::string damaged;
        for (int line = 0; line < lines; ++line)
            damaged += "not a metric" + std::string(13'000, ' ') + "\n";
        appendText(m_paths.metrics(), damaged);
        const Result<RunData> ends = readRun(m_folder.path(), RunReader::Extent::Ends);
        ASSERT_TRUE(ends) << ends.error().message();
        ASSERT_FALSE(ends->metrics.empty());
        EXPECT_EQ(ends->metrics.back().step, 30) << lines;
    }
}

TEST_F(Reading, TheEndsOfALongRunHaveTheThroughputOfAllOfIt)
{
    std::string text; // 20 MB: the end has too few steps at first
    for (std::int64_t number = 1; number <= 3'000; ++number) {
        StepMetrics metrics = exampleStep(number);
        metrics.tokensPerSecond = static_cast<double>(number);
        metrics.expertShares.assign(512, 0.123456789);
        text += toJsonLine(metrics) + "\n";
    }
    writeText(m_paths.metrics(), text);
    const Result<RunData> ends = readRun(m_folder.path(), RunReader::Extent::Ends), whole = readRun(m_folder.path());
    ASSERT_TRUE(ends && whole);
    ASSERT_LT(ends->metrics.size(), whole->metrics.size());
    EXPECT_EQ(summaryOf(*ends).steadyTokensPerSecond, summaryOf(*whole).steadyTokensPerSecond);
    EXPECT_EQ(summaryOf(*ends).finalLoss, summaryOf(*whole).finalLoss);
}

TEST_F(Reading, TheLastErrorsAreTheLastLinesHoweverLongTheLogIs)
{
    EXPECT_EQ(lastErrors(m_paths, 2), "");
    writeText(m_paths.errLog(), "one\ntwo\nthree\n\n");
    EXPECT_EQ(lastErrors(m_paths, 2), "two\nthree");
    EXPECT_EQ(lastErrors(m_paths, 9), "one\ntwo\nthree");
    appendText(m_paths.errLog(), std::string(1'000'000, 'x') + "\nend\n");
    EXPECT_EQ(lastErrors(m_paths, 1), "end");
    EXPECT_LT(lastErrors(m_paths, 2).size(), 100'000U);
}

} // namespace
} // namespace slipway
