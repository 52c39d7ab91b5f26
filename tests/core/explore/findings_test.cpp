// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/findings.h"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>

#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

// Flash is twice as fast, and FSDP grad+op half as fast again as FSDP full. With vanilla attention, the largest
// micro-batch of 1B and 2B does not fit. The more memory a point uses, the better it is for the two small models, and
// the worse for the two large ones.
Sweep madeUpPaperSweep()
{
    Sweep sweep;
    sweep.grid = paperGrid();
    for (std::size_t i = 0; i < sweep.grid.size(); ++i) {
        const std::vector<std::size_t> digits = sweep.grid.digitsAt(i);
        const std::size_t model = digits[2], parallel = digits[5], batch = digits[6], attention = digits[7];
        const std::size_t place = ((model * 3 + digits[3]) * 7 + digits[4]) * 5 + batch; // what the twins share
        const std::size_t rank = (batch * 3 + parallel) * 2 + attention;
        SweepPoint point{.index = i, .peak = (1 + static_cast<Bytes>(rank)) * kGiB};
        point.verdict = model >= 2 && batch == 4 && attention == 1 ? Verdict::Oom : Verdict::Fits;
        point.tokensPerSecond = double(100 + place) * (attention == 0 ? 2 : 1) * (parallel == 2 ? 1.5 : 1);
        point.tokensPerUsd = model < 2 ? 1000 + double(rank) : 1000 - double(rank);
        sweep.points.push_back(std::move(point));
    }
    sweep.end = {.done = sweep.points.size(), .all = sweep.points.size()};
    return sweep;
}

std::vector<std::string> columnOf(const Finding &finding, std::size_t column)
{
    std::vector<std::string> cells;
    for (const std::vector<std::string> &row : finding.rows)
        cells.push_back(row.at(column));
    return cells;
}
using Cells = std::vector<std::string>;

TEST(Findings, ComparePointsThatDifferInOneSettingAlone)
{
    const std::vector<Finding> findings = paperFindings(madeUpPaperSweep(), catalogue());
    EXPECT_EQ(columnOf(findings.at(0), 4), (Cells{"2.00x", "2.00x", "2.00x", "2.00x"})) << "of flash";
    EXPECT_EQ(columnOf(findings.at(1), 1), (Cells{"315", "315", "315", "315"}));
    EXPECT_EQ(columnOf(findings.at(1), 2), (Cells{"0", "0", "63", "63"})) << "3 GPUs, 7 counts and 3 strategies";
    EXPECT_EQ(columnOf(findings.at(4), 3), (Cells{"1.50x", "1.50x", "1.50x", "1.50x"})) << "of FSDP grad+op";
}

TEST(Findings, CountTheBestPointsThatDoNotUseTheMostMemory)
{
    const Finding filling = paperFindings(madeUpPaperSweep(), catalogue()).at(5);
    EXPECT_EQ(columnOf(filling, 1), (Cells{"21", "21", "21", "21"})) << "3 GPUs and 7 counts";
    EXPECT_EQ(columnOf(filling, 2), (Cells{"0", "0", "21", "21"}));
    EXPECT_EQ(filling.agreement, Agreement::Partly) << "half of the cases agree";
}

TEST(Findings, OfASweepThatWasStoppedUseOnlyThePointsThatItHas)
{
    Sweep sweep = madeUpPaperSweep();
    sweep.points.resize(1); // its twin would be the next one
    EXPECT_EQ(paperFindings(sweep, catalogue()).at(0).rows.at(0).at(4), "0.00x");
}

TEST(Findings, AnswerEveryClaimOfThePaperWithNumbers)
{
    const Sweep sweep = paperSweep(catalogue());
    const std::vector<Finding> findings = paperFindings(sweep, catalogue());
    EXPECT_EQ(findings.size(), 8u);
    for (const Finding &finding : findings) {
        EXPECT_FALSE(finding.rows.empty()) << finding.claim;
        EXPECT_FALSE(finding.why.empty()) << finding.claim;
        for (const auto &row : finding.rows)
            EXPECT_EQ(row.size(), finding.columns.size()) << finding.claim;
    }
    const std::string page = findingsMarkdown(findings, sweep);
    EXPECT_NE(page.find("2520 points"), std::string::npos);
    for (std::size_t i = 0; i < findings.size(); ++i) { // a heading is the claim without its full stop
        ASSERT_TRUE(findings[i].claim.ends_with('.'));
        const std::string claim = findings[i].claim.substr(0, findings[i].claim.size() - 1);
        EXPECT_NE(page.find("\n## " + std::to_string(i + 1) + ". " + claim + "\n"), std::string::npos) << claim;
    }
    std::smatch counts;
    ASSERT_TRUE(
        std::regex_search(page, counts, std::regex("(\\d+) run, (\\d+) run out of memory, (\\d+) cannot be planned")));
    EXPECT_EQ(std::stoi(counts[1]) + std::stoi(counts[2]) + std::stoi(counts[3]), 2520);
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('|') && !line.starts_with('#')) {
            EXPECT_LE(line.size(), 110U) << line;
        }
    }
}

} // namespace
} // namespace slipway
