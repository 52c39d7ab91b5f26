// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/interrupt_guard.h"
#include "cli/progress_line.h"
#include "cli/shown_rows.h"
#include "cli/skip_reasons.h"
#include "explore/sweep_csv.h"
#include "hardware/user_prices.h"

namespace slipway::cli {

namespace {

// Prints the points of a sweep with all their choices as they are computed. JSON is written at once. For a table, only
// the rows that are shown are kept.
class Output {
public:
    // `asked` is the grid that was given, and `all` is the same grid with all choices.
    Output(const Grid &asked, const Grid &all, bool json) : m_grid(all), m_json(json)
    {
        if (m_json)
            print("{\"version\": 1, \"grid\": " + gridJson(asked).dump() + ", \"points\": [");
    }

    void add(const SweepPoint &point)
    {
        if (m_json)
            print((m_count > 0 ? ",\n" : "\n") + toJson(m_grid, point).dump());
        else if (m_count < kRowsShown)
            m_shown.push_back(point);
        ++m_count;
        m_skipped.add(point.skipped);
    }

    void finish(const SweepStatus &end, const std::vector<std::size_t> &pareto)
    {
        if (m_json) {
            print(fmt::format("],\n\"pareto\": {}, \"done\": {}, \"cancelled\": {}, \"seconds\": {}}}\n",
                nlohmann::ordered_json(pareto).dump(), end.done, end.cancelled(), formatExact(end.seconds)));
            return;
        }
        print(table());
        print(hiddenRowsText(m_count));
        print(m_skipped.text());
        print(fmt::format("{} points in {}, {:.0f} per second\n", end.done, formatSeconds(end.seconds),
            double(end.done) / std::max(1e-9, end.seconds)));
    }

private:
    [[nodiscard]] std::string table() const;

    const Grid &m_grid;
    bool m_json;
    std::size_t m_count = 0;
    std::vector<SweepPoint> m_shown;
    SkipReasons m_skipped;
};

std::string Output::table() const
{
    std::vector<std::vector<std::string>> rows{{}};
    std::vector<std::size_t> varying;
    for (std::size_t i = 0; i < m_grid.axes.size(); ++i) {
        if (m_grid.axes[i].values.size() > 1)
            varying.push_back(i);
    }
    for (const std::size_t i : varying)
        rows[0].push_back(m_grid.axes[i].key);
    for (const char *column : {"verdict", "peak", "tokens/s", "MFU %", "tokens/$"})
        rows[0].emplace_back(column);
    for (const SweepPoint &p : m_shown) {
        std::vector<std::string> row;
        for (const std::size_t i : varying)
            row.push_back(m_grid.valueAt(p.index, i));
        const bool known = p.skipped.empty();
        for (std::string cell : {known ? std::string(enumName(p.verdict)) : std::string("skipped"),
                 known ? formatBytes(p.peak) : std::string(), known ? formatCount(p.tokensPerSecond) : std::string(),
                 known ? fmt::format("{:.1f}", 100 * p.mfu) : std::string(),
                 p.tokensPerUsd ? formatCount(*p.tokensPerUsd) : std::string()})
            row.push_back(std::move(cell));
        rows.push_back(std::move(row));
    }
    std::vector<bool> right(varying.size(), false);
    right.insert(right.end(), {false, true, true, true, true});
    return alignedTable(rows, right);
}

std::vector<std::size_t> indicesOf(const ParetoFront &front)
{
    std::vector<std::size_t> indices;
    for (const ParetoFront::Member &member : front.members())
        indices.push_back(member.index);
    std::sort(indices.begin(), indices.end());
    return indices;
}

// Outputs all points, the best ones of each combination, or only the Pareto front.
Result<SweepStatus> run(const SweepRequest &request, const SweepOptions &options)
{
    const Grid all = withAllChoices(request.grid, request.base);
    std::optional<BestBy> best;
    if (!options.bestBy.empty()) {
        Result<BestBy> created = BestBy::create(all, keysOfList(options.bestBy));
        if (!created)
            return created.error();
        best.emplace(*std::move(created));
    }
    std::optional<SweepCsv> csv;
    if (!options.csv.empty())
        csv.emplace(options.csv, all);
    if (csv && csv->failure())
        return *csv->failure();
    Output output(request.grid, all, options.json);
    ParetoFront front;
    ProgressLine progress("points", request.grid.size());
    const InterruptGuard guard;
    const auto deliver = [&](const SweepPoint &point) {
        const std::int64_t mark = csv ? csv->add(point) : 0;
        output.add(point);
        return mark;
    };
    const bool streams = !best && !options.pareto;
    const SweepStatus end = forEachPoint(request, [&](SweepPoint &&point) {
        front.add(point, streams ? deliver(point) : 0);
        if (best)
            best->add(point);
        progress.advance();
        return !InterruptGuard::interrupted();
    });
    progress.finish();
    ParetoFront shown; // the front of the written points, if not all points are written
    const std::vector<std::size_t> onFront = indicesOf(front);
    if (best) {
        for (const SweepPoint &point : best->points()) {
            if (!options.pareto || std::binary_search(onFront.begin(), onFront.end(), point.index))
                shown.add(point, deliver(point));
        }
    } else if (options.pareto) {
        for (const std::size_t index : onFront) {
            const SweepPoint point = predictPoint(request, index);
            shown.add(point, deliver(point));
        }
    }
    output.finish(end, onFront);
    if (csv) {
        if (const Result<void> written = csv->finish(streams ? front : shown); !written)
            return written.error();
    }
    return end;
}

} // namespace

int sweepGrid(const SweepOptions &options)
{
    const Result<RunConfig> base = configFrom(options.source);
    if (!base)
        return fail(base.error());
    const Result<Grid> grid = readGrid(options.grid);
    if (!grid)
        return fail(grid.error());
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    const Result<SweepStatus> end = run({.base = *base, .grid = *grid, .catalogue = *catalogue}, options);
    if (!end)
        return fail(end.error());
    if (end->cancelled()) {
        note(fmt::format("slipway: stopped after {} of {} points; the output is incomplete", end->done, end->all));
        return No;
    }
    return options.pdf.empty() ? Done : drawConfigPdf("sweep", options.grid, *base, options.pdf);
}

} // namespace slipway::cli
