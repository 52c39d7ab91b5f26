// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/follow.h"
#include "cli/hosted_run.h"
#include "cli/launch_request.h"
#include "cli/script_source.h"
#include "config/field_text.h"
#include "hardware/user_prices.h"
#include "hosts/shell_quote.h"
#include "hosts/stop_run.h"
#include "predict/predict.h"

namespace slipway::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr Seconds kLongestWait = 30 * 86'400.0;

int sayStarted(const LaunchedRun &run, bool json, bool detach)
{
    const std::string name = run.directory.filename().string();
    if (json) {
        Json started{{"version", 1}, {"name", name}, {"directory", run.directory.string()},
            {"pgid", run.started.processGroup}, {"already", run.started.already}};
        if (!run.started.job.empty())
            started["job"] = run.started.job;
        print(dumped(started));
        return Done;
    }
    print(startedText(run));
    if (detach)
        print("`slipway watch " + shellQuoted(name) + "` follows the run, `slipway stop " + shellQuoted(name) +
              "` stops it\n");
    return detach ? Done : followRun(run.directory);
}

Result<RunLaunchRequest> requestFrom(const LaunchOptions &options)
{
    Result<RunConfig> config = configFrom(options.source);
    if (!config)
        return config.error();
    if (!options.command.empty())
        config->training.command = options.command;
    RunLaunchRequest request{.config = {}, .prediction = {}, .directory = {}};
    if (config->training.runsScript()) {
        Result<ScriptPlan> plan = scriptPlanFrom(options, *std::move(config));
        if (!plan)
            return plan.error();
        request.config = std::move(plan->config);
        request.prediction = std::move(plan->prediction);
        request.noPlan = std::move(plan->noPlan);
    } else {
        Result<Planned> planned = planFrom(options.source);
        if (!planned)
            return planned.error();
        request.config = std::move(planned->config);
        request.prediction = std::move(planned->prediction);
    }
    if (request.config.training.name.empty())
        request.config.training.name = std::filesystem::path(options.source.file).stem().string();
    request.moves = {.keepCheckpoints = options.keepCheckpoints || !options.thenOn.empty(),
        .checkpointsIn = options.checkpointsIn,
        .thenOn = options.thenOn,
        .moves = {}};
    request.policy = options.force ? PreflightPolicy::IgnorePredictions : PreflightPolicy::All;
    if (!options.runDirectory.empty())
        request.directory = options.runDirectory;
    return request;
}

} // namespace

int sayDryRun(const LaunchOptions &options, const RunLaunchRequest &request, Host &host, const Registry &registry,
    const Json &head)
{
    const Preflight preflight = host.preflight(request.config, request.directory.value_or(registry.folder()),
        request.prediction ? checkpointDiskBytes(*request.prediction) : 0);
    const std::string folder =
        request.directory ? request.directory->string() : registry.next(request.config.training.name).string();
    const std::vector<std::string> command = host.trainerCommand(request.config, folder, false);
    const std::optional<Seconds> predicted =
        request.prediction ? std::optional(request.prediction->cost.hours * 3600) : std::nullopt;
    const std::vector<PlannedCommand> planned =
        host.plannedCommands({{.config = request.config, .directory = folder, .predicted = predicted}});
    if (options.json) {
        Json checks = Json::array();
        for (const PreflightCheck &check : preflight.checks)
            checks.push_back(
                {{"what", check.what}, {"passed", check.passed}, {"warning", check.warning}, {"detail", check.detail}});
        Json steps = Json::array();
        for (const PlannedCommand &step : planned)
            steps.push_back({{"what", step.what}, {"command", step.asRun()}});
        Json all{{"version", 1}};
        all.update(head);
        all.update(Json{{"host", host.name()}, {"command", command}, {"commands", steps}, {"checks", checks},
            {"prediction", request.prediction ? toJson(*request.prediction) : Json(nullptr)}});
        print(dumped(all));
    } else {
        print((request.prediction ? toText(*request.prediction) : request.noPlan + "\n") + "\nWould launch on " +
              host.name() + ":\n");
        for (const PlannedCommand &step : planned)
            print("  # " + step.what + "\n  " + step.asRun() + "\n");
        print("\n");
        for (const PreflightCheck &check : preflight.checks)
            print(fmt::format("  {} {}: {}\n",
                !check.passed   ? "missing"
                : check.warning ? "warning"
                                : "ok     ",
                check.what, check.detail));
    }
    if (preflight.passed(options.force ? PreflightPolicy::IgnorePredictions : PreflightPolicy::All))
        return Done;
    if (!options.json) // which has the checks
        note("slipway: a launch would be refused: see the checks that are marked as missing");
    return preflight.fault() == Fault::Input ? BadInput : OutsideFault;
}

std::string startedText(const LaunchedRun &run)
{
    return fmt::format("{} {} in {}\n",
        run.started.already ? "already running:" : "started:", run.directory.filename().string(),
        run.directory.string());
}

int launch(const LaunchOptions &options)
{
    if (options.source.file.empty() && options.command.empty())
        return fail({.what = "needs a configuration file", .where = "launch", .accepted = "FILE.yaml, or -- COMMAND"});
    if (!options.grid.empty() && (options.keepCheckpoints || !options.thenOn.empty()))
        return fail({.what = "is not valid with --grid",
            .where = options.thenOn.empty() ? "--keep-checkpoints-here" : "--then-on"});
    if (options.probe)
        return launchProbe(options);
    if (!options.grid.empty())
        return launchGrid(options);
    if (options.json && !options.detach && !options.dryRun)
        return fail({.what = "is valid only with --detach or --dry-run", .where = "--json"});
    const Result<std::unique_ptr<Host>> host = makeHost(options.host, options.sbatch);
    if (!host)
        return fail(host.error());
    const Result<RunLaunchRequest> planned = requestFrom(options);
    if (!planned)
        return fail(planned.error());
    const RunLaunchRequest &request = *planned;
    const Registry registry;
    if (const Result<void> budget = checkBudget(request); !budget)
        return fail(placed(budget.error(), options.source));
    if (const Result<void> moves = checkRunMoves(request.moves, (*host)->name(), request.config); !moves)
        return fail(moves.error());
    if (options.dryRun)
        return sayDryRun(options, request, **host, registry, Json::object());
    if (request.prediction && request.prediction->memory.verdict == Verdict::Oom)
        note(fmt::format("warning: the predicted peak memory exceeds the capacity: {} of {}",
            formatBytes(request.prediction->memory.peak), formatBytes(request.prediction->memory.capacity)));
    const Result<LaunchedRun> run = launchRun(request, **host, registry);
    return run ? sayStarted(*run, options.json, options.detach) : fail(run.error());
}

int stop(const RunOptions &options)
{
    const Result<HostedRun> run = findHostedRun(options.run);
    if (!run)
        return fail(run.error());
    StopTimeouts timeouts = options.now ? kStopNow : StopTimeouts();
    if (!options.wait.empty()) {
        const std::optional<Seconds> wait = durationFromText(options.wait);
        if (!wait || *wait < 0 || *wait > kLongestWait)
            return fail({.what = "'" + options.wait + "' is not a valid waiting time",
                .where = "--wait",
                .accepted = "a time such as 90s, 10m or 2h, at most 30d"});
        timeouts.workTimeout = std::chrono::milliseconds(static_cast<std::int64_t>(*wait * 1000));
    }
    const Result<RunStatus> status =
        stopRun(run->directory, *run->host, timeouts, [](const std::string &text) { note(text); });
    if (!status)
        return fail(status.error());
    print(fmt::format("{}: {}{}\n", run->directory.filename().string(), enumName(status->state),
        status->detail.empty() ? "" : ", " + status->detail));
    return Done;
}

int resume(const RunOptions &options)
{
    const Result<HostedRun> run = findHostedRun(options.run);
    if (!run)
        return fail(run.error());
    const Result<LaunchedRun> resumed = resumeRun(run->directory, *run->host);
    return resumed ? sayStarted(*resumed, false, options.detach) : fail(resumed.error());
}

} // namespace slipway::cli
