// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/step_table.h"

#include <cmath>

#include <gtest/gtest.h>

#include "run_examples.h"

namespace slipway {
namespace {

// Every quantity comes and goes.
std::vector<StepMetrics> variedRows(int count)
{
    std::vector<StepMetrics> rows;
    for (int step = 1; step <= count; ++step) {
        StepMetrics row = exampleStep(step, step > count / 2 ? 1 : 0);
        row.loss = step % 7 == 0 ? std::nan("") : 5.0 / step;
        row.evalLoss = step % 10 == 0 ? std::optional(step % 20 == 0 ? INFINITY : 4.0) : std::nullopt;
        row.mfu = step > 30 ? std::optional(0.4) : std::nullopt;
        row.allocatedPeak = step % 3 == 0 ? std::nullopt : std::optional(Bytes{1} << 40 | step);
        row.gpus.resize(static_cast<std::size_t>(step % 3));
        for (GpuSample &gpu : row.gpus)
            gpu = {.utilisation = step, .clockMhz = 1000.0 + step, .throttleReasons = step};
        row.time = step % 11 == 0 ? "" : row.time;
        rows.push_back(row);
    }
    return rows;
}

bool same(const StepMetrics &a, const StepMetrics &b) { return toJsonLine(a) == toJsonLine(b); } // NaN equals NaN there

void expectRows(const StepTable &table, const std::vector<StepMetrics> &rows)
{
    ASSERT_EQ(table.size(), rows.size());
    std::size_t i = 0;
    for (const StepMetrics &row : table) {
        EXPECT_TRUE(same(row, rows[i])) << toJsonLine(row) << "\n" << toJsonLine(rows[i]);
        ++i;
    }
}

StepTable tableOf(const std::vector<StepMetrics> &rows)
{
    StepTable table;
    for (const StepMetrics &row : rows)
        table.push_back(row);
    return table;
}

TEST(StepTable, GivesBackTheRowsThatItTook)
{
    const std::vector<StepMetrics> rows = variedRows(100);
    const StepTable table = tableOf(rows);
    expectRows(table, rows);
    EXPECT_EQ(table.attempt(49), 0);
    EXPECT_EQ(table.attempt(50), 1);
    EXPECT_EQ(table.attemptEnd(3), 50U);
    EXPECT_EQ(table.attemptEnd(50), 100U);
    EXPECT_EQ(table.firstNotBefore(7), 6U);
    EXPECT_EQ(table.firstNotBefore(101), 100U);
    EXPECT_FALSE(table.measured({Quantity::Reserved}));
    EXPECT_TRUE(table.measured({Quantity::GpuUse, 1}));
}

TEST(StepTable, HasTheLoadOfExpertsAndTheShareOfEachOfAFew)
{
    StepMetrics few = exampleStep(1), many = exampleStep(2), none = exampleStep(3);
    few.expertShares = {0.5, 0.25, 0.125, 0.125};
    many.expertShares.assign(kMostExpertColumns * 2, 0.75 / (2 * kMostExpertColumns - 1));
    many.expertShares[3] = 0.25;
    const StepTable table = tableOf({few, many, none});
    EXPECT_EQ(table.value({Quantity::ExpertLoad}, 0), 2.0);
    EXPECT_DOUBLE_EQ(table.value({Quantity::ExpertLoad}, 1).value(), 0.25 * 2 * kMostExpertColumns);
    EXPECT_FALSE(table.value({Quantity::ExpertLoad}, 2));
    EXPECT_EQ(table.value({Quantity::ExpertShare, 1}, 0), 0.25);
    EXPECT_FALSE(table.value({Quantity::ExpertShare, 1}, 1)) << "a column for each would be too many";
    EXPECT_TRUE(same(table[0], few));

    StepTable again; // rows of a table are put into another one where steps are repeated
    for (const StepMetrics &row : table)
        again.push_back(row);
    for (std::size_t i = 0; i < table.size(); ++i)
        EXPECT_EQ(again.value({Quantity::ExpertLoad}, i), table.value({Quantity::ExpertLoad}, i)) << i;
}

TEST(StepTable, HasNoColumnsOfExpertsForADenseModel)
{
    const StepTable table = tableOf(variedRows(10));
    EXPECT_EQ(table.column({Quantity::ExpertLoad}), nullptr);
    EXPECT_EQ(table.column({Quantity::ExpertShare, 0}), nullptr);
}

TEST(StepTable, IsTheSameInPiecesOfAnyLengthAndAfterACut)
{
    const std::vector<StepMetrics> rows = variedRows(9000); // beyond a chunk
    for (const std::size_t cut : {std::size_t{1}, std::size_t{5}, std::size_t{4096}, std::size_t{8999}}) {
        StepTable table = tableOf({rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(cut)});
        table.append(tableOf({rows.begin() + static_cast<std::ptrdiff_t>(cut), rows.end()}));
        expectRows(table, rows);
        table.truncate(cut);
        expectRows(table, {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(cut)});
    }
}

TEST(StepTable, ACopyGoesItsOwnWay)
{
    const std::vector<StepMetrics> rows = variedRows(10);
    StepTable one = tableOf(rows), other = one;
    one.truncate(5);
    other.push_back(exampleStep(11, 1));
    one.push_back(exampleStep(77, 1));
    EXPECT_EQ(other.step(5), 6);
    EXPECT_EQ(other.step(10), 11);
    EXPECT_EQ(one.step(5), 77);
}

TEST(Column, ASharerSeesWhatWasThereHoweverTheOtherGoesOn)
{
    Column values, shared;
    for (int i = 0; i < 5000; ++i)
        values.push_back(i);
    shared.share(values, 0);
    values.push_back(5000);
    values.truncate(4500);
    for (int i = 0; i < 1000; ++i)
        values.push_back(-1);
    ASSERT_EQ(shared.size(), 5000U);
    EXPECT_EQ(shared[4499], 4499);
    EXPECT_EQ(shared[4999], 4999);
    shared.share(values, 4500);
    EXPECT_EQ(shared.size(), 5500U);
    EXPECT_EQ(shared[4499], 4499);
    EXPECT_EQ(shared[4500], -1);
}

} // namespace
} // namespace slipway
