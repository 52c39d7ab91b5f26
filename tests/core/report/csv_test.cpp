// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/csv.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/csv.h"
#include "base/text.h"
#include "config/settings.h"
#include "core/runs/run_examples.h"
#include "support/edit_steps.h"

namespace slipway {
namespace {

TEST(PlanCsv, HasEveryChoiceUnderItsFlagsNameAndTheFigures)
{
    const Prediction prediction = examplePrediction();
    const auto table = parseCsv(planCsv(prediction), "plan.csv");
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_EQ(table->rows.size(), 1U);
    for (const Setting &setting : settings()) {
        if (!setting.runOnly) {
            EXPECT_TRUE(table->column(setting.key)) << setting.key;
        }
    }
    const auto cell = [&](std::string_view column) { return table->cell(table->rows[0], column); };
    for (const char *column : {"verdict", "peak_bytes", "tokens_per_s", "tokens_per_s_per_gpu", "step_s", "mfu",
             "tokens_per_usd", "usd_per_billion_tokens"})
        EXPECT_TRUE(table->column(column)) << column;
    EXPECT_EQ(cell("verdict"), "fits");
    EXPECT_EQ(cell("peak_bytes"), std::to_string(50 * kGiB));
    EXPECT_EQ(parseNumber(cell("tokens_per_s")), prediction.speed.tokensPerSecond); // bit for bit
    EXPECT_EQ(cell("tokens_per_usd"), "");
}

TEST(PlanCsv, NamesNoColumnTwice)
{
    EXPECT_TRUE(parseCsv(planCsv(examplePrediction()), "plan.csv")); // the reader refuses that
}

TEST(RunCsv, HasOneRowAStepAndReadsBackBitForBit)
{
    RunData run = exampleRun(30);
    editSteps(run.metrics, [&](auto &rows) { rows[4].loss = std::nan(""); });
    editSteps(run.metrics, [&](auto &rows) { rows[5].mfu = 0.1 + 0.2; });
    const auto table = parseCsv(runCsv(run), "run.csv");
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_EQ(table->rows.size(), 30U);
    EXPECT_EQ(table->cell(table->rows[4], "loss"), "nan");
    EXPECT_EQ(parseNumber(table->cell(table->rows[5], "mfu")), 0.1 + 0.2);
    EXPECT_EQ(parseNumber(table->cell(table->rows[6], "loss")), run.metrics[6].loss);
    EXPECT_EQ(table->cell(table->rows[6], "step"), "7");
    EXPECT_EQ(table->cell(table->rows[6], "mfu"), "");
}

TEST(RunCsv, OfARunWithoutStepsIsItsHeader)
{
    const auto table = parseCsv(runCsv(exampleRun(0)), "run.csv");
    ASSERT_TRUE(table);
    EXPECT_TRUE(table->rows.empty());
    EXPECT_TRUE(table->column("allocated_peak"));
}

TEST(CsvText, DisarmsWhatASpreadsheetWouldRun)
{
    EXPECT_EQ(csvText("=HYPERLINK(\"x\")"), "'=HYPERLINK(\"x\")");
    EXPECT_EQ(csvText("+1"), "'+1");
    EXPECT_EQ(csvText("-2"), "'-2");
    EXPECT_EQ(csvText("@cmd"), "'@cmd");
    EXPECT_EQ(csvText("a=b"), "a=b");
    EXPECT_EQ(csvText(""), "");
}

TEST(PlanCsv, KeepsHostileNamesInTheirCell)
{
    Prediction prediction = examplePrediction();
    prediction.config.model.name = "a,\"b\"\nc";
    const auto table = parseCsv(planCsv(prediction), "plan.csv");
    ASSERT_TRUE(table) << table.error().message();
    EXPECT_EQ(table->cell(table->rows[0], "model"), "a,\"b\"\nc");
}

} // namespace
} // namespace slipway
