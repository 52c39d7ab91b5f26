// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/explore_report.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "config/choice_names.h"
#include "config/settings.h"
#include "explore/figures.h"
#include "report/report_tables.h"

namespace slipway {

namespace {

// "micro_batch": "Micro batch"; "gpus": "GPUs".
std::string columnName(const std::string &key)
{
    if (key.starts_with("gpu"))
        return "GPU" + key.substr(3);
    std::string name = titleCase(key);
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

// "h100-sxm-80gb": "H100 80GB SXM5", "fsdp-full": "FSDP, full shard"; other values as the grid has them.
std::string valueName(const std::string &key, const std::string &value, const Catalogue &catalogue)
{
    const Result<Gpu> gpu = key == "gpu" ? catalogue.gpu(value) : Error{};
    return gpu ? gpu->name : choiceName(key, value);
}

ReportSection bestSection(const Sweep &sweep, const Catalogue &catalogue)
{
    ReportSection section{.title = "The best points"};
    std::vector<std::string> keys;
    for (const char *key : {"model", "gpu"}) {
        if (const auto axis = sweep.grid.axisOf(key); axis && sweep.grid.axes[*axis].values.size() > 1)
            keys.emplace_back(key);
    }
    section.paragraphs.push_back("The points with the most tokens per dollar for each " +
                                 (keys.empty()          ? std::string("grid")
                                     : keys.size() == 1 ? columnName(keys[0])
                                                        : "model and GPU") +
                                 ", across all other settings.");
    Result<BestBy> best = BestBy::create(sweep.grid, keys);
    for (const SweepPoint &point : sweep.points)
        best->add(point);
    ReportTable table;
    std::vector<std::size_t> axes;
    for (std::size_t i = 0; i < sweep.grid.axes.size(); ++i) {
        if (sweep.grid.axes[i].values.size() < 2)
            continue;
        axes.push_back(i);
        table.columns.push_back(columnName(sweep.grid.axes[i].key));
        table.numeric.push_back(false);
    }
    for (const char *column : {"Peak", "Tokens/s", "MFU", "Tokens/$"}) {
        table.columns.emplace_back(column);
        table.numeric.push_back(true);
    }
    for (const SweepPoint &point : best->points()) {
        std::vector<std::string> row;
        for (const std::size_t axis : axes)
            row.push_back(valueName(sweep.grid.axes[axis].key, sweep.grid.valueAt(point.index, axis), catalogue));
        if (point.runs()) {
            row.insert(
                row.end(), {formatBytes(point.peak), formatCount(point.tokensPerSecond), formatPercent(point.mfu),
                               point.tokensPerUsd ? formatCount(*point.tokensPerUsd) : "unknown"});
        } else {
            row.insert(row.end(), {point.skipped.empty() ? "nothing fits" : "cannot be planned", "", "", ""});
        }
        table.rows.push_back(std::move(row));
    }
    section.tables.push_back(std::move(table));
    return section;
}

ReportSection figureSection(const SweepFigure &figure, const Catalogue &catalogue)
{
    ReportSection section{.title = figure.title, .figuresAcross = 2, .newPage = true};
    section.paragraphs.push_back(figure.question + " Each point is the best across all settings that are not shown; a "
                                                   "cross at the bottom means that nothing fits.");
    for (const FigurePanel &panel : figure.panels) {
        ReportFigure drawn{.title = panel.name.empty() ? figure.title : panel.name,
            .xLabel = figure.xLabel,
            .yLabel = figure.yLabel,
            .kind = FigureKind::Lines,
            .doublings = true,
            .namesSeries = true};
        for (const FigureLine &line : panel.lines) {
            ReportSeries series{.name = valueName(figure.id, line.name, catalogue)};
            for (const FigureDot &dot : line.dots) {
                if (dot.oom) {
                    series.missingX.push_back(dot.x);
                } else {
                    series.x.push_back(dot.x);
                    series.y.push_back(dot.y);
                }
            }
            drawn.series.push_back(std::move(series));
        }
        section.figures.push_back(std::move(drawn));
    }
    return section;
}

} // namespace

Report exploreReport(const Sweep &sweep, const Catalogue &catalogue)
{
    const auto count = [&](auto what) { return std::count_if(sweep.points.begin(), sweep.points.end(), what); };
    const auto skipped = count([](const SweepPoint &p) { return !p.skipped.empty(); });
    Report report{
        .title = sweep.grid.name == "paper" ? "Exploration: the paper's grid" : "Exploration: " + sweep.grid.name,
        .subtitle = fmt::format("{} points, prices: {}", sweep.points.size(), sweep.prices),
        .headline = fmt::format("{} of {} points fit, {} are out of memory.",
            count([](const SweepPoint &p) { return p.runs(); }), sweep.points.size(),
            count([](const SweepPoint &p) { return p.skipped.empty() && p.verdict == Verdict::Oom; }))};
    if (skipped > 0)
        report.headline += fmt::format(" {} cannot be planned.", skipped);
    if (sweep.end.cancelled())
        report.headline += fmt::format(" The grid was stopped after {} of {} points.", sweep.end.done, sweep.end.all);
    report.sections.push_back(bestSection(sweep, catalogue));
    for (const SweepFigure &figure : paperFigures(sweep))
        report.sections.push_back(figureSection(figure, catalogue));
    return report;
}

} // namespace slipway
