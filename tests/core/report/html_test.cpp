// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/html.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <regex>
#include <set>

#include <gmock/gmock.h>

#include "base/file.h"
#include "core/runs/run_examples.h"
#include "report/svg_figure.h"
#include "support/edit_steps.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Every element that is opened is closed, in the right order; empty: it is so.
std::string firstFault(const std::string &html)
{
    const std::regex tag(R"(<(/?)([A-Za-z0-9]+)[^<>]*?(/?)>)");
    const std::array<std::string, 2> empty{"meta", "!DOCTYPE"};
    std::vector<std::string> open;
    for (std::sregex_iterator it(html.begin(), html.end(), tag), end; it != end; ++it) {
        const std::string name = (*it)[2];
        if ((*it)[3] == "/" || std::find(empty.begin(), empty.end(), name) != empty.end())
            continue;
        if ((*it)[1] != "/") {
            open.push_back(name);
            continue;
        }
        if (open.empty() || open.back() != name)
            return "</" + name + "> closes " + (open.empty() ? "nothing" : open.back());
        open.pop_back();
    }
    return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

Report everyFigure()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Report report{
        .title = "T", .subtitle = "S", .headline = "H", .sections = {{.title = "Figures", .figuresAcross = 2}}};
    std::vector<ReportFigure> &figures = report.sections[0].figures;
    figures.push_back({.title = "Loss",
        .xLabel = "step",
        .yLabel = "nats",
        .series = {{.name = "measured", .x = {1, 2, 3, 4}, .y = {4, nan, 3, 2.5}},
            {.name = "predicted", .x = {1, 4}, .y = {3, 3}, .low = {2, 2}, .high = {4, 4}, .missingX = {2}}},
        .limit = 2,
        .limitLabel = "target"});
    figures.push_back(
        {.title = "GPUs", .doublings = true, .series = {{.name = "A", .x = {1, 2, 64}, .y = {1, 2, 40}}}});
    figures.push_back({.title = "Time",
        .yLabel = "ms",
        .kind = FigureKind::Bars,
        .categories = {"gemm", "other"},
        .series = {{.name = "ms", .y = {10, 5}}}});
    figures.push_back({.title = "Memory",
        .yLabel = "GiB",
        .kind = FigureKind::StackedBars,
        .categories = {"peak"},
        .series = {{.name = "weights", .y = {10}}, {.name = "activations", .y = {30}}},
        .limit = 80,
        .limitLabel = "GPU"});
    figures.push_back({.title = "Step",
        .kind = FigureKind::StackedAreas,
        .series = {{.name = "a", .x = {0, 1, 2}, .y = {1, 2, 1}}, {.name = "b", .x = {0, 1, 2}, .y = {3, 3, 3}}}});
    figures.push_back({.title = "Nothing", .series = {{.name = "empty"}}});
    return report;
}

TEST(HtmlReport, LoadsNothingFromAnywhere)
{
    for (const Report &report : {planReport(examplePrediction()), everyFigure()}) {
        const std::string html = reportHtml(report);
        EXPECT_THAT(html, HasSubstr("default-src 'none'"));
        for (const char *loading : {"src=", "<script", "<link", "@import", "url(", "<img", "<iframe", "xlink"})
            EXPECT_THAT(html, Not(HasSubstr(loading)));
        EXPECT_EQ(firstFault(html), "");
    }
}

TEST(HtmlReport, HasEverySectionTableAndFigureOfTheReport)
{
    const Report report = planReport(examplePrediction());
    const std::string html = reportHtml(report);
    EXPECT_THAT(html, HasSubstr("<title>" + htmlText(report.title) + "</title>"));
    EXPECT_THAT(html, HasSubstr(htmlText(report.headline)));
    for (const ReportSection &section : report.sections) {
        EXPECT_THAT(html, HasSubstr("<h2>" + htmlText(section.title) + "</h2>"));
        for (const ReportTable &table : section.tables) {
            for (const auto &row : table.rows) {
                for (const std::string &cell : row)
                    EXPECT_THAT(html, HasSubstr(">" + htmlText(cell) + "</td>"));
            }
        }
        for (const ReportFigure &figure : section.figures)
            EXPECT_THAT(html, HasSubstr("<figcaption>" + htmlText(figure.title)));
    }
}

TEST(HtmlReport, LinesDifferInTheirDashesWhateverTheirRunsAreCalled)
{
    const auto drawn = [](const char *first, const char *second) {
        return svgFigure({.title = "Loss",
            .series = {{.name = first, .x = {1, 2}, .y = {3, 2}}, {.name = second, .x = {1, 2}, .y = {4, 2}}}});
    };
    const std::string runs = drawn("first", "second"), others = drawn("predicted", "measured");
    EXPECT_THAT(runs, HasSubstr(R"(<path class="line s0" d=)"));
    EXPECT_THAT(runs, HasSubstr(R"(<path class="line s1 dashed" d=)"));
    EXPECT_THAT(runs, HasSubstr(R"(<line class="line s1 dashed")")) << "in the key too";
    EXPECT_THAT(others, HasSubstr(R"(<path class="line s0" d=)"));
    EXPECT_THAT(others, HasSubstr(R"(<path class="line s1 dashed" d=)"));
}

TEST(HtmlReport, AComparisonNamesItsOnlyLine)
{
    ReportFigure figure{.title = "Loss", .series = {{.name = "first run", .x = {1, 2}, .y = {3, 2}}}};
    EXPECT_THAT(svgFigure(figure), Not(HasSubstr("first run"))) << "the report is about one run";
    figure.namesSeries = true;
    EXPECT_THAT(svgFigure(figure), HasSubstr("</svg> first run</li>"));
}

TEST(HtmlReport, AxesHaveNoZerosAfterThePoint)
{
    const std::string svg = svgFigure({.title = "Speed", .series = {{.name = "a", .x = {1, 2}, .y = {15000, 2500}}}});
    EXPECT_THAT(svg, HasSubstr(">2K<"));
    EXPECT_THAT(svg, HasSubstr(">10K<"));
    EXPECT_THAT(svg, Not(HasSubstr(".0K")));
}

// The sum of the numbers that the groups of the pattern find, for each match.
std::vector<double> numbersAt(const std::string &svg, const std::string &pattern)
{
    std::vector<double> sums;
    const std::regex wanted(pattern);
    for (std::sregex_iterator it(svg.begin(), svg.end(), wanted), end; it != end; ++it) {
        sums.push_back(0);
        for (std::size_t group = 1; group < it->size(); ++group)
            sums.back() += std::stod((*it)[group]);
    }
    return sums;
}

TEST(HtmlReport, NumbersAreBesideTheDrawingAndNotOnIt)
{
    const std::string lines = svgFigure({.title = "Loss", .series = {{.name = "a", .x = {1, 2}, .y = {3, 2}}}});
    const double left = numbersAt(lines, R"r(<line class="grid" x1="([0-9.]+)")r").at(0);
    const std::vector<double> ticks =
        numbersAt(lines, R"r(<text class="axis" x="([0-9.]+)" y="[0-9.]+" text-anchor="end">)r");
    EXPECT_GE(ticks.size(), 2);
    for (const double end : ticks)
        EXPECT_LT(end, left) << "the end of a number on the vertical axis";
    const std::string bars = svgFigure({.title = "Memory",
        .yLabel = "GiB",
        .kind = FigureKind::StackedBars,
        .categories = {"peak"},
        .series = {{.name = "weights", .y = {10}}, {.name = "activations", .y = {30}}}});
    const std::vector<double> sums =
        numbersAt(bars, R"r(<text class="name" x="([0-9.]+)" y="[0-9.]+" text-anchor="start">40 GiB<)r");
    ASSERT_EQ(sums.size(), 1);
    for (const double end : numbersAt(bars, R"r(<rect class="f[0-9]" x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)")r"))
        EXPECT_GT(sums.front(), end) << "the sum is behind the bar";
}

TEST(HtmlReport, AnAxisOfStepsHasNoTicksBetweenSteps)
{
    const auto drawn = [](double last) {
        return svgFigure({.title = "Loss", .series = {{.name = "a", .x = {1, 2, last}, .y = {400, 200, 100}}}});
    };
    EXPECT_THAT(drawn(4), HasSubstr(">3<"));
    EXPECT_THAT(drawn(4), Not(HasSubstr(">2.5<")));
    EXPECT_THAT(drawn(4.5), HasSubstr(">2.5<")) << "not an axis of steps";
}

TEST(HtmlReport, NothingShinesThroughBetweenTwoAreas)
{
    const std::string svg = svgFigure({.title = "Memory",
        .kind = FigureKind::StackedAreas,
        .series = {{.name = "a", .y = {1, 2}}, {.name = "b", .y = {3, 4}}}});
    EXPECT_LT(svg.find(R"(<polygon class="f1")"), svg.find(R"(<polygon class="f0")")) << "the lower area covers it";
    const std::string foot = "256.0"; // where the axis is
    const std::size_t upper = svg.find(R"(<polygon class="f1")");
    EXPECT_THAT(svg.substr(upper, svg.find("/>", upper) - upper), HasSubstr("," + foot)) << "it reaches down to zero";
}

TEST(HtmlReport, EveryPartOfTheMemoryHasAColorOfItsOwn)
{
    const std::string html = reportHtml(planReport(examplePrediction()));
    std::set<std::string> colors;
    for (int part = 0; part < 10; ++part) {
        const std::string rule = ".f" + std::to_string(part) + "{fill:";
        const std::size_t at = html.find(rule);
        ASSERT_NE(at, std::string::npos) << part;
        colors.insert(html.substr(at + rule.size(), 7));
    }
    EXPECT_EQ(colors.size(), 10u);
}

TEST(HtmlReport, ShowsForeignTextAsText)
{
    const std::string hostile = "</style><script>alert(1)</script>\" onload='x'&\x01";
    ReportTable table{.title = hostile, .columns = {hostile}, .rows = {{hostile}}, .numeric = {false}};
    ReportFigure figure{.title = hostile,
        .xLabel = hostile,
        .yLabel = hostile,
        .kind = FigureKind::StackedBars,
        .categories = {hostile},
        .series = {{.name = hostile, .y = {1}}, {.name = hostile, .y = {1}}},
        .limit = 1,
        .limitLabel = hostile};
    ReportFigure lines = figure;
    lines.kind = FigureKind::Lines;
    const std::string html = reportHtml({.title = hostile,
        .subtitle = hostile,
        .headline = hostile,
        .sections = {{.title = hostile, .paragraphs = {hostile}, .tables = {table}, .figures = {figure, lines}}}});
    EXPECT_THAT(html, Not(HasSubstr("<script")));
    EXPECT_THAT(html, Not(HasSubstr("onload='")));
    EXPECT_THAT(html, Not(HasSubstr("\x01")));
    EXPECT_EQ(firstFault(html), "");
}

TEST(HtmlReport, EscapesWhatChangesTheDirectionOfWritingAndBytesThatAreNotText)
{
    EXPECT_EQ(htmlText("a\u202etxt.exe"), "a\\u202etxt.exe");
    EXPECT_EQ(htmlText("\u009b31m"), "\\u009b31m");
    EXPECT_EQ(htmlText("caf\xe9"), "caf\\xe9");
    EXPECT_EQ(htmlText("two\nlines"), "two lines");
    EXPECT_EQ(htmlText("größer 日本語"), "größer 日本語");
}

TEST(HtmlReport, AValueThatIsNotFiniteIsAGapAndNeverANumber)
{
    const std::string html = reportHtml(everyFigure());
    for (const char *wrong : {"nan", "inf"})
        EXPECT_THAT(html, Not(HasSubstr(std::string(wrong) + ","))) << wrong;
    const std::string svg = svgFigure(everyFigure().sections[0].figures[0]);
    const std::size_t begin = svg.find("d=\"") + 3;
    const std::string path = svg.substr(begin, svg.find('"', begin) - begin);
    EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2) << "the line begins again after the gap";
}

TEST(HtmlReport, EveryDrawingIsNamedForScreenReadersOrHiddenFromThem)
{
    const std::string html = reportHtml(everyFigure());
    int named = 0, hidden = 0;
    for (std::size_t at = html.find("<svg "); at != std::string::npos; at = html.find("<svg ", at + 1)) {
        const std::string tag = html.substr(at, html.find('>', at) - at);
        const bool isNamed = tag.find("role=\"img\" aria-label=\"") != std::string::npos,
                   isHidden = tag.find("aria-hidden=\"true\"") != std::string::npos;
        EXPECT_NE(isNamed, isHidden) << tag;
        ++(isNamed ? named : hidden);
    }
    EXPECT_GT(named, 0);
    EXPECT_GT(hidden, 0) << "the colours of a key";
}

TEST(HtmlReport, HasNoErrorsForTidy)
{
    if (std::system("command -v tidy >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "tidy is not installed";
    const TemporaryDirectory folder;
    for (const Report &report : {planReport(examplePrediction()), everyFigure()}) {
        writeText(folder.path() / "report.html", reportHtml(report));
        const std::string command = "tidy -q -errors --drop-empty-elements no '" +
                                    (folder.path() / "report.html").string() + "' >'" +
                                    (folder.path() / "out").string() + "' 2>&1";
        const int status = std::system(command.c_str());
        EXPECT_LT(WEXITSTATUS(status), 2) << readFile(folder.path() / "out").valueOr("");
    }
}

} // namespace
} // namespace slipway
