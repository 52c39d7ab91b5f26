// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/compare_report.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/csv.h"
#include "base/text.h"
#include "core/report/report_section.h"
#include "core/runs/run_examples.h"
#include "support/edit_steps.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;

// Two runs of one name; the second has twice the speed, another micro-batch and a prediction.
struct CompareReport : ::testing::Test {
    RunData first = exampleRun(20), second = exampleRun(30);
    std::vector<const RunData *> runs{&first, &second};
    RunComparison comparison;

    CompareReport()
    {
        second.config->microBatch = 16;
        second.prediction = examplePrediction();
        editSteps(second.metrics, [](auto &rows) {
            for (StepMetrics &step : rows)
                step.tokensPerSecond = 2000;
        });
        comparison = *compareRuns(runs);
    }
};

TEST_F(CompareReport, NamesRunsOfOneNameApartAndMarksTheBaseline)
{
    const Report report = comparisonReport(comparison, runs);
    EXPECT_EQ(report.headline, "The runs differ in 1 setting.");
    const ReportTable &table = section(report, "Different settings")->tables.at(0);
    EXPECT_THAT(table.columns, ElementsAre("Setting", "example (baseline)", "example (2)"));
    EXPECT_THAT(table.numeric, ElementsAre(false, true, true));
    ASSERT_EQ(table.rows.size(), 1u);
    EXPECT_THAT(table.rows[0], ElementsAre("micro_batch", "8", "16"));
}

TEST_F(CompareReport, SetsDifferencesBesideMeasuredAndRatiosBesidePredicted)
{
    const Report report = comparisonReport(comparison, runs);
    const auto row = [&](const char *title) {
        for (const auto &cells : section(report, title)->tables.at(0).rows) {
            if (cells[0] == "tokens/s")
                return cells;
        }
        return std::vector<std::string>();
    };
    EXPECT_THAT(row("Measured"), ElementsAre("tokens/s", "1.00K tokens/s", "2.00K tokens/s (+100.0 %)"));
    EXPECT_THAT(row("Predicted"), ElementsAre("tokens/s", "-", "1.11K tokens/s (x 1.80)"));
    const ReportSection *curves = section(report, "Curves");
    ASSERT_NE(curves, nullptr);
    ASSERT_EQ(curves->figures.at(0).series.size(), 2u);
    EXPECT_EQ(curves->figures[0].series[1].x.size(), 30u);
}

TEST_F(CompareReport, NamesTheRunOfACurveThatOtherRunsLack)
{
    const RunData known = exampleRun(3);
    RunData lacking = exampleRun(3);
    editSteps(lacking.metrics, [](auto &rows) {
        for (StepMetrics &row : rows)
            row.tokensPerSecond = 0;
    });
    const std::vector<const RunData *> both{&lacking, &known};
    const Report report = comparisonReport(*compareRuns(both), both);
    const ReportSection *curves = section(report, "Curves");
    ASSERT_NE(curves, nullptr);
    const ReportFigure &speed = curves->figures.at(1);
    ASSERT_EQ(speed.series.size(), 1u);
    EXPECT_EQ(speed.series[0].name, "example (2)");
    EXPECT_TRUE(speed.namesSeries);
}

TEST_F(CompareReport, OfRunsThatNeverTookAStepIsStillAReport)
{
    const RunData none = exampleRun(0), other = exampleRun(0);
    const std::vector<const RunData *> idle{&none, &other};
    const Report report = comparisonReport(*compareRuns(idle), idle);
    EXPECT_EQ(report.headline, "The runs have the same settings.");
    EXPECT_EQ(section(report, "Curves"), nullptr);
    EXPECT_EQ(section(report, "Predicted"), nullptr);
}

TEST_F(CompareReport, IsATableThatReadsBackToTheLastBit)
{
    const auto table = parseCsv(comparisonCsv(comparison), "compared.csv");
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_TRUE(table->column("example (2)"));
    int speeds = 0;
    for (const auto &row : table->rows) {
        if (table->cell(row, "kind") == "setting") {
            EXPECT_EQ(table->cell(row, "name"), "micro_batch");
            EXPECT_EQ(table->cell(row, "example (2)"), "16");
        }
        if (table->cell(row, "kind") == "predicted" && table->cell(row, "name") == "tokens/s") {
            ++speeds;
            EXPECT_EQ(parseNumber(table->cell(row, "example (2)")), second.prediction->speed.tokensPerSecond);
            EXPECT_EQ(table->cell(row, "example"), "");
        }
    }
    EXPECT_EQ(speeds, 1);
}

} // namespace
} // namespace slipway
