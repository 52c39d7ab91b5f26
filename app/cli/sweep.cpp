// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "explore/sweep.h"
#include "hardware/user_prices.h"

namespace slipway::cli {

namespace {

constexpr std::size_t kRowsShown = 60;

std::string tableOf(const Sweep &sweep)
{
    std::vector<std::vector<std::string>> rows{{}};
    std::vector<std::size_t> varying;
    for (std::size_t i = 0; i < sweep.grid.axes.size(); ++i) {
        if (sweep.grid.axes[i].values.size() > 1)
            varying.push_back(i);
    }
    for (const std::size_t i : varying)
        rows[0].push_back(sweep.grid.axes[i].key);
    for (const char *column : {"verdict", "peak", "tokens/s", "MFU %", "tokens/$"})
        rows[0].emplace_back(column);
    for (const SweepPoint &p : sweep.points) {
        if (rows.size() > kRowsShown)
            break;
        std::vector<std::string> row;
        for (const std::size_t i : varying)
            row.push_back(p.values[i]);
        const bool known = p.skipped.empty();
        for (std::string cell : {known ? std::string(enumName(p.verdict)) : std::string("skipped"), known ? formatBytes(p.peak) : std::string(), known ? formatCount(p.tokensPerSecond) : std::string(),
                                 known ? fmt::format("{:.1f}", 100 * p.mfu) : std::string(), p.tokensPerUsd ? formatCount(*p.tokensPerUsd) : std::string()})
            row.push_back(std::move(cell));
        rows.push_back(std::move(row));
    }
    std::vector<bool> right(varying.size(), false);
    right.insert(right.end(), {false, true, true, true, true});
    std::string text = alignedTable(rows, right);
    if (sweep.points.size() > kRowsShown)
        text += fmt::format("... {} of {} points; --csv or --json gives all\n", kRowsShown, sweep.points.size());
    return text + fmt::format("{} points in {}\n", sweep.points.size(), formatSeconds(sweep.seconds));
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
    const bool shows = ::isatty(STDERR_FILENO) != 0;
    Sweep swept = sweep(*base, *grid, *catalogue, [shows](std::size_t done, std::size_t all) {
        if (shows && (done % 512 == 0 || done == all))
            note(fmt::format("{} of {} points", done, all));
        return true;
    });
    if (!options.bestBy.empty()) {
        std::vector<std::string> keys;
        for (const std::string_view key : split(options.bestBy, ',')) {
            keys.emplace_back(trimmed(key));
            std::replace(keys.back().begin(), keys.back().end(), '-', '_');
        }
        Result<Sweep> best = bestBy(swept, keys);
        if (!best)
            return fail(best.error());
        swept = *std::move(best);
    }
    if (!options.csv.empty()) {
        if (const Result<void> written = writeFileAtomically(options.csv, toCsv(swept)); !written)
            return fail(written.error());
    }
    print(options.json ? toJson(swept).dump(2) + "\n" : tableOf(swept));
    return Done;
}

} // namespace slipway::cli
