// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "explore/grid.h"
#include "hosts/launch.h"
#include "predict/predict.h"

namespace slipway::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRuns = 1000; // the default limit of Slurm for a job array

Result<std::vector<RunLaunchRequest>> requestsOf(const LaunchOptions &options, const Planned &planned, const Grid &grid)
{
    RunConfig base = planned.config;
    if (base.training.name.empty())
        base.training.name = std::filesystem::path(options.source.file).stem().string();
    std::vector<RunLaunchRequest> requests;
    for (std::size_t point = 0; point < grid.size(); ++point) {
        Result<RunConfig> config = configAt(base, grid, point);
        if (!config)
            return config.error();
        config->training.name = fmt::format("{}-{:03}", base.training.name, point);
        Result<Prediction> prediction = predict(*config, planned.catalogue);
        if (!prediction)
            return prediction.error();
        requests.push_back({.config = *config,
            .prediction = *std::move(prediction),
            .directory = {},
            .policy = options.force ? PreflightPolicy::IgnorePredictions : PreflightPolicy::All});
    }
    return requests;
}

Json settingsAt(const Grid &grid, std::size_t point)
{
    Json settings = Json::object();
    for (std::size_t axis = 0; axis < grid.axes.size(); ++axis)
        settings[grid.axes[axis].key] = grid.valueAt(point, axis);
    return settings;
}

std::string settingsText(const Grid &grid, std::size_t point)
{
    std::string text;
    for (std::size_t axis = 0; axis < grid.axes.size(); ++axis)
        text += (axis > 0 ? ", " : "") + grid.axes[axis].key + " " + grid.valueAt(point, axis);
    return text;
}

int sayDryRun(const LaunchOptions &options, const std::vector<RunLaunchRequest> &requests, const Grid &grid, Host &host)
{
    const Registry registry;
    const Preflight preflight = preflightOf(requests, host, registry);
    std::vector<PlannedRun> runs;
    for (const RunLaunchRequest &request : requests)
        runs.push_back({.config = request.config,
            .directory = registry.next(request.config.training.name),
            .predicted = request.prediction->cost.hours * 3600});
    Json list = Json::array(), steps = Json::array(), checks = Json::array();
    for (std::size_t point = 0; point < runs.size(); ++point) {
        list.push_back({{"name", runs[point].config.training.name}, {"settings", settingsAt(grid, point)},
            {"seconds", *runs[point].predicted}});
        if (!options.json)
            print(fmt::format("{}  {}: {}\n", runs[point].config.training.name, settingsText(grid, point),
                formatSeconds(*runs[point].predicted)));
    }
    if (!options.json)
        print(fmt::format("\nWould launch {} runs on {} as one job array:\n", runs.size(), host.name()));
    for (const PlannedCommand &step : host.plannedCommands(runs)) {
        steps.push_back({{"what", step.what}, {"command", step.asRun()}});
        if (!options.json)
            print("  # " + step.what + "\n  " + step.asRun() + "\n");
    }
    for (const PreflightCheck &check : preflight.checks) {
        checks.push_back(
            {{"what", check.what}, {"passed", check.passed}, {"warning", check.warning}, {"detail", check.detail}});
        if (!options.json)
            print(fmt::format("  {} {}: {}\n",
                !check.passed   ? "missing"
                : check.warning ? "warning"
                                : "ok     ",
                check.what, check.detail));
    }
    if (options.json)
        print(dumped({{"version", 1}, {"host", host.name()}, {"runs", list}, {"commands", steps}, {"checks", checks}}));
    if (preflight.passed(options.force ? PreflightPolicy::IgnorePredictions : PreflightPolicy::All))
        return Done;
    return preflight.fault() == Fault::Input ? BadInput : OutsideFault;
}

} // namespace

int launchGrid(const LaunchOptions &options)
{
    if (!options.runDirectory.empty())
        return fail(
            {.what = "cannot be combined with --grid: each run of a grid gets a new directory", .where = "--run-dir"});
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
        return fail({.what = "has " + std::to_string(grid->size()) + " points",
            .where = "--grid",
            .accepted = "1 to " + std::to_string(kMostRuns)});
    if (const Result<void> atOnce = checkRunsAtOnce(grid->size(), **host); !atOnce)
        return fail(atOnce.error());
    const Result<std::vector<RunLaunchRequest>> requests = requestsOf(options, *planned, *grid);
    if (!requests)
        return fail(requests.error());
    for (const RunLaunchRequest &request : *requests) {
        if (const Result<void> budget = checkBudget(request); !budget)
            return fail(placed(budget.error(), options.source));
    }
    if (options.dryRun)
        return sayDryRun(options, *requests, *grid, **host);
    const Result<std::vector<LaunchedRun>> runs = launchAll(*requests, **host, Registry());
    if (!runs)
        return fail(runs.error());
    Json list = Json::array();
    for (std::size_t point = 0; point < runs->size(); ++point) {
        const LaunchedRun &run = (*runs)[point];
        list.push_back({{"name", run.directory.filename().string()}, {"directory", run.directory.string()},
            {"job", run.started.job}, {"settings", settingsAt(*grid, point)}});
        if (!options.json)
            print(fmt::format(
                "{}  job {}  {}\n", run.directory.filename().string(), run.started.job, settingsText(*grid, point)));
    }
    if (options.json)
        print(dumped({{"version", 1}, {"runs", list}}));
    return Done;
}

} // namespace slipway::cli
