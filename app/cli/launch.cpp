// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/follow.h"
#include "hardware/user_prices.h"
#include "hosts/launch.h"
#include "hosts/shell_quote.h"
#include "predict/predict.h"

namespace slipway::cli {

namespace {

using Json = nlohmann::ordered_json;

int sayDryRun(const LaunchOptions &options, const LaunchOrder &order, Host &host, const Registry &registry)
{
    const Preflight preflight = host.preflight(order.config, order.directory.value_or(registry.folder()), checkpointDiskBytes(*order.prediction));
    const std::string folder = order.directory ? order.directory->string() : (registry.folder() / order.config.training.name).string();
    const std::vector<std::string> command = host.trainerCommand(order.config, folder, false);
    if (options.json) {
        Json checks = Json::array();
        for (const PreflightCheck &check : preflight.checks)
            checks.push_back({{"what", check.what}, {"passed", check.passed}, {"detail", check.detail}});
        print(Json{{"version", 1}, {"host", host.name()}, {"command", command}, {"checks", checks}, {"prediction", toJson(*order.prediction)}}.dump(2) + "\n");
    } else {
        print(toText(*order.prediction) + "\nWould start on " + host.name() + ":\n  " + shellQuoted(command) + "\n");
        for (const PreflightCheck &check : preflight.checks)
            print(fmt::format("  {} {}: {}\n", check.passed ? "ok     " : "missing", check.what, check.detail));
    }
    if (preflight.passed())
        return Done;
    return preflight.fault() == Fault::Input ? BadInput : OutsideFault;
}

int sayStarted(const LaunchedRun &run, bool json, bool detach)
{
    const std::string name = run.directory.filename().string();
    if (json) {
        print(Json{{"version", 1}, {"name", name}, {"directory", run.directory.string()}, {"pgid", run.started.processGroup}, {"already", run.started.already}}.dump(2) + "\n");
        return Done;
    }
    print(fmt::format("{} {} in {}\n", run.started.already ? "runs already:" : "started:", name, run.directory.string()));
    if (detach)
        print("`slipway watch " + shellQuoted(name) + "` follows it, `slipway stop " + shellQuoted(name) + "` ends it\n");
    return detach ? Done : followRun(run.directory);
}

} // namespace

int launch(const LaunchOptions &options)
{
    if (options.json && !options.detach && !options.dryRun)
        return fail({.what = "needs --detach or --dry-run", .where = "--json"});
    const Result<std::unique_ptr<Host>> host = makeHost(options.host);
    if (!host)
        return fail(host.error());
    Result<Planned> planned = planFrom(options.source);
    if (!planned)
        return fail(planned.error());
    auto &[config, catalogue, prediction] = *planned;
    if (config.training.name.empty())
        config.training.name = std::filesystem::path(options.source.file).stem().string();

    const Registry registry;
    LaunchOrder order{.config = config, .prediction = prediction};
    if (!options.runDirectory.empty())
        order.directory = options.runDirectory;
    if (options.dryRun)
        return sayDryRun(options, order, **host, registry);
    if (prediction.memory.verdict == Verdict::Oom)
        note(fmt::format("warning: predicted not to fit: {} of {}", formatBytes(prediction.memory.peak), formatBytes(prediction.memory.capacity)));
    const Result<LaunchedRun> run = launchRun(order, **host, registry);
    return run ? sayStarted(*run, options.json, options.detach) : fail(run.error());
}

int stop(const RunOptions &options)
{
    const Result<std::filesystem::path> directory = Registry().find(options.run);
    if (!directory)
        return fail(directory.error());
    const Result<std::unique_ptr<Host>> host = makeHost("local");
    const Result<RunStanding> standing = stopRun(*directory, **host, {}, [](const std::string &text) { note(text); });
    if (!standing)
        return fail(standing.error());
    print(fmt::format("{}: {}{}\n", directory->filename().string(), enumName(standing->state), standing->detail.empty() ? "" : ", " + standing->detail));
    return Done;
}

int resume(const RunOptions &options)
{
    const Result<std::filesystem::path> directory = Registry().find(options.run);
    if (!directory)
        return fail(directory.error());
    const Result<std::unique_ptr<Host>> host = makeHost("local");
    const Result<LaunchedRun> run = resumeRun(*directory, **host);
    return run ? sayStarted(*run, false, options.detach) : fail(run.error());
}

} // namespace slipway::cli
