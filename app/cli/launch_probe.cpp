// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/follow.h"
#include "cli/launch_request.h"
#include "cli/probe_output.h"
#include "cli/script_source.h"
#include "hardware/user_prices.h"
#include "hosts/shell_quote.h"
#include "measure/probe_command.h"
#include "predict/predict.h"
#include "runs/run_reader.h"

namespace slipway::cli {

namespace {

// Tags the runs that were launched for a calibration. Later probes are fitted together with them.
constexpr const char *kProbeTag = "probe";
constexpr std::size_t kMostEarlier = 32; // most earlier probes that are read

struct EarlierProbe {
    std::filesystem::path directory;
    Observation observation;
};

bool isProbe(const RunConfig &config)
{
    const std::vector<std::string> &tags = config.training.tags;
    return std::find(tags.begin(), tags.end(), kProbeTag) != tags.end();
}

// Returns probes of the same GPU and framework, with the newest first. Runs that cannot be read or were too short are
// skipped.
std::vector<EarlierProbe> earlierProbes(
    const Registry &registry, const ResolvedConfig &planned, const Catalogue &catalogue)
{
    std::vector<EarlierProbe> earlier;
    for (const KnownRun &known : registry.list()) {
        if (known.status.state != RunState::Succeeded || earlier.size() == kMostEarlier)
            continue;
        const Result<RunData> run = readRun(known.directory);
        if (!run || !run->config || !isProbe(*run->config))
            continue;
        Result<Observation> observation = observationOf(*run, catalogue);
        if (observation && isSameDevice(observation->resolved, planned))
            earlier.push_back({known.directory, *std::move(observation)});
    }
    return earlier;
}

std::vector<Observation> observationsOf(const std::vector<EarlierProbe> &earlier)
{
    std::vector<Observation> list;
    for (const EarlierProbe &probe : earlier)
        list.push_back(probe.observation);
    return list;
}

Result<void> checkProbe(const LaunchOptions &options)
{
    const auto excluded = [](const char *flag) {
        return Error{.what = "cannot be combined with --probe, which launches one run and waits for it",
            .where = flag,
            .accepted = "--probe with --dry-run, --on, --sbatch, --run-dir and --force"};
    };
    if (!options.grid.empty())
        return excluded("--grid");
    if (options.detach)
        return excluded("--detach");
    if (options.keepCheckpoints)
        return excluded("--keep-checkpoints-here");
    if (!options.thenOn.empty())
        return excluded("--then-on");
    if (options.json && !options.dryRun)
        return Error{.what = "is valid only with --dry-run here", .where = "--json"};
    return {};
}

// The configuration of the planned run. Another script has the settings of its command.
Result<RunConfig> plannedRun(const LaunchOptions &options)
{
    Result<RunConfig> config = configFrom(options.source);
    if (!config)
        return config.error();
    if (!options.command.empty())
        config->training.command = options.command;
    if (config->training.runsScript()) {
        Result<ScriptPlan> plan = scriptPlanFrom(options, *std::move(config));
        if (!plan)
            return plan.error();
        if (!plan->prediction)
            return Error{.what = "needs a prediction of the planned run",
                .where = "--probe",
                .accepted = "the settings that it lacks, in the file or as flags"};
        return std::move(plan->config);
    }
    if (config->training.name.empty())
        config->training.name = std::filesystem::path(options.source.file).stem().string();
    knowProcessor(*config);
    return config;
}

// The proposed probe. Of another script it is the first one whose command can be rewritten.
Result<ChosenProbe> chooseProbe(
    const RunConfig &planned, const std::vector<EarlierProbe> &earlier, const std::string &name, const Catalogue &known)
{
    const bool runsScript = planned.training.runsScript();
    std::vector<ArgumentRule> rules;
    if (runsScript) {
        const Result<FrameworkVersion> software = known.frameworks.resolve(
            planned.software.empty() ? std::string_view("pytorch") : std::string_view(planned.software));
        if (!software)
            return software.error();
        rules = known.frameworks.scriptInterfaceOf(software->id).arguments;
    }
    Result<ProbeProposal> proposal =
        proposeProbe(planned, observationsOf(earlier), known, !runsScript || canShortenSteps(planned, rules));
    if (!proposal)
        return proposal.error();
    ChosenProbe chosen{.proposal = *std::move(proposal), .earlier = earlier.size(), .command = {}, .passed = {}};
    if (!runsScript)
        return chosen;
    std::vector<Probe> &probes = chosen.proposal.probes;
    for (auto probe = probes.begin(); probe != probes.end(); ++probe) {
        Result<RewrittenCommand> command = probeCommand(planned, probe->config, rules, name);
        if (command) {
            probe->config = withCommand(std::move(probe->config), *command);
            chosen.command = *std::move(command);
            std::rotate(probes.begin(), probe, probe + 1);
            return chosen;
        }
        chosen.passed.push_back({probe->settings, command.error()});
    }
    return refusalOf(chosen.passed);
}

} // namespace

int launchProbe(const LaunchOptions &options)
{
    if (const Result<void> valid = checkProbe(options); !valid)
        return fail(valid.error());
    const Result<RunConfig> config = plannedRun(options);
    if (!config)
        return fail(config.error());
    const Result<std::unique_ptr<Host>> host = makeHost(options.host, options.sbatch);
    if (!host)
        return fail(host.error());
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    const Result<ResolvedConfig> planned = resolveConfig(*config, *catalogue);
    if (!planned)
        return fail(placed(planned.error(), options.source));

    const Registry registry;
    const std::vector<EarlierProbe> earlier = earlierProbes(registry, *planned, *catalogue);
    const std::string runName = registry.next(config->training.name + "-probe").filename().string();
    const Result<ChosenProbe> chosen = chooseProbe(*config, earlier, runName, *catalogue);
    if (!chosen)
        return fail(placed(chosen.error(), options.source));
    RunLaunchRequest request{.config = chosen->proposal.probes.front().config, .prediction = {}, .directory = {}};
    request.config.training.name = runName; // also names its row
    request.config.training.tags.emplace_back(kProbeTag);
    request.policy = options.force ? PreflightPolicy::IgnorePredictions : PreflightPolicy::All;
    if (!options.runDirectory.empty())
        request.directory = options.runDirectory;
    Result<Prediction> prediction = predict(request.config, *catalogue);
    if (!prediction)
        return fail(placed(prediction.error(), options.source));
    request.prediction = *std::move(prediction);
    if (const Result<void> budget = checkBudget(request); !budget)
        return fail(placed(budget.error(), options.source));
    if (!options.json)
        print(probeText(*chosen));
    if (options.dryRun)
        return sayDryRun(options, request, **host, registry, probeJson(*chosen));

    const Result<LaunchedRun> run = launchRun(request, **host, registry);
    if (!run)
        return fail(run.error());
    print(startedText(*run));
    const std::string name = "probe-" + planned->gpu.id, directory = run->directory.string();
    if (const int status = followRun(run->directory); status != Done) {
        if (const Result<RunData> data = readRun(run->directory); data && !isTerminal(data->state()))
            note("slipway: when the probe has ended: slipway calibrate " + shellQuoted(directory) + " --as " +
                 shellQuoted(name));
        return status;
    }
    CalibrateOptions fitted{.name = name};
    for (const EarlierProbe &probe : earlier)
        fitted.subjects.push_back(probe.directory.string());
    fitted.subjects.push_back(directory);
    print("\n");
    return calibrateConstants(fitted);
}

} // namespace slipway::cli
