// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/interrupt_guard.h"
#include "cli/progress_line.h"
#include "cli/shown_rows.h"
#include "cli/skip_reasons.h"
#include "cli/serve_sweep.h"
#include "explore/serving_sweep.h"

namespace slipway::cli {

namespace {

std::string tableOf(const Grid &grid, const std::vector<ServingPoint> &points)
{
    std::vector<std::vector<std::string>> rows{{}};
    std::vector<std::size_t> varying;
    for (std::size_t i = 0; i < grid.axes.size(); ++i) {
        if (grid.axes[i].values.size() > 1)
            varying.push_back(i);
    }
    for (const std::size_t i : varying)
        rows[0].push_back(grid.axes[i].key);
    const bool loaded =
        std::any_of(points.begin(), points.end(), [](const ServingPoint &p) { return p.load.has_value(); });
    std::vector<std::string> columns{"verdict", "peak", "sequences", "first token", "per token", "tokens/s", "$/1M"};
    if (loaded)
        columns.insert(columns.end(), {"TTFT P99", "TPOT P99"});
    rows[0].insert(rows[0].end(), columns.begin(), columns.end());
    for (std::size_t i = 0; i < std::min(kRowsShown, points.size()); ++i) {
        const ServingPoint &p = points[i];
        const ServeOutcome &o = p.outcome;
        std::vector<std::string> row;
        for (const std::size_t axis : varying)
            row.push_back(grid.valueAt(p.index, axis));
        std::vector<std::string> figures{"skipped"};
        if (p.skipped.empty())
            figures = {std::string(enumName(o.verdict)), formatBytes(o.peak), std::to_string(o.maxSequences),
                formatSeconds(o.ttft), formatSeconds(o.tpot), formatCount(o.tokensPerSecond),
                o.usdPerMillionTokens ? formatUsd(*o.usdPerMillionTokens) : std::string()};
        if (p.load)
            figures.insert(
                figures.end(), {formatSeconds(p.load->result.ttft.p99), formatSeconds(p.load->result.tpot.p99)});
        figures.resize(columns.size());
        row.insert(row.end(), figures.begin(), figures.end());
        rows.push_back(std::move(row));
    }
    std::vector<bool> right(varying.size(), false);
    right.push_back(false);
    right.resize(rows[0].size(), true);
    return alignedTable(rows, right);
}

std::string reasonsText(const std::vector<ServingPoint> &points)
{
    SkipReasons skipped;
    for (const ServingPoint &p : points)
        skipped.add(p.skipped);
    return skipped.text();
}

std::string jsonOf(const Grid &asked, const Grid &all, const std::vector<ServingPoint> &points, const SweepStatus &end)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ServingPoint &p : points)
        list.push_back(toJson(all, p));
    std::vector<std::size_t> front;
    for (const ServingPoint &p : paretoFrontOf(points))
        front.push_back(p.index);
    return dumped({{"version", 1}, {"grid", gridJson(asked)}, {"points", std::move(list)}, {"pareto", front},
        {"done", end.done}, {"cancelled", end.cancelled()}, {"seconds", end.seconds}});
}

// Selects all points, the best ones of each combination, or the Pareto front.
Result<std::vector<ServingPoint>> wantedOf(
    std::vector<ServingPoint> points, const Grid &grid, const ServePlanOptions &options)
{
    if (options.pareto)
        points = paretoFrontOf(std::move(points));
    if (options.bestBy.empty())
        return points;
    Result<BestPoints<ServingPoint>> best = BestPoints<ServingPoint>::create(grid, keysOfList(options.bestBy));
    if (!best)
        return best.error();
    for (const ServingPoint &point : points)
        best->add(point);
    return best->points();
}

} // namespace

int sweepServers(
    const ServeConfig &base, const ServePlanOptions &options, const Catalogue &catalogue, const Frameworks &frameworks)
{
    const Result<Grid> grid = readServingGrid(options.grid);
    if (!grid)
        return fail(grid.error());
    const Grid all = withServingChoices(*grid, base);
    if (const Result<std::vector<ServingPoint>> none = wantedOf({}, all, options); !none)
        return fail(none.error()); // reports an invalid selection before the sweep
    ProgressLine progress("points", grid->size());
    const InterruptGuard guard;
    std::size_t shown = 0;
    ServingSweep sweep = sweepServing(
        {.base = base, .grid = *grid, .catalogue = catalogue, .frameworks = frameworks}, [&](std::size_t done) {
            for (; shown < done; ++shown)
                progress.advance();
            return !InterruptGuard::interrupted();
        });
    progress.finish();
    const bool fits = std::any_of(sweep.points.begin(), sweep.points.end(),
        [](const ServingPoint &p) { return p.skipped.empty() && p.outcome.verdict != Verdict::Oom; });
    const std::vector<ServingPoint> points = wantedOf(std::move(sweep.points), all, options).value();
    if (!options.csv.empty()) {
        if (const Result<void> written = writeNamedFile(options.csv, servingCsv(all, points)); !written)
            return fail(written.error());
    }
    if (options.json) {
        print(jsonOf(*grid, all, points, sweep.end));
    } else {
        print(tableOf(all, points));
        print(hiddenRowsText(points.size()));
        print(reasonsText(points));
        print(fmt::format("{} points in {}\n", sweep.end.done, formatSeconds(sweep.end.seconds)));
    }
    if (sweep.end.cancelled()) {
        note(fmt::format(
            "slipway: stopped after {} of {} points; the output is incomplete", sweep.end.done, sweep.end.all));
        return No;
    }
    return options.check && !fits ? No : Done;
}

} // namespace slipway::cli
