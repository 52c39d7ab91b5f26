// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/report.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/report/report_section.h"
#include "core/runs/run_examples.h"
#include "report/csv.h"
#include "support/edit_steps.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

void expectWellFormed(const Report &report)
{
    EXPECT_FALSE(report.title.empty());
    EXPECT_FALSE(report.headline.empty());
    for (const ReportSection &section : report.sections) {
        EXPECT_FALSE(section.title.empty());
        for (const ReportTable &table : section.tables) {
            EXPECT_EQ(table.numeric.size(), table.columns.size()) << section.title;
            for (const auto &row : table.rows)
                EXPECT_EQ(row.size(), table.columns.size()) << section.title;
        }
        for (const ReportFigure &figure : section.figures) {
            for (const ReportSeries &series : figure.series) {
                EXPECT_EQ(series.x.size(), series.y.size()) << figure.title;
                EXPECT_TRUE(series.low.empty() || series.low.size() == series.y.size()) << figure.title;
                EXPECT_EQ(series.low.size(), series.high.size()) << figure.title;
            }
        }
    }
}

TEST(PlanReport, IsWellFormedAndAnswersFirst)
{
    const Report report = planReport(examplePrediction());
    expectWellFormed(report);
    EXPECT_EQ(report.headline.rfind("Fits", 0), 0U);
    for (const char *title : {"Memory", "Speed", "Cost", "Origin of these figures", "Configuration"})
        EXPECT_TRUE(section(report, title)) << title;
}

TEST(PlanReport, ListsOnlyChosenSettingsAndAllOfThemInTheAppendix)
{
    Prediction prediction = examplePrediction();
    prediction.config = {};
    prediction.config.microBatch = 12;
    const Report report = planReport(prediction);
    const ReportTable &chosen = section(report, "Configuration")->tables.at(0);
    ASSERT_EQ(chosen.rows.size(), 1u);
    EXPECT_EQ(chosen.rows[0], (std::vector<std::string>{"Step", "micro_batch", "12", "8"}));
    const ReportSection *appendix = section(report, "Appendix: all settings");
    ASSERT_TRUE(appendix);
    EXPECT_TRUE(appendix->newPage);
    EXPECT_EQ(appendix, &report.sections.back());
    EXPECT_GT(appendix->tables.at(0).rows.size(), 20u);
    for (const std::string &column : appendix->tables.at(0).columns)
        EXPECT_FALSE(column.empty());
    EXPECT_EQ(report.subtitle.find("none"), std::string::npos) << report.subtitle;
    prediction.config = {};
    EXPECT_TRUE(section(planReport(prediction), "Configuration")->tables.empty());
}

TEST(RunReport, BeginsWithWhatWasWrittenOnTheRun)
{
    RunData run = exampleRun(10);
    EXPECT_FALSE(section(runReport(run), "Notes"));
    run.config->training.tags = {"baseline", "final"};
    run.config->training.notes = "The first that converged.\nSee the thesis.";
    const Report report = runReport(run);
    expectWellFormed(report);
    ASSERT_EQ(report.sections.front().title, "Notes");
    EXPECT_EQ(report.sections.front().paragraphs,
        (std::vector<std::string>{"The first that converged.", "See the thesis.", "Tags: baseline, final."}));
}

TEST(PlanReport, HasAPageOfOffersWhereThereAreAny)
{
    const Price single{.book = "mine", .gpu = "b", .usdPerGpuHour = 2, .gpus = 1};
    RunConfig config;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 8};
    const Offer runs{.config = config, .gpuName = "Card B", .hours = 10, .cheapest = single},
        skipped{.config = config, .gpuName = "Card C", .skipped = "does not support bf16 GEMMs"};
    const Report report = planReport(examplePrediction(), {}, {runs, skipped});
    expectWellFormed(report);
    const ReportSection *offers = section(report, "Which GPU to rent");
    ASSERT_TRUE(offers);
    EXPECT_TRUE(offers->newPage);
    ASSERT_EQ(offers->tables[0].rows.size(), 2u);
    EXPECT_EQ(offers->tables[0].rows[0][6], "$160.00 mine (listed as single GPUs)");
    EXPECT_EQ(offers->tables[0].rows[1][1], "not planned: does not support bf16 GEMMs");
    EXPECT_FALSE(section(planReport(examplePrediction()), "Which GPU to rent"));
    Prediction here = examplePrediction();
    here.config.gpu = "cpu";
    EXPECT_FALSE(section(planReport(here, {}, {runs}), "Which GPU to rent")) << "this machine is not rented";
}

TEST(PlanReport, BeginsWithTheTimeAndTheCostOfTheTrainingAsFarAsTheyAreKnown)
{
    Prediction prediction = examplePrediction();
    prediction.cost.tokens = 2'000'000'000;
    prediction.cost.hours = 12;
    prediction.cost.usd = 36;
    prediction.cost.usdPerHour = 3;
    EXPECT_TRUE(planReport(prediction).headline.ends_with("tokens/s; 2.00B tokens take 12 h 00 min and cost $36.00."))
        << planReport(prediction).headline;
    prediction.cost.usd = {};
    prediction.cost.usdPerHour = {};
    const Report report = planReport(prediction);
    EXPECT_TRUE(report.headline.ends_with("tokens/s; 2.00B tokens take 12 h 00 min.")) << report.headline;
    const ReportSection *cost = section(report, "Cost");
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->paragraphs.front(), "The price book has no price of this GPU.");
    for (const std::vector<std::string> &row : cost->tables.front().rows)
        EXPECT_NE(row.back(), "unknown") << row.front();
}

TEST(PlanReport, SaysPlainlyWhatDoesNotFit)
{
    Prediction prediction = examplePrediction();
    prediction.memory.verdict = Verdict::Oom;
    EXPECT_EQ(planReport(prediction).headline.rfind("Does not fit", 0), 0U);
}

TEST(PlanReport, StacksTheMemoryBarToThePeak)
{
    const Prediction prediction = examplePrediction();
    const Report report = planReport(prediction);
    const ReportFigure &bar = section(report, "Memory")->figures.at(0);
    double sum = 0;
    for (const ReportSeries &series : bar.series)
        sum += series.y.at(0);
    EXPECT_NEAR(sum, 50.0, 1e-9);
    EXPECT_EQ(bar.limit, 100.0);
}

TEST(PlanReport, DrawsMemoryOverTheStepWhereItIsKnown)
{
    MemoryOverStep over;
    over.points.resize(10);
    const Report report = planReport(examplePrediction(), over);
    expectWellFormed(report);
    EXPECT_EQ(section(report, "Memory")->figures.size(), 2U);
}

TEST(PlanReport, ChoosesTheUnitOfMemoryByItsSize)
{
    MemoryOverStep over;
    over.points.resize(1);
    over.points[0].bytes.front() = 3 * kMiB / 2;
    Prediction prediction = examplePrediction();
    prediction.memory.peak = 2 * kMiB;
    const Report report = planReport(prediction, over);
    const ReportFigure &areas = section(report, "Memory")->figures.at(1);
    EXPECT_EQ(areas.yLabel, "MiB");
    EXPECT_EQ(areas.series.at(0).y.at(0), 1.5);
    EXPECT_EQ(section(report, "Memory")->figures.at(0).yLabel, "GiB") << "beside the capacity";

    RunData run = exampleRun(3);
    run.prediction.reset();
    editSteps(run.metrics, [](auto &rows) {
        for (StepMetrics &step : rows)
            step.allocatedPeak = 5 * kMiB;
    });
    const Report ofRun = runReport(run);
    const auto &figures = section(ofRun, "Curves")->figures;
    EXPECT_EQ(figures.back().yLabel, "MiB");
    EXPECT_EQ(figures.back().series.at(0).y.at(0), 5);
}

TEST(PlanReport, SaysTheSizeOfACustomModelOnce)
{
    Prediction prediction = examplePrediction();
    prediction.model.name = "custom, 2.56M";
    const Report report = planReport(prediction);
    EXPECT_NE(report.title.find("custom, 2.56M"), std::string::npos);
    EXPECT_EQ(report.subtitle.find("parameters"), std::string::npos) << report.subtitle;
}

TEST(RunReport, SetsPredictedBesideMeasured)
{
    RunData run = exampleRun(50);
    run.prediction = examplePrediction();
    const Report report = runReport(run);
    expectWellFormed(report);
    const ReportTable &table = section(report, "Predicted and measured")->tables.at(0);
    const auto speed =
        std::find_if(table.rows.begin(), table.rows.end(), [](const auto &row) { return row[0] == "tokens/s"; });
    ASSERT_NE(speed, table.rows.end());
    EXPECT_EQ(speed->back(), "0.900");
}

TEST(RunReport, OfARunOfAnotherToolShowsNothingThatIsNotKnownAsZero)
{
    const TemporaryDirectory folder;
    writeText(folder.path() / "imported.json", "{}");
    RunData run;
    run.paths = {folder.path()};
    run.config = RunConfig{};
    run.name = "theirs";
    run.status.state = RunState::Succeeded;
    run.metrics.push_back({.step = 1, .loss = 6});
    run.metrics.push_back({.step = 20, .loss = 5});
    const Report report = runReport(run);
    expectWellFormed(report);
    EXPECT_EQ(report.headline, "Succeeded after 20 steps, loss from 6.000 to 5.000.");
    ASSERT_EQ(section(report, "Curves")->figures.size(), 1U);
    EXPECT_EQ(section(report, "Curves")->figures[0].title, "Loss");
    for (const auto &row : section(report, "History")->tables.at(0).rows) {
        if (row[0] == "Elapsed time" || row[0] == "Time in steps" || row[0] == "Mean throughput") {
            EXPECT_EQ(row[1], "unknown") << row[0];
        }
    }
    EXPECT_FALSE(section(report, "Appendix: all settings")) << "defaults are not its settings";
    EXPECT_TRUE(section(report, "Configuration")->tables.empty());
    EXPECT_NE(runCsv(run).find("\n0,20,,,,,5,,,,"), std::string::npos) << runCsv(run);
}

TEST(RunReport, ListsEveryEventOnceAndTheSettingsOfTheTraining)
{
    RunData run = exampleRun(10);
    run.events = {{.time = "t0", .kind = "started", .message = "on node7"},
        {.time = "t1", .attempt = 1, .kind = "checkpoint", .message = "saved", .step = 10}};
    const Report report = runReport(run);
    EXPECT_EQ(section(report, "History")->tables.back().rows,
        (std::vector<std::vector<std::string>>{
            {"t0", "0", "", "started", "on node7"}, {"t1", "1", "10", "checkpoint", "saved"}}));
    const std::vector<std::vector<std::string>> &chosen = section(report, "Configuration")->tables.at(0).rows;
    ASSERT_EQ(chosen.size(), 1U);
    EXPECT_EQ(chosen[0].at(1), "steps");
    EXPECT_EQ(chosen[0].at(2), "100");
}

TEST(RunReport, TellsTheMedianOfStepsFromTheMeanOverTheElapsedTime)
{
    const Report report = runReport(exampleRun(50));
    EXPECT_NE(section(report, "Predicted and measured")->paragraphs.at(0).find("medians of the last 500 steps"),
        std::string::npos);
    for (const auto &row : section(report, "History")->tables.at(0).rows) {
        if (row[0] == "Mean throughput") {
            EXPECT_EQ(row[1], "1.00K tokens/s over the time in steps");
        }
    }
}

TEST(RunReport, ARunThatWasStoppedSaysSoWithoutAnExitStatus)
{
    RunData run;
    run.status = {.state = RunState::Cancelled, .exitStatus = 143};
    EXPECT_EQ(runReport(run).headline.rfind("Cancelled after 0 steps", 0), 0U) << runReport(run).headline;
    run.status.state = RunState::Failed;
    EXPECT_EQ(runReport(run).headline.rfind("Failed (exit status 143) after", 0), 0U) << runReport(run).headline;
}

TEST(RunReport, OfARunThatNeverTookAStepIsStillAReport)
{
    RunData run = exampleRun(0);
    run.status = {.state = RunState::Failed, .exitStatus = 3};
    const Report report = runReport(run);
    expectWellFormed(report);
    EXPECT_NE(report.headline.find("exit status 3"), std::string::npos);
    EXPECT_FALSE(section(report, "Curves"));
}

TEST(RunReport, LeavesAGapWhereALossIsNotFinite)
{
    RunData run = exampleRun(10);
    editSteps(run.metrics, [&](auto &rows) { rows[4].loss = std::nan(""); });
    const Report report = runReport(run);
    const ReportSeries &loss = section(report, "Curves")->figures.at(0).series.at(0);
    ASSERT_EQ(loss.y.size(), 10U);
    EXPECT_TRUE(std::isnan(loss.y[4]));
    EXPECT_EQ(loss.y[3], run.metrics[3].loss);
}

TEST(RunReport, ThinsALongRunWithoutLosingASpike)
{
    RunData run = exampleRun(50'000);
    editSteps(run.metrics, [&](auto &rows) { rows[33'333].loss = 99; });
    const Report report = runReport(run);
    const ReportSeries &loss = section(report, "Curves")->figures.at(0).series.at(0);
    EXPECT_LT(loss.y.size(), 2100U);
    EXPECT_EQ(*std::max_element(loss.high.begin(), loss.high.end()), 99);
}

} // namespace
} // namespace slipway
