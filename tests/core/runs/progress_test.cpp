// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/attempt_spans.h"
#include "runs/progress.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_examples.h"
#include "runs/run_entry.h"
#include "runs/run_series.h"
#include "support/edit_steps.h"

namespace slipway {
namespace {

TEST(ProgressOf, ARunWithoutStepsIsAtItsBeginning)
{
    const Progress progress = progressOf(exampleRun(0));
    EXPECT_EQ(progress.step, 0);
    EXPECT_EQ(progress.fraction, 0);
    EXPECT_FALSE(progress.remaining);
    EXPECT_EQ(progress.totalSteps, 100);
}

TEST(ProgressOf, CountsTheStepsLeftAtThePaceOfTheLastOnes)
{
    RunData run = exampleRun(40);
    editSteps(run.metrics,
        [&](auto &rows) { rows[39].stepSeconds = 500; }); // one evaluation in a step must not double the time left
    const Progress progress = progressOf(run);
    EXPECT_DOUBLE_EQ(progress.fraction, 0.4);
    EXPECT_DOUBLE_EQ(*progress.remaining, 60);
    EXPECT_EQ(progress.tokens, 40'000);
}

TEST(ProgressOf, SaysNothingOfTheTimeLeftAfterTheFirstStepOfAnAttempt)
{
    RunData run = exampleRun(1);
    EXPECT_FALSE(progressOf(run).remaining);
    run = exampleRun(40);
    run.metrics.push_back(exampleStep(41, 1));
    editSteps(run.metrics, [&](auto &rows) { rows.back().stepSeconds = 1e6; });
    EXPECT_DOUBLE_EQ(*progressOf(run).remaining, 59);
}

TEST(ProgressOf, TheFirstStepsOfAnAttemptDoNotCountForTheTimeLeft)
{
    RunData run = exampleRun(3);
    editSteps(run.metrics, [](auto &rows) {
        for (StepMetrics &step : rows)
            step.stepSeconds = 60;
    });
    EXPECT_FALSE(progressOf(run).remaining);
    EXPECT_EQ(progressOf(run).stepSeconds, 60) << "for alerts, all that is known";
    run.metrics.push_back(exampleStep(4));
    EXPECT_DOUBLE_EQ(*progressOf(run).remaining, 96);
}

TEST(ProgressOf, CountsTheTimeThatEveryThirdStepWaits)
{
    RunData run = exampleRun(60);
    for (std::size_t i = 0; i < 60; i += 3)
        editSteps(run.metrics, [&](auto &rows) { rows[i].stepSeconds = 4.0; });
    EXPECT_NEAR(*progressOf(run).remaining, 40 * 2, 8) << "two seconds a step on the whole, one by the median";
}

TEST(ProgressOf, FollowsAChangeOfPace)
{
    RunData run = exampleRun(90);
    for (std::size_t i = 30; i < 90; ++i)
        editSteps(run.metrics, [&](auto &rows) { rows[i].stepSeconds = 2.0; });
    EXPECT_DOUBLE_EQ(*progressOf(run).remaining, 20);
}

TEST(ProgressOf, TakesTheStepsFromTheTokenBudgetWhereNoneAreGiven)
{
    RunData run = exampleRun(10);
    run.config->training.steps.reset();
    run.config->microBatch = 2;
    run.config->seqLen = 500;
    run.config->tokens = 20'500; // 20 and a half steps of 1000
    EXPECT_EQ(progressOf(run).totalSteps, 21);
    run.config->tokens.reset();
    EXPECT_FALSE(progressOf(run).totalSteps);
    run.prediction = examplePrediction();
    EXPECT_EQ(progressOf(run).totalSteps, 100);
}

TEST(ProgressOf, NeverPassesTheEnd)
{
    const Progress progress = progressOf(exampleRun(120));
    EXPECT_EQ(progress.fraction, 1);
    EXPECT_EQ(*progress.remaining, 0);
}

TEST(SummaryOf, AnEmptyRunHasNoFigures)
{
    const RunSummary summary = summaryOf(exampleRun(0));
    EXPECT_FALSE(summary.steadyTokensPerSecond);
    EXPECT_FALSE(summary.finalLoss);
    EXPECT_EQ(summary.wallSeconds, 0);
}

TEST(SummaryOf, LeavesTheFirstStepsOfEachAttemptOutOfTheSteadySpeed)
{
    RunData run = exampleRun(6);
    for (std::size_t i = 0; i < 3; ++i)
        editSteps(run.metrics, [&](auto &rows) { rows[i].tokensPerSecond = 10; });
    editSteps(run.metrics, [&](auto &rows) { rows[3].tokensPerSecond = 900; });
    editSteps(run.metrics, [&](auto &rows) { rows[4].tokensPerSecond = 1000; });
    editSteps(run.metrics, [&](auto &rows) { rows[5].tokensPerSecond = 1200; });
    EXPECT_DOUBLE_EQ(*summaryOf(run).steadyTokensPerSecond, 1000);
    run.metrics.push_back(exampleStep(7, 1)); // a new attempt warms up again
    editSteps(run.metrics, [&](auto &rows) { rows.back().tokensPerSecond = 1; });
    EXPECT_DOUBLE_EQ(*summaryOf(run).steadyTokensPerSecond, 1000);
}

TEST(SummaryOf, TakesAllStepsWhereThereAreNoOthers)
{
    EXPECT_DOUBLE_EQ(*summaryOf(exampleRun(2)).steadyTokensPerSecond, 1000);
}

TEST(SummaryOf, MedianOfAnEvenNumberIsTheMiddleOfTheTwo)
{
    RunData run = exampleRun(7);
    const double speeds[] = {4, 1, 3, 2};
    for (std::size_t i = 0; i < 4; ++i)
        editSteps(run.metrics, [&](auto &rows) { rows[i + 3].tokensPerSecond = speeds[i]; });
    EXPECT_DOUBLE_EQ(*summaryOf(run).steadyTokensPerSecond, 2.5);
}

TEST(SummaryOf, LossesThatAreNotFiniteAreLeftOut)
{
    RunData run = exampleRun(20);
    editSteps(run.metrics, [&](auto &rows) { rows[19].loss = std::nan(""); });
    const RunSummary summary = summaryOf(run);
    double sum = 0;
    for (int step = 10; step <= 19; ++step)
        sum += 10.0 / step;
    EXPECT_NEAR(*summary.finalLoss, sum / 10, 1e-12);
    EXPECT_DOUBLE_EQ(*summary.firstLoss, 10);
    EXPECT_DOUBLE_EQ(*summary.lowestLoss, 10.0 / 19);
}

TEST(SummaryOf, TheLossIsTheMeanOverTenStepsAndNotOverTenSparsePoints)
{
    RunData run;
    for (const std::int64_t step : {1, 20, 40})
        run.metrics.push_back(exampleStep(step));
    EXPECT_DOUBLE_EQ(*summaryOf(run).finalLoss, 10.0 / 40);
    run.metrics.push_back(exampleStep(45));
    EXPECT_DOUBLE_EQ(*summaryOf(run).finalLoss, (10.0 / 40 + 10.0 / 45) / 2);
}

TEST(SummaryOf, ARunOfAnotherToolWithoutTokensAndTimesHasNone)
{
    RunData run;
    run.status.state = RunState::Succeeded;
    run.metrics.push_back({.step = 1, .loss = 6});
    EXPECT_FALSE(summaryOf(run).tokensKnown());
    EXPECT_FALSE(summaryOf(run).elapsedKnown());
    EXPECT_TRUE(toJson(entryOf("theirs", run))["tokens"].is_null());
    EXPECT_EQ(runEntryFromJson(toJsonText(entryOf("theirs", run)))->tokens, std::nullopt);
    EXPECT_TRUE(summaryOf(exampleRun(1)).tokensKnown());
    EXPECT_TRUE(summaryOf(exampleRun(1)).elapsedKnown());
    EXPECT_EQ(entryOf("new", exampleRun(0)).tokens, 0) << "a run that has not begun";
}

TEST(SummaryOf, TheThroughputIsTheMedianOfTheLastSteps)
{
    RunData run = exampleRun(static_cast<std::int64_t>(kSpeedSteps) * 3);
    editSteps(run.metrics, [](auto &rows) {
        for (std::size_t i = 0; i < 2 * kSpeedSteps; ++i)
            rows[i].tokensPerSecond = 10;
    });
    EXPECT_DOUBLE_EQ(*summaryOf(run).steadyTokensPerSecond, 1000);
}

TEST(SummaryOf, PeaksCountSupersededStepsToo)
{
    RunData run = exampleRun(3);
    editSteps(run.metrics, [&](auto &rows) { rows[1].allocatedPeak = 5 * kGiB; });
    run.superseded.push_back(exampleStep(2));
    run.superseded.back().allocatedPeak = 7 * kGiB;
    EXPECT_EQ(summaryOf(run).peakAllocated, 7 * kGiB);
    EXPECT_FALSE(summaryOf(run).peakReserved);
}

TEST(SummaryOf, WallTimeRunsFromTheStartOfTheFirstStepToTheEndOfTheLast)
{
    RunData run = exampleRun(10);
    run.prediction = examplePrediction();
    const RunSummary summary = summaryOf(run);
    EXPECT_DOUBLE_EQ(summary.wallSeconds, 10);
    EXPECT_DOUBLE_EQ(summary.trainedSeconds, 10);
    EXPECT_DOUBLE_EQ(*summary.usdSoFar, 10);
}

// Two attempts of three steps of a second; the second one repeats the last step of the first, `pause` seconds later.
RunData twoAttempts(std::int64_t pause)
{
    RunData run;
    run.prediction = examplePrediction();
    run.prediction->cost.usdPerHour = 3600;
    const auto add = [&](int attempt, std::int64_t step, std::int64_t second) {
        StepMetrics row = exampleStep(step, attempt);
        row.stepSeconds = 1;
        row.time = toIso8601(exampleStart + std::chrono::seconds(second));
        return row;
    };
    run.superseded = {add(0, 3, 3)};
    for (const auto &[attempt, step, second] :
        {std::tuple<int, std::int64_t, std::int64_t>{0, 1, 1}, {0, 2, 2}, {1, 3, 4 + pause}, {1, 4, 5 + pause}})
        run.metrics.push_back(add(attempt, step, second));
    return run;
}

TEST(SummaryOf, ARestartIsBilledAndAPauseInWhichTheNodeWasGivenBackIsNot)
{
    EXPECT_DOUBLE_EQ(*summaryOf(twoAttempts(60)).usdSoFar, 3 + 60 + 2);
    EXPECT_DOUBLE_EQ(*summaryOf(twoAttempts(86'400)).usdSoFar, 3 + 2);
    EXPECT_DOUBLE_EQ(summaryOf(twoAttempts(86'400)).wallSeconds, 3 + 86'400 + 2);
    EXPECT_EQ(unbilledPauses(twoAttempts(60)), std::vector<UnbilledPause>());
    const std::vector<UnbilledPause> pauses = unbilledPauses(twoAttempts(86'400));
    ASSERT_EQ(pauses.size(), 1U);
    EXPECT_DOUBLE_EQ(pauses[0].until - pauses[0].from, 86'400'000);
    EXPECT_EQ(billedSeconds(RunData{}), 0);
}

TEST(InterruptionsOf, CountWhatIsDoneAgainAndWhatGoesByBetweenAttempts)
{
    RunData run = twoAttempts(60);
    run.prediction->cost.goodput = 0.9;
    const Interruptions lost = interruptionsOf(run);
    EXPECT_EQ(lost.count, 1);
    EXPECT_DOUBLE_EQ(lost.redone, 1); // step 3
    EXPECT_DOUBLE_EQ(lost.between, 60);
    EXPECT_DOUBLE_EQ(*lost.usd, 61);
    EXPECT_DOUBLE_EQ(*lost.goodput, 1 - 61.0 / 65);
    EXPECT_EQ(interruptionsText(lost),
        "1 min 01 s in 1 interruption: 1.0 s of steps done again, 1 min 00 s between attempts; $61.00");
    EXPECT_EQ(goodputText(lost), "6.2 %, planned 90.0 %");
    const Interruptions pause = interruptionsOf(twoAttempts(86'400));
    EXPECT_DOUBLE_EQ(pause.lost(), 86'401) << "of time";
    EXPECT_DOUBLE_EQ(*pause.usd, 1) << "the node was given back meanwhile";
    EXPECT_EQ(interruptionsOf(exampleRun(5)).count, 0);
    EXPECT_EQ(interruptionsText(interruptionsOf(exampleRun(0))), "");
}

TEST(SummaryOf, TheChartsDollarsEndAtWhatTheRunCostSoFar)
{
    for (const std::int64_t pause : {60, 86'400}) {
        const RunData run = twoAttempts(pause);
        const auto series = std::make_shared<RunSeries>();
        series->setUsdPerHour(run.prediction->cost.usdPerHour);
        series->setUnbilled(unbilledPauses(run));
        series->follow(run.metrics, 0);
        EXPECT_DOUBLE_EQ(series->curve({Quantity::Loss}, XAxis::Cost)->range()->to, *summaryOf(run).usdSoFar);
    }
}

TEST(SummaryOf, SetsMeasuredBesidePredicted)
{
    RunData run = exampleRun(10);
    run.prediction = examplePrediction();
    editSteps(run.metrics, [&](auto &rows) { rows[4].allocatedPeak = 40 * kGiB; });
    for (const Comparison &one : summaryOf(run).comparisons) {
        if (one.name == "tokens/s") {
            EXPECT_NEAR(*one.ratio(), 0.9, 1e-12);
            EXPECT_NEAR(*one.predictedP10, 1000 / 1.2, 1e-9);
            EXPECT_NEAR(*one.predictedP90, 1000 / 0.8, 1e-9);
        } else if (one.name == "peak allocated") {
            EXPECT_DOUBLE_EQ(*one.ratio(), 1.0);
        } else if (one.name == "MFU") {
            EXPECT_FALSE(one.ratio());
        }
    }
}

TEST(SummaryOf, TellsTheLossOfTrainingFromThatOfEvaluation)
{
    RunData run = exampleRun(10);
    run.prediction = examplePrediction();
    run.prediction->cost.expectedLoss = 3.0;
    const auto named = [&run](const std::string &name) {
        const std::vector<Comparison> all = summaryOf(run).comparisons;
        return *std::find_if(all.begin(), all.end(), [&](const Comparison &one) { return one.name == name; });
    };
    EXPECT_TRUE(named("final loss").measured);
    EXPECT_EQ(named("final loss").predicted, 3.0);
    EXPECT_FALSE(named("evaluation loss").measured);
    editSteps(run.metrics, [](auto &rows) { rows[9].evalLoss = 3.5; });
    EXPECT_EQ(named("evaluation loss").measured, 3.5);
    EXPECT_EQ(named("evaluation loss").predicted, 3.0) << "a scaling law speaks of text that was not trained on";
    EXPECT_FALSE(named("final loss").predicted);
}

TEST(FromIso8601, ReadsWhatIsWrittenAndNothingElse)
{
    const auto time = exampleStart + std::chrono::milliseconds(1234);
    EXPECT_EQ(fromIso8601(toIso8601(time)), time);
    EXPECT_EQ(fromIso8601("2026-01-02T00:00:00Z"), exampleStart);
    for (const char *text :
        {"", "yesterday", "2026-01-02", "2026-01-02T00:00:00", "2026-01-02T00:00:00.5Z", "2026-01-02T00:00:00.123Zx"})
        EXPECT_FALSE(fromIso8601(text)) << text;
}

TEST(FromIso8601, RefusesYearsThatTheClocksNanosecondsCannotHold)
{
    EXPECT_FALSE(fromIso8601("9999-01-02T00:00:00Z"));
    EXPECT_FALSE(fromIso8601("0001-01-02T00:00:00Z"));
    EXPECT_TRUE(fromIso8601("2261-12-31T23:59:59.999Z"));
}

} // namespace
} // namespace slipway
