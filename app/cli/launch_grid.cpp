// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "explore/grid.h"
#include "hosts/launch.h"
#include "hosts/shell_quote.h"
#include "predict/predict.h"

namespace slipway::cli {

namespace {

constexpr std::size_t kMostRuns = 1000; // Slurm's own default for an array

Result<std::vector<LaunchOrder>> ordersOf(const LaunchOptions &options, const Planned &planned, const Grid &grid)
{
    RunConfig base = planned.config;
    if (base.training.name.empty())
        base.training.name = std::filesystem::path(options.source.file).stem().string();
    std::vector<LaunchOrder> orders;
    for (std::size_t point = 0; point < grid.size(); ++point) {
        Result<RunConfig> config = configAt(base, grid, point);
        if (!config)
            return config.error();
        config->training.name = fmt::format("{}-{:03}", base.training.name, point);
        Result<Prediction> prediction = predict(*config, planned.catalogue);
        if (!prediction)
            return prediction.error();
        orders.push_back({.config = *config, .prediction = *std::move(prediction), .directory = {}, .strictness = options.force ? Strictness::NotPredictions : Strictness::All});
    }
    return orders;
}

} // namespace

int launchGrid(const LaunchOptions &options)
{
    if (!options.runDirectory.empty())
        return fail({.what = "is of one run; those of a grid get new ones", .where = "--run-dir"});
    const Result<std::unique_ptr<Host>> host = makeHost(options.host, options.sbatch);
    if (!host)
        return fail(host.error());
    const Result<Planned> planned = planFrom(options.source);
    if (!planned)
        return fail(planned.error());
    const Result<Grid> grid = readGrid(options.grid);
    if (!grid)
        return fail(grid.error());
    if (grid->size() == 0 || grid->size() > kMostRuns)
        return fail({.what = "has " + std::to_string(grid->size()) + " points", .where = "--grid", .accepted = "1 to " + std::to_string(kMostRuns)});
    const Result<std::vector<LaunchOrder>> orders = ordersOf(options, *planned, *grid);
    if (!orders)
        return fail(orders.error());
    if (options.dryRun) {
        const Registry registry;
        const LaunchOrder &first = orders->front();
        print(fmt::format("{} runs on {}, as one job array. The first:\n", orders->size(), (*host)->name()));
        for (const PlannedCommand &step : (*host)->plannedCommands(first.config, registry.folder() / first.config.training.name))
            print("  # " + step.what + "\n  " + step.command + "\n");
        return Done;
    }
    const Result<std::vector<LaunchedRun>> runs = launchAll(*orders, **host, Registry());
    if (!runs)
        return fail(runs.error());
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const LaunchedRun &run : *runs) {
        list.push_back({{"name", run.directory.filename().string()}, {"directory", run.directory.string()}, {"job", run.started.job}});
        if (!options.json)
            print(fmt::format("{}  job {}\n", run.directory.filename().string(), run.started.job));
    }
    if (options.json)
        print(nlohmann::json{{"version", 1}, {"runs", list}}.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    return Done;
}

} // namespace slipway::cli
