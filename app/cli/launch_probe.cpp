// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/follow.h"
#include "cli/launch_request.h"
#include "hardware/user_prices.h"
#include "hosts/shell_quote.h"
#include "measure/propose_probe.h"
#include "predict/predict.h"
#include "runs/run_reader.h"

namespace slipway::cli {

namespace {

using Json = nlohmann::ordered_json;

// Tags the runs that were launched for a calibration. Later probes are fitted together with them.
constexpr const char *kProbeTag = "probe";
constexpr std::size_t kShownProbes = 4;
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

std::string percentText(double part) { return fmt::format("{:.1f} %", 100 * part); }

std::string proposalText(const ProbeProposal &proposal, std::size_t earlier)
{
    const Probe &probe = proposal.probes.front();
    std::string text =
        fmt::format("Probe: {}, about {}.\n", probe.title, formatSeconds(probe.seconds)) +
        fmt::format("The speed of this run and others like it is known to within {} (one standard deviation){}.\n",
            percentText(proposal.before),
            earlier == 0 ? "" : fmt::format(", after {} earlier probe{}", earlier, earlier == 1 ? "" : "s")) +
        "\n  " + fmt::format("{:<24}{:>14}{:>22}\n", "probe", "steps take", "speed then within");
    for (std::size_t i = 0; i < std::min(kShownProbes, proposal.probes.size()); ++i) {
        const Probe &each = proposal.probes[i];
        text +=
            fmt::format("  {:<24}{:>14}{:>22}\n", each.settings, formatSeconds(each.seconds), percentText(each.after));
    }
    return text + "\n";
}

Json proposalJson(const ProbeProposal &proposal)
{
    Json probes = Json::array();
    for (const Probe &probe : proposal.probes)
        probes.push_back({{"settings", probe.settings}, {"title", probe.title}, {"seconds", probe.seconds},
            {"relative_deviation", probe.after}});
    return {{"probe", {{"relative_deviation", proposal.before}, {"probes", probes}}}};
}

Result<void> checkProbe(const LaunchOptions &options, const RunConfig &config)
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
    if (config.training.runsScript())
        return Error{.what = "changes settings of Slipway's trainer, but this run starts another script",
            .where = "--probe",
            .accepted = "a short run of the script, and `slipway calibrate` with its name"};
    return {};
}

} // namespace

int launchProbe(const LaunchOptions &options)
{
    Result<RunConfig> config = configFrom(options.source);
    if (!config)
        return fail(config.error());
    if (!options.command.empty())
        config->training.command = options.command;
    if (const Result<void> valid = checkProbe(options, *config); !valid)
        return fail(valid.error());
    if (config->training.name.empty())
        config->training.name = std::filesystem::path(options.source.file).stem().string();
    const Result<std::unique_ptr<Host>> host = makeHost(options.host, options.sbatch);
    if (!host)
        return fail(host.error());
    knowProcessor(*config);
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    const Result<ResolvedConfig> planned = resolveConfig(*config, *catalogue);
    if (!planned)
        return fail(placed(planned.error(), options.source));

    const Registry registry;
    const std::vector<EarlierProbe> earlier = earlierProbes(registry, *planned, *catalogue);
    const Result<ProbeProposal> proposal = proposeProbe(*config, observationsOf(earlier), *catalogue);
    if (!proposal)
        return fail(placed(proposal.error(), options.source));
    RunLaunchRequest request{.config = proposal->probes.front().config, .prediction = {}, .directory = {}};
    std::string &runName = request.config.training.name;
    runName = registry.next(runName + "-probe").filename().string(); // also names its row
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
        print(proposalText(*proposal, earlier.size()));
    if (options.dryRun)
        return sayDryRun(options, request, **host, registry, proposalJson(*proposal));

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
