// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/compare_report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/text.h"
#include "report/csv.h"
#include "report/report_tables.h"

namespace slipway {

namespace {

// Of the runs, in a table whose first column is `first`.
ReportTable tableOf(std::string first, const RunComparison &comparison)
{
    ReportTable table{.columns = {std::move(first)}, .numeric = {false}};
    const std::vector<std::string> names = distinctNames(comparison.names);
    for (std::size_t i = 0; i < names.size(); ++i) {
        table.columns.push_back(i == comparison.baseline ? names[i] + " (baseline)" : names[i]);
        table.numeric.push_back(true);
    }
    return table;
}

ReportSection settingsSection(const RunComparison &comparison)
{
    ReportSection section{.title = "Different settings"};
    section.paragraphs.push_back(settingsSentence(comparison, distinctNames(comparison.names)));
    if (comparison.settings.empty())
        return section;
    ReportTable table = tableOf("Setting", comparison);
    for (const DifferingSetting &setting : comparison.settings) {
        table.rows.push_back({setting.key});
        for (const std::string &value : setting.values)
            table.rows.back().push_back(value.empty() ? "-" : value);
    }
    section.tables.push_back(std::move(table));
    return section;
}

std::string measuredText(const ComparedFigure &figure, std::size_t run, std::size_t baseline)
{
    if (!figure.runs[run].measured)
        return "-";
    std::string text = formatInUnit(figure.runs[run].measured, figure.unit);
    if (run != baseline && figure.toBaseline[run])
        text += fmt::format(" ({:+.1f} %)", *figure.toBaseline[run] * 100);
    return text;
}

ReportSection measuredSection(const RunComparison &comparison)
{
    ReportSection section{.title = "Measured"};
    section.paragraphs.emplace_back("In parentheses: the difference from the baseline. " + speedSentence());
    ReportTable table = tableOf("Figure", comparison);
    for (const ComparedFigure &figure : comparison.figures) {
        table.rows.push_back({figure.name});
        for (std::size_t i = 0; i < figure.runs.size(); ++i)
            table.rows.back().push_back(measuredText(figure, i, comparison.baseline));
    }
    section.tables.push_back(std::move(table));
    return section;
}

// Empty if none of the runs has a prediction.
std::optional<ReportSection> predictedSection(const RunComparison &comparison)
{
    ReportTable table = tableOf("Figure", comparison);
    for (const ComparedFigure &figure : comparison.figures) {
        if (std::none_of(figure.runs.begin(), figure.runs.end(),
                [](const Comparison &run) { return run.predicted.has_value(); }))
            continue;
        table.rows.push_back({figure.name});
        for (const Comparison &run : figure.runs) {
            std::string text = run.predicted ? formatInUnit(run.predicted, figure.unit) : "-";
            if (run.ratio())
                text += fmt::format(" (x {:.2f})", *run.ratio());
            table.rows.back().push_back(std::move(text));
        }
    }
    if (table.rows.empty())
        return std::nullopt;
    ReportSection section{.title = "Predicted"};
    section.paragraphs.emplace_back("In parentheses: measured divided by predicted.");
    section.tables.push_back(std::move(table));
    return section;
}

ReportSection curvesSection(const RunComparison &comparison, std::span<const RunData *const> runs)
{
    ReportSection section{.title = "Curves"};
    ReportFigure loss{.title = "Loss", .xLabel = "step", .yLabel = "nats per token", .namesSeries = true};
    ReportFigure speed{.title = "Speed", .xLabel = "step", .yLabel = "tokens/s", .namesSeries = true};
    const std::vector<std::string> names = distinctNames(comparison.names);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const StepTable &steps = runs[i]->metrics; // a run of another tool may have only some of the quantities
        if (steps.measured({Quantity::Loss}))
            loss.series.push_back(curveOverSteps(*runs[i], names[i], [](const StepMetrics &m) { return m.loss; }));
        if (steps.measured({Quantity::TokensPerSecond}))
            speed.series.push_back(
                curveOverSteps(*runs[i], names[i], [](const StepMetrics &m) { return m.tokensPerSecond; }));
    }
    // Bands of several runs would hide each other's lines.
    for (ReportFigure *figure : {&loss, &speed}) {
        for (ReportSeries &series : figure->series) {
            series.low.clear();
            series.high.clear();
        }
        if (!figure->series.empty())
            section.figures.push_back(std::move(*figure));
    }
    return section;
}

} // namespace

std::vector<std::string> distinctNames(const std::vector<std::string> &names)
{
    std::vector<std::string> distinct;
    std::map<std::string, int> seen;
    for (const std::string &name : names) {
        const int count = ++seen[name];
        distinct.push_back(count == 1 ? name : fmt::format("{} ({})", name, count));
    }
    return distinct;
}

Report comparisonReport(const RunComparison &comparison, std::span<const RunData *const> runs)
{
    const std::vector<std::string> names = distinctNames(comparison.names);
    Report report{.title = fmt::format("Comparison of {} runs", names.size()),
        .subtitle = "Baseline: " + names[comparison.baseline],
        .headline = settingsSentence(comparison, names)};
    report.sections.push_back(settingsSection(comparison));
    report.sections.push_back(measuredSection(comparison));
    if (std::optional<ReportSection> predicted = predictedSection(comparison))
        report.sections.push_back(*std::move(predicted));
    if (ReportSection curves = curvesSection(comparison, runs); !curves.figures.empty())
        report.sections.push_back(std::move(curves));
    return report;
}

std::string comparisonCsv(const RunComparison &comparison)
{
    std::vector<std::string> names{"kind", "name", "unit"};
    for (const std::string &name : distinctNames(comparison.names))
        names.push_back(csvText(name));
    std::string csv = csvRecord(names);
    for (const DifferingSetting &setting : comparison.settings) {
        std::vector<std::string> row{"setting", setting.key, ""};
        for (const std::string &value : setting.values)
            row.push_back(csvText(value));
        csv += csvRecord(row);
    }
    const auto add = [&](const char *kind, std::optional<double> Comparison::*value) {
        for (const ComparedFigure &figure : comparison.figures) {
            std::vector<std::string> row{kind, figure.name, figure.unit};
            for (const Comparison &run : figure.runs)
                row.push_back(run.*value ? formatExact(*(run.*value)) : "");
            csv += csvRecord(row);
        }
    };
    add("measured", &Comparison::measured);
    add("predicted", &Comparison::predicted);
    return csv;
}

} // namespace slipway
