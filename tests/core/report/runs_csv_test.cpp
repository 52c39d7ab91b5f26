// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/runs_csv.h"

#include <gtest/gtest.h>

#include "base/csv.h"

namespace slipway {
namespace {

RunEntry example()
{
    RunEntry run{.name = "base, \"line\"",
        .host = "node-1",
        .status = {.state = RunState::Running},
        .step = 50,
        .totalSteps = 200,
        .remaining = 75.5,
        .finalLoss = 3.0625,
        .tokensPerSecond = 16384.5,
        .usd = 1.25,
        .lastTime = "2026-11-23T04:50:38.374Z",
        .model = "1B",
        .gpu = "h100-sxm-80gb",
        .gpus = 8};
    run.labels.tags = {"final", "long"};
    return run;
}

TEST(RunsCsv, namesTheUnitsAndHasOneRowPerRun)
{
    EXPECT_EQ(runsCsv({example()}),
        "name,state,step,total_steps,tokens_per_s,final_loss_nats,remaining_s,usd,tags,last_time,model,gpu,gpus,host\n"
        "\"base, \"\"line\"\"\",running,50,200,16384.5,3.0625,75.5,1.25,\"final, long\",2026-11-23T04:50:38.374Z,1B,"
        "h100-sxm-80gb,8,node-1\n");
}

TEST(RunsCsv, hasTheGivenColumnsInTheirOrder)
{
    EXPECT_EQ(runsCsv({example()}, std::array{RunColumn::Loss, RunColumn::Steps}),
        "final_loss_nats,step,total_steps\n3.0625,50,200\n");
}

TEST(RunsCsv, leavesUnknownValuesEmptyAndSaysThatALossIsNotFinite)
{
    RunEntry run{.name = "new"};
    constexpr std::array kSome{RunColumn::Name, RunColumn::Loss, RunColumn::Cost, RunColumn::Hardware};
    EXPECT_EQ(runsCsv({run}, kSome), "name,final_loss_nats,usd,gpu,gpus\nnew,,,,\n");
    run.step = 7;
    EXPECT_EQ(runsCsv({run}, kSome), "name,final_loss_nats,usd,gpu,gpus\nnew,nan,,,\n");
}

TEST(RunsCsv, givesASpreadsheetNoFormulaAndReadsBackAsItWas)
{
    RunEntry run = example();
    run.name = "=cmd|' /C calc'!A0";
    run.labels.tags = {"@SUM(A1)", "-2+3"};
    const std::string csv = runsCsv({run});
    EXPECT_NE(csv.find("\n'=cmd"), std::string::npos) << csv;
    const Result<CsvTable> table = parseCsv(csv, "runs.csv");
    ASSERT_TRUE(table) << table.error().message();
    EXPECT_EQ(table->cell(table->rows[0], "name"), run.name);
    EXPECT_EQ(table->cell(table->rows[0], "tags"), "@SUM(A1), -2+3");
}

} // namespace
} // namespace slipway
