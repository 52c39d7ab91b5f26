// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/serve_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/csv.h"
#include "report/svg_figure.h"
#include "support/serving_catalogue.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;

ServeFigure figureOfTwo()
{
    return {.chart = ServeChart::Heads,
        .title = "Heads",
        .question = "Why?",
        .placeLabel = "Batch",
        .xLabel = "Batch",
        .panels = {{.yLabel = "Tokens/s",
            .lines = {{.name = "many", .dots = {{"1", 1, 100, true}, {"2", 2, 0, false}}},
                {.name = "few", .dots = {{"2", 2, 1500, true}}}}}}};
}

TEST(ServeReport, ATableHasARowForEachPlaceAndAColumnForEachLine)
{
    const ReportTable table = serveTable(figureOfTwo());
    EXPECT_THAT(table.columns, ElementsAre("Batch", "many", "few"));
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_THAT(table.rows[0], ElementsAre("1", "100", ""));
    EXPECT_THAT(table.rows[1], ElementsAre("2", "OOM", "1.50K"));
}

TEST(ServeReport, DotsThatNothingJoinsAreDrawnAsDotsAndNoCrossIsSpokenOfWhereAllFits)
{
    const ServePrediction p = predictServing(eightBillion(), catalogue(), frameworks()).value();
    ServeFigure figure = figureOfTwo();
    figure.joined = false;
    figure.panels[0].lines[0].dots[1].fits = true;
    const Report report = serveReport(p, {figure});
    ASSERT_EQ(report.sections.back().figures.size(), 1U);
    EXPECT_FALSE(report.sections.back().figures[0].joined);
    EXPECT_EQ(report.sections.back().paragraphs[0], figure.question);
    const std::string svg = svgFigure(report.sections.back().figures[0]);
    EXPECT_NE(svg.find("<circle"), std::string::npos);
    EXPECT_EQ(svg.find("<path"), std::string::npos);
}

TEST(ServeReport, CsvHasEveryDotAndNoFormula)
{
    ServeFigure figure = figureOfTwo();
    figure.panels[0].lines[0].name = "=many";
    const TemporaryDirectory folder;
    writeText(folder.path() / "figures.csv", serveFiguresCsv({figure}));
    const Result<CsvTable> table = readCsv(folder.path() / "figures.csv");
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_EQ(table->rows.size(), 3U);
    EXPECT_THAT(table->rows[0].cells, ElementsAre("heads", "", "'=many", "1", "1", "100", "tokens/s", "1"));
    EXPECT_THAT(table->rows[1].cells, ElementsAre("heads", "", "'=many", "2", "2", "", "tokens/s", "0"));
}

TEST(ServeReport, HasTheAnswerAndEachFigureWithItsTable)
{
    const ServePrediction p = predictServing(eightBillion(16), catalogue(), frameworks()).value();
    const Report report = serveReport(p, {figureOfTwo()});
    EXPECT_THAT(report.headline, ::testing::HasSubstr("tokens/s with a batch of 16"));
    EXPECT_EQ(report.sections.back().figures.size(), 1U);
    EXPECT_THAT(report.sections.back().figures[0].series[0].missingX, ElementsAre(2.0));
    EXPECT_THAT(report.sections.back().paragraphs[0], ::testing::HasSubstr("cross at the bottom"));
    EXPECT_EQ(report.sections.back().tables.size(), 1U);
    const TemporaryDirectory folder;
    writeText(folder.path() / "serving.csv", servePlanCsv(p));
    const Result<CsvTable> table = readCsv(folder.path() / "serving.csv");
    ASSERT_TRUE(table) << table.error().message();
    EXPECT_EQ(table->cell(table->rows[0], "model"), "llama-3.1-8b");
    EXPECT_EQ(table->cell(table->rows[0], "kv_bytes_per_token"), "131072");
}

} // namespace
} // namespace slipway
