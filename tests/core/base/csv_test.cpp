// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/csv.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>

#include "support/hostile_values.h"

namespace slipway {
namespace {

using Cells = std::vector<std::string>;

TEST(ParseCsv, ReadsQuotesCommasAndLineBreaksInsideQuotes)
{
    const auto table = parseCsv("a,b\n\"x,\"\"y\"\"\",\"1\n2\"\nlast,\n", "t.csv");
    ASSERT_TRUE(table) << table.error().message();
    EXPECT_EQ(table->header, (Cells{"a", "b"}));
    ASSERT_EQ(table->rows.size(), 2u);
    EXPECT_EQ(table->rows[0].cells, (Cells{"x,\"y\"", "1\n2"}));
    EXPECT_EQ(table->rows[1].cells, (Cells{"last", ""}));
}

TEST(ParseCsv, CountsLinesThroughQuotedLineBreaks)
{
    const auto table = parseCsv("a,b\n\"1\n2\n3\",x\ny,z\n", "t.csv");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->rows[0].line, 2u);
    EXPECT_EQ(table->rows[1].line, 5u);
    EXPECT_EQ(table->location(table->rows[1]), "t.csv:5");
}

TEST(ParseCsv, ReadsCrlfAByteOrderMarkAndALastLineWithoutItsEnd)
{
    const auto table = parseCsv("\xEF\xBB\xBFname,b\r\n1,\"2\"\r\n3,4", "t.csv");
    ASSERT_TRUE(table) << table.error().message();
    EXPECT_EQ(table->header, (Cells{"name", "b"}));
    EXPECT_EQ(table->rows[0].cells, (Cells{"1", "2"}));
    EXPECT_EQ(table->rows[1].cells, (Cells{"3", "4"}));
}

TEST(ParseCsv, PassesOverBlankLines)
{
    const auto table = parseCsv("a,b\n1,2\n\n\n", "t.csv");
    ASSERT_TRUE(table) << table.error().message();
    EXPECT_EQ(table->rows.size(), 1u);
}

TEST(ParseCsv, NamesTheLineOfARowWithAnotherNumberOfCells)
{
    const auto table = parseCsv("a,b\n1,2\n1,2,3\n", "t.csv");
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().message(), "t.csv:3: 3 cells where the header has 2");
}

TEST(CsvRecords, OfHostileValuesReadBackAsTheyWereAndHoldNoFormula)
{
    std::vector<std::string> header;
    const std::vector<std::string> values = hostileValues();
    for (std::size_t i = 0; i < values.size(); ++i)
        header.push_back("column" + std::to_string(i));
    const std::string text = csvRecord(header) + csvRecord(values);
    const auto table = parseCsv(text, "t.csv");
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_EQ(table->rows.size(), 1U);
    EXPECT_EQ(table->rows[0].cells, values);
    for (const std::string &value : values) {
        const std::string cell = csvRecord(std::array{value, std::string("x")}),
                          begin = cell.substr(cell.starts_with('"') ? 1 : 0, 1);
        EXPECT_TRUE(begin.empty() || begin.find_first_of("=+-@\t\r") == std::string::npos) << cell;
    }
    EXPECT_EQ(csvRecord(std::array<std::string, 4>{"-1.5", "-", "-1e-3", "=1"}),
        "-1.5,'-,-1e-3,'=1\n"); // numbers stay numbers
}

TEST(ParseCsv, RefusesAnOpenQuoteAndTextBehindAClosedOne)
{
    EXPECT_EQ(parseCsv("a\n\"x", "t").error().message(), "t:2: the quote opened in line 2 is never closed");
    EXPECT_EQ(parseCsv("a\n\"x\"y\n", "t").error().where, "t:2");
}

TEST(ParseCsv, RefusesNulBytesEmptyTextAndColumnsNamedTwice)
{
    EXPECT_FALSE(parseCsv(std::string_view("a,b\0c\n", 6), "t"));
    EXPECT_FALSE(parseCsv("", "t"));
    EXPECT_FALSE(parseCsv("a,b,a\n", "t"));
}

TEST(ParseCsv, HoldsItsLimits)
{
    EXPECT_FALSE(parseCsv("a,b\n1,2\n", "t", {.bytes = 4}));
    EXPECT_FALSE(parseCsv("a,b,c\n", "t", {.columns = 2}));
    EXPECT_FALSE(parseCsv("a\n1\n2\n", "t", {.rows = 1}));
    EXPECT_TRUE(parseCsv("a,b\n1,2\n", "t", {.columns = 2, .rows = 1}));
    EXPECT_TRUE(parseCsv("a,b\n1,2\n3,4\n", "t", {.cells = 4}));
    EXPECT_EQ(parseCsv("a,b\n1,2\n3,4\n", "t", {.cells = 3}).error().message(), "t:3: more than 3 cells");
    EXPECT_TRUE(parseCsv("a,b\n123,2\n", "t", {.cellBytes = 3}));
    EXPECT_EQ(
        parseCsv("a,b\n\"1234\",2\n", "t", {.cellBytes = 3}).error().message(), "t:2: a cell of more than 3 bytes");
}

TEST(ParseCsv, LimitsACellWhereverItEnds)
{
    constexpr CsvLimits three{.cellBytes = 3};
    for (const char *fits : {"abc", "abc\n", "abc\r\n", "\"abc\"", "\"a\"\"b\"\r\n", "abc,d"})
        EXPECT_TRUE(parseCsv(fits, "t", three)) << fits;
    for (const char *tooLong : {"abcd", "abcd\n", "abcde\r\n", "abcdefgh", "\"abcd\"", "\"a\"\"bc\"", "a,bcdefgh"})
        EXPECT_EQ(parseCsv(tooLong, "t", three).error().message(), "t:1: a cell of more than 3 bytes") << tooLong;
}

TEST(CsvTable, GivesCellsByNameAndNothingForAnUnknownColumn)
{
    const auto table = parseCsv("a,b\n1,2\n", "t");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->cell(table->rows[0], "b"), "2");
    EXPECT_EQ(table->cell(table->rows[0], "c"), "");
}

// A spreadsheet of a country that writes 1,5 separates cells at semicolons, and does not see our quotes.
TEST(CsvRecord, HoldsNoFormulaWhereASpreadsheetSeparatesAtSemicolonsTabsOrLineEnds)
{
    for (const std::string separator : {";", "\t", "\r", "\n", "\r\n", ";;"}) {
        for (const std::string formula : {"=cmd()", "+1", "-1+cmd()", "@x", "\"=cmd()\"", "'\"=cmd()", "\"\"=cmd()"}) {
            const Cells cells{"1", "x" + separator + formula, "y"};
            const std::string record = csvRecord(cells);
            const std::size_t behind = record.find(separator) + separator.size();
            EXPECT_EQ(record[behind], '\'') << record;
            const auto table = parseCsv("a,b,c\n" + record, "t");
            ASSERT_TRUE(table) << table.error().message();
            EXPECT_EQ(table->rows.at(0).cells, cells) << record;
        }
    }
    EXPECT_EQ(csvRecord(Cells{"x; y", "a;b;1"}), "x; y,a;b;1\n"); // no formula, no apostrophe
}

TEST(CsvRecord, ReadsBackAsWhatWasWritten)
{
    for (const Cells &cells :
        {Cells{"plain", "with,comma"}, Cells{"say \"x\"", "two\nlines"}, Cells{""}, Cells{"", ""}, Cells{"\r", " "}}) {
        const std::string header = cells.size() == 1 ? "a\n" : "a,b\n";
        const auto table = parseCsv(header + csvRecord(cells), "t");
        ASSERT_TRUE(table) << table.error().message();
        ASSERT_EQ(table->rows.size(), 1u);
        EXPECT_EQ(table->rows[0].cells, cells);
    }
}

TEST(ParseCsv, SurvivesGarbageAndKeepsWhatItUnderstood)
{
    std::uint32_t state = 3;
    for (int round = 0; round < 3000; ++round) {
        std::string text = "a,b\n";
        for (int i = 0; i < 30; ++i) {
            state = state * 1664525 + 1013904223;
            static constexpr std::string_view alphabet = "ab,,\"\n\r ;\xff'=-\t";
            text += alphabet[(state >> 16) % alphabet.size()];
        }
        const auto table = parseCsv(text, "t");
        if (!table) {
            EXPECT_TRUE(table.error().where.starts_with("t:"));
            continue;
        }
        std::string written = csvRecord(table->header);
        for (const CsvRow &row : table->rows)
            written += csvRecord(row.cells);
        const auto again = parseCsv(written, "t");
        ASSERT_TRUE(again) << written;
        ASSERT_EQ(again->rows.size(), table->rows.size());
        for (std::size_t i = 0; i < table->rows.size(); ++i)
            EXPECT_EQ(again->rows[i].cells, table->rows[i].cells);
    }
}

TEST(ReadCsv, SaysThatAFileIsMissing)
{
    const auto table = readCsv("/nonexistent/table.csv");
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().where, "/nonexistent/table.csv");
    EXPECT_EQ(table.error().fault, Fault::Input);
}

} // namespace
} // namespace slipway
