// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the window says of a run: its row in the list, its figures and why it failed.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "base/text.h"
#include "support/edit_steps.h"
#include "support/temporary_directory.h"
#include "ui/examples.h"
#include "ui/measured_run.h"
#include "ui/runs/run_display.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

RunData runOf(std::int64_t steps, RunState state)
{
    RunData run;
    run.name = "example";
    run.status.state = state;
    run.config = RunConfig{};
    run.config->training.steps = 200;
    run.prediction = ui::examplePrediction({.microBatch = 8});
    for (std::int64_t step = 1; step <= steps; ++step) {
        run.metrics.push_back({.step = step,
            .tokens = step * 8192,
            .time = toIso8601(std::chrono::system_clock::time_point(std::chrono::seconds(step))),
            .stepSeconds = 0.5,
            .tokensPerSecond = 16384,
            .loss = 10.0 / static_cast<double>(step)});
    }
    return run;
}

TEST(RunDisplay, TellsProgressSpeedLossAndTimeLeft)
{
    const RunRow row = runRow(entryOf("example", runOf(50, RunState::Running)));
    EXPECT_EQ(row.steps, QStringLiteral("50 / 200"));
    EXPECT_DOUBLE_EQ(row.fraction, 0.25);
    EXPECT_EQ(row.tokensPerSecond, QStringLiteral("16.4K"));
    EXPECT_EQ(row.loss, QStringLiteral("0.221"));           // the mean of 10/41 to 10/50, as on the card
    EXPECT_EQ(row.remaining, QStringLiteral("1 min 15 s")); // 150 x 0.5 s
}

TEST(RunDisplay, PutsThePredictedBandBehindTheMeasuredPoints)
{
    const RunDisplay view =
        runDisplay(runOf(50, RunState::Running), std::chrono::system_clock::time_point(std::chrono::seconds(51)));
    const PredictedBand &speed = view.bands.at(Quantity::TokensPerSecond);
    EXPECT_DOUBLE_EQ(speed.middle, 16384);
    EXPECT_DOUBLE_EQ(*speed.low, 8192 / 0.8);
    EXPECT_DOUBLE_EQ(*speed.high, 8192 / 0.4);
    EXPECT_EQ(view.series->size(), 50u);
    EXPECT_EQ(view.figures.at(1).source, Source::Measured);
    EXPECT_EQ(view.figures.at(1).detail, QStringLiteral("median 16.4K, predicted 16.4K"));
}

TEST(RunDisplay, MarksWhereAnAttemptBegan)
{
    RunData run = runOf(10, RunState::Running);
    for (std::size_t i = 6; i < 10; ++i)
        editSteps(run.metrics, [&](auto &rows) { rows[i].attempt = 1; });
    const RunDisplay view = runDisplay(run, {});
    ASSERT_EQ(view.restarts.size(), 1u);
    EXPECT_EQ(view.restarts[0].step, 7);
}

TEST(RunDisplay, OfARunWithoutAStepHasDashesAndNoNumbers)
{
    const RunRow row = runRow(entryOf("example", runOf(0, RunState::Queued)));
    EXPECT_EQ(row.loss, QStringLiteral("–"));
    EXPECT_EQ(row.steps, QStringLiteral("0 / 200"));
}

TEST(RunDisplay, GivesRunsOfOneNameThoseOfTheirDirectories)
{
    const RunData run = runOf(1, RunState::Succeeded);
    std::vector<RunRow> rows{runRow(entryOf("example", run)), runRow(entryOf("example-2", run))};
    disambiguateNames(rows);
    EXPECT_EQ(rows[0].name, QStringLiteral("example"));
    EXPECT_EQ(rows[1].name, QStringLiteral("example-2"));
    rows = {runRow(entryOf("example-2", run))};
    disambiguateNames(rows);
    EXPECT_EQ(rows[0].name, QStringLiteral("example-2")) << "with its number, as in its reports";
}

TEST(RunDisplay, ARunThatWasRenamedHasItsNewName)
{
    RunData run = runOf(1, RunState::Succeeded);
    const auto shown = [&run](const std::string &folder) {
        run.paths = {"/runs/" + folder};
        run.name = "my run";
        const QString inHead = runDisplay(run, summaryOf(run), {}, {}, {}).name;
        const RunEntry entry = entryOf(folder, run);
        EXPECT_EQ(runRow(entry).name, inHead);
        return inHead.toStdString();
    };
    EXPECT_EQ(shown("my-run"), "my run");
    EXPECT_EQ(shown("my-run-2"), "my run-2");
    EXPECT_EQ(shown("thesis"), "thesis");
    EXPECT_EQ(shown("my-run-final"), "my-run-final");
}

TEST(RunDisplayTest, NamesTheKindOfPeakAndPredictsTheSameKind)
{
    const auto memory = [](const RunData &run) { return viewOf(run)->figures[4]; };
    const auto predicted = [](Bytes bytes) { return ::testing::HasSubstr(formatBytes(bytes)); };
    RunData run = measuredRun(3);
    const Bytes ofDevice = run.prediction->memory.peak, allocated = run.prediction->memory.peakAllocated;
    editSteps(run.metrics, [](auto &rows) {
        for (StepMetrics &step : rows) {
            step.allocatedPeak = 2 * kGiB;
            step.deviceUsed = 3 * kGiB;
        }
    });
    EXPECT_EQ(memory(run).label, QStringLiteral("Peak memory"));
    EXPECT_EQ(memory(run).value, QStringLiteral("3.0 GiB"));
    EXPECT_THAT(memory(run).detail.toStdString(), predicted(ofDevice));
    editSteps(run.metrics, [](auto &rows) {
        for (StepMetrics &step : rows)
            step.deviceUsed = std::nullopt;
    });
    EXPECT_EQ(memory(run).label, QStringLiteral("Peak allocated"));
    EXPECT_EQ(memory(run).value, QStringLiteral("2.0 GiB"));
    EXPECT_THAT(memory(run).detail.toStdString(), predicted(allocated));
    RunData begun = measuredRun(0);
    EXPECT_EQ(memory(begun).label, QStringLiteral("Peak memory"));
    EXPECT_THAT(memory(begun).detail.toStdString(), predicted(ofDevice));
    begun.config->gpu = "cpu";
    EXPECT_EQ(memory(begun).label, QStringLiteral("Peak allocated"));
    EXPECT_THAT(memory(begun).detail.toStdString(), predicted(allocated));
}

TEST(RunDisplayTest, TellsTheThroughputOfTheLastStepsWhileARunGoesOn)
{
    RunData run = measuredRun(200);
    editSteps(run.metrics, [](auto &rows) {
        for (std::size_t i = 120; i < rows.size(); ++i) {
            rows[i].stepSeconds = 2;
            rows[i].tokensPerSecond = 4096;
        }
    });
    run.config->microBatch = 8;
    run.config->seqLen = 1024;
    EXPECT_EQ(viewOf(run)->figures[1].value, qs(formatCount(4096)));
    run.status = {.state = RunState::Succeeded, .exitStatus = 0};
    EXPECT_EQ(viewOf(run)->figures[1].value, qs(formatCount(8192))) << "afterwards, of all of it";
}

TEST(RunDisplayTest, OfAFailedRunSaysWhyInItsOwnWords)
{
    const TemporaryDirectory folder;
    RunData run = measuredRun(3);
    run.paths = {folder.path()};
    run.status = {.state = RunState::Failed, .exitStatus = 3};
    EXPECT_TRUE(viewOf(run)->failure.contains(QStringLiteral("exit status 3 and without an error message")));
    writeText(run.paths.errLog(), "a warning\nslipway-train: out of memory\n");
    EXPECT_EQ(viewOf(run)->failure,
        QStringLiteral("The run ended with exit status 3: a warning\nslipway-train: out of memory"));
    run.events = {
        {.kind = "fault", .message = "earlier"}, {.kind = "resumed"}, {.kind = "fault", .message = "rank 1 is gone"}};
    EXPECT_EQ(viewOf(run)->failure, QStringLiteral("The run ended with exit status 3: rank 1 is gone"));
    run.status = {.state = RunState::Succeeded, .exitStatus = 0};
    EXPECT_EQ(viewOf(run)->failure, QString());
}

TEST(RunDisplayTest, OfAKilledRunNamesTheSignalBeforeWhatItHappenedToSayLast)
{
    const TemporaryDirectory folder;
    RunData run = measuredRun(3);
    run.paths = {folder.path()};
    run.status = {.state = RunState::Failed, .exitStatus = 139, .detail = "killed by signal 11"};
    EXPECT_EQ(viewOf(run)->failure, QStringLiteral("Killed by signal 11."));
    writeText(run.paths.errLog(), "measuring this CPU once\n");
    EXPECT_EQ(viewOf(run)->failure, QStringLiteral("Killed by signal 11\nmeasuring this CPU once"));
    run.events = {{.kind = "fault", .message = "rank 1 is gone"}};
    EXPECT_EQ(viewOf(run)->failure, QStringLiteral("The run ended with exit status 139: rank 1 is gone"));
}

TEST(RunDisplayTest, OfARunOfAnotherToolShowsDashesForWhatIsNotKnown)
{
    RunData run;
    run.status.state = RunState::Succeeded;
    run.metrics.push_back({.step = 40, .loss = 5});
    const std::vector<MetricDisplay> figures = viewOf(run)->figures;
    EXPECT_EQ(figures[0].detail, QStringLiteral("– tokens"));
    EXPECT_EQ(figures[1].value, QStringLiteral("–"));
    EXPECT_EQ(figures[3].label, QStringLiteral("Elapsed time"));
    EXPECT_EQ(figures[3].value, QStringLiteral("–"));
}

TEST(RunDisplayTest, NamesTheThroughputOfTheLastStepsAndTheMedianThatTheListShows)
{
    RunData run = measuredRun(200);
    const MetricDisplay now = viewOf(run)->figures[1];
    EXPECT_EQ(now.label, QStringLiteral("Current throughput"));
    EXPECT_TRUE(now.detail.startsWith(QStringLiteral("median ") + runRow(entryOf("x", run)).tokensPerSecond));
    run.status.state = RunState::Cancelled;
    const MetricDisplay ended = viewOf(run)->figures[1];
    EXPECT_EQ(ended.label, QStringLiteral("Median throughput"));
    EXPECT_EQ(ended.value, runRow(entryOf("x", run)).tokensPerSecond);
}

TEST(RunDisplayTest, NamesStatesAsTheCommandLineDoes)
{
    for (std::size_t i = 0; i < EnumNames<RunState>::names.size(); ++i) {
        const QString name = stateName(static_cast<RunState>(i)).toLower().replace(u' ', u'_');
        EXPECT_EQ(name.toStdString(), EnumNames<RunState>::names[i]);
    }
}

TEST(RunDisplayTest, AlertsAreSentences)
{
    EXPECT_EQ(alertSentence("no step for 2 min 00 s; a step takes 1.0 s"),
        QStringLiteral("No step for 2 min 00 s; a step takes 1.0 s."));
    EXPECT_EQ(alertSentence("It ends."), QStringLiteral("It ends."));
}

} // namespace
} // namespace slipway::ui
