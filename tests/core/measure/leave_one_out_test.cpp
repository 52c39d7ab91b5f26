// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "measure/leave_one_out.h"

namespace slipway {
namespace {

// Of a speed that is predicted as 100, between 90 and 110.
PredictedRow rowOf(const std::string &source, double measured, SoftwareKnowledge knowledge = SoftwareKnowledge::Profile)
{
    PredictedRow p;
    p.row.source = source;
    p.row.resolved.softwareKnowledge = knowledge;
    p.row.measured.tokensPerSecondPerGpu = measured;
    p.tokensPerSecondPerGpu = PredictedFigure{.value = 100, .p10 = 90, .p90 = 110};
    return p;
}

TEST(LeaveOneOut, holdsASourceAgainstTheErrorsOfTheOthers)
{
    // Ratios of a: 0.8 and 1.2; of b: 1.0; of c: 1.1. Without a, P10 to P90 is 1.0 to 1.1, without the others 0.8
    // to 1.2.
    const std::vector<LeftOut> classes =
        leaveOneOut({rowOf("a", 80), rowOf("a", 120), rowOf("b", 100), rowOf("c", 110)});
    ASSERT_EQ(classes.size(), 1);
    const LeftOut &all = classes.front();
    EXPECT_EQ(all.known, "known");
    EXPECT_EQ(all.metric, "tokens_per_s_per_gpu");
    EXPECT_EQ(all.sources, 3);
    EXPECT_EQ(all.rows, 4);
    EXPECT_DOUBLE_EQ(all.p10, 0.8);
    EXPECT_DOUBLE_EQ(all.p90, 1.2);
    EXPECT_NEAR(all.inOthers, 2.0 / 3, 1e-12) << "b and c whole, nothing of a";
    EXPECT_NEAR(all.inRange, 2.0 / 3, 1e-12) << "the catalogue's range holds b and c as well";
    EXPECT_NEAR(all.above, 0.5 / 3, 1e-12);
    // Mean errors: a (25 + 16.7) / 2 %, b 0, c 9.1 %.
    EXPECT_NEAR(all.medianError, 1 - 100.0 / 110, 1e-12);
}

TEST(LeaveOneOut, holdsAFrameworkAgainstTheErrorsOfTheOthers)
{
    std::vector<PredictedRow> rows{rowOf("a", 80), rowOf("b", 120), rowOf("c", 100), rowOf("d", 110)};
    rows[0].row.framework = rows[1].row.framework = "x"; // two sources of one framework
    rows[2].row.framework = "y";
    rows[3].row.framework = "z";
    EXPECT_NEAR(leaveOneOut(rows).front().inOtherFrameworks, 2.0 / 3, 1e-12) << "nothing of x";
    rows[2].row.framework = rows[3].row.framework = "x";
    EXPECT_EQ(leaveOneOut(rows).front().inOtherFrameworks, 0) << "there is no other";
}

TEST(LeaveOneOut, countsASourceOnceHoweverManyRowsItHas)
{
    std::vector<PredictedRow> rows(50, rowOf("large", 100));
    rows.push_back(rowOf("small", 200));
    const LeftOut all = leaveOneOut(rows).front();
    EXPECT_DOUBLE_EQ(all.p90, 2.0);
    EXPECT_DOUBLE_EQ(all.above, 0.5);
}

TEST(LeaveOneOut, tellsApartWhatIsKnown)
{
    const auto named = [](SoftwareKnowledge knowledge) { return rowClass(rowOf("a", 1, knowledge).row); };
    EXPECT_EQ(named(SoftwareKnowledge::Profile), "known");
    EXPECT_EQ(named(SoftwareKnowledge::OtherGpus), "known-other-card");
    EXPECT_EQ(named(SoftwareKnowledge::Unknown), "unknown");
    EXPECT_EQ(named(SoftwareKnowledge::BuiltIn), "unknown");
    MeasuredRow own = rowOf("a", 1).row;
    own.resolved.calibration.set(Constant::Gemm, 1.1);
    EXPECT_EQ(rowClass(own), "calibrated");
    EXPECT_EQ(leaveOneOut({rowOf("a", 1), rowOf("a", 1, SoftwareKnowledge::Unknown)}).size(), 2);
}

TEST(LeaveOneOut, leavesOfTheSoftwareItsMonthAlone)
{
    CsvTable table{.where = "t.csv", .header = {"id", "framework"}, .rows = {}};
    for (const char *framework : {"torchtitan@2025-03", "hf-trainer@4.46", "nobody's", ""})
        table.rows.push_back({.line = 2, .cells = {"a", framework}, .fault = {}});
    const CsvTable without = withoutSoftware(table);
    EXPECT_EQ(without.rows[0].cells[1], "unknown@2025-03");
    EXPECT_EQ(without.rows[1].cells[1], "unknown");
    EXPECT_EQ(without.rows[2].cells[1], "unknown");
    EXPECT_EQ(without.rows[3].cells[1], "unknown");
}

TEST(LeaveOneOut, namesTheSoftwareOfATableWithoutThatColumn)
{
    const CsvTable table{.where = "t.csv",
        .header = {"id"},
        .rows = {{.line = 2, .cells = {"a"}, .fault = {}}, {.line = 3, .cells = {}, .fault = "no record"}}};
    const CsvTable without = withoutSoftware(table);
    ASSERT_TRUE(without.column("framework"));
    EXPECT_EQ(without.cell(without.rows[0], "framework"), "unknown");
}

TEST(LeaveOneOut, isEmptyWithoutMeasurements)
{
    EXPECT_TRUE(leaveOneOut({}).empty());
    EXPECT_TRUE(leaveOneOut({rowOf("a", 0)}).empty());
    EXPECT_EQ(toJson(leaveOneOut({rowOf("a", 100)}))[0]["in_range"], 1);
}

} // namespace
} // namespace slipway
