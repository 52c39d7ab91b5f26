// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/propose_probe.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <optional>

#include "measure/fit_speed.h"
#include "plan/build_plan.h"
#include "predict/shared_plan.h"

namespace slipway {

namespace {

constexpr std::int64_t kShortestSequence = 16;
// Micro-batches in a probe's step: the first one, and one that follows another.
constexpr std::int64_t kMostAccumulated = 2;
// A probe must not run out of memory.
constexpr double kLikelyToFit = 0.05;
// Among the probes that tell nearly as much as the best one, the shortest is chosen.
constexpr double kNearlyAsMuch = 0.97;

using Shares = std::array<double, kSpeedConstants.size()>;

// A run whose speed is wanted or known, and the share of each constant in its step.
struct Place {
    ResolvedConfig resolved;
    Shares shares{};
};

// The share of each constant in the step: the effect of a change of its rate by a tenth.
Shares sharesOf(const ResolvedConfig &resolved, const RunPlan &plan, const Catalogue &catalogue)
{
    const auto logSpeed = [&](const DeviceCalibration &calibration) {
        ResolvedConfig changed = resolved;
        changed.calibration.constants = calibration.constants;
        return std::log(predictSpeed(changed, plan, 0, catalogue).tokensPerSecondPerGpu);
    };
    const double now = logSpeed({});
    Shares shares{};
    for (std::size_t i = 0; i < kSpeedConstants.size(); ++i) {
        DeviceCalibration slower;
        slower.set(kSpeedConstants[i], kSpeedConstants[i] == Constant::Launch ? 1.1 : 1 / 1.1);
        shares[i] = (now - logSpeed(slower)) / std::log(1.1);
    }
    return shares;
}

// The prior covariance. Each rate has an error as large as sources differ, and each run has one of its own.
double covariance(const Place &a, const Place &b, const SpeedRates &constants)
{
    double rates = 0;
    for (std::size_t i = 0; i < kSpeedConstants.size(); ++i)
        rates += a.shares[i] * b.shares[i];
    const double between = constants.speedBetweenSources, within = constants.speedWithinSource;
    return between * between * rates + (sharesPlan(a.resolved.config, b.resolved.config) ? within * within : 0);
}

using Matrix = std::vector<std::vector<double>>;

// The covariance after the speed of one of the places has been measured.
Matrix measuredAt(const Matrix &known, std::size_t place, double noise)
{
    Matrix left = known;
    const double variance = known[place][place] + noise * noise;
    for (std::size_t i = 0; i < known.size(); ++i) {
        for (std::size_t j = 0; j < known.size(); ++j)
            left[i][j] -= known[i][place] * known[place][j] / variance;
    }
    return left;
}

// The deviation of the first `count` places.
double deviation(const Matrix &covariances, std::size_t count)
{
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i)
        sum += std::max(0.0, covariances[i][i]);
    return std::sqrt(sum / double(count));
}

// The planned run, shortened: no budget, no evaluation, and only the last checkpoint.
RunConfig shortened(RunConfig config, bool fewerMicroBatches)
{
    TrainingChoice &t = config.training;
    t.steps = kProbeSteps;
    t.warmupSteps = std::min(t.warmupSteps, kProbeSteps);
    t.decaySteps = std::min(t.decaySteps, kProbeSteps);
    t.evalData.clear();
    t.evalEvery = t.checkpointEvery = 0;
    t.keepCheckpoints = 1;
    config.tokens.reset();
    config.usdBudget.reset();
    config.targetLoss.reset();
    if (fewerMicroBatches)
        config.gradAccum = probeGradAccum(config);
    return config;
}

struct Change {
    std::string settings, title;
    RunConfig config;
};

std::string timesText(double factor)
{
    return factor == 2 ? "twice" : factor == 4 ? "four times" : factor == 0.5 ? "half" : "a quarter of";
}

// `recomputed`: what the plan recomputes, also where it leaves that to its framework.
std::vector<Change> changesOf(const RunConfig &planned, Recompute recomputed)
{
    const std::string steps = std::to_string(kProbeSteps) + " steps ";
    std::vector<Change> changes{{"as planned", steps + "as planned", planned}};
    for (const double factor : {0.25, 0.5, 2.0, 4.0}) {
        const double sequences = double(planned.microBatch) * factor, length = double(planned.seqLen) * factor;
        if (sequences >= 1 && std::floor(sequences) == sequences) {
            Change change{fmt::format("micro_batch {:.0f}", sequences),
                steps + fmt::format("with {} the micro-batch ({:.0f} sequence{})", timesText(factor), sequences,
                            sequences == 1 ? "" : "s"),
                planned};
            change.config.microBatch = std::int64_t(sequences);
            changes.push_back(std::move(change));
        }
        if (length >= double(kShortestSequence) && std::floor(length) == length) {
            Change change{fmt::format("seq_len {:.0f}", length),
                steps + fmt::format("with {} the sequence length ({:.0f} tokens)", timesText(factor), length), planned};
            change.config.seqLen = std::int64_t(length);
            changes.push_back(std::move(change));
        }
    }
    for (const Recompute recompute : {Recompute::None, Recompute::Full}) {
        if (recompute == recomputed)
            continue;
        const std::string name(enumName(recompute));
        Change change{"recompute " + name,
            steps + (recompute == Recompute::None ? "without recomputation" : "with full recomputation"), planned};
        change.config.recompute = recompute;
        change.config.recomputeOps.clear();
        changes.push_back(std::move(change));
    }
    return changes;
}

Result<Place> placeAt(const ResolvedConfig &resolved, const Catalogue &catalogue)
{
    Place place{.resolved = resolved};
    const Result<RunPlan> plan = buildPlan(resolved.config, resolved.model);
    if (!plan)
        return plan.error();
    place.shares = sharesOf(place.resolved, *plan, catalogue);
    return place;
}

} // namespace

bool isSameDevice(const ResolvedConfig &a, const ResolvedConfig &b)
{
    return a.gpu.id == b.gpu.id && a.config.framework == b.config.framework;
}

std::int64_t probeGradAccum(const RunConfig &planned)
{
    return planned.parallel.pp == 1 ? std::min(planned.gradAccum, kMostAccumulated) : planned.gradAccum;
}

Result<ProbeProposal> proposeProbe(
    const RunConfig &planned, const std::vector<Observation> &known, const Catalogue &catalogue, bool fewerMicroBatches)
{
    RunConfig bare = shortened(planned, fewerMicroBatches);
    bare.calibration.clear();
    const Result<ResolvedConfig> asked = resolveConfig(bare, catalogue);
    const Recompute recomputed = (asked ? asked->config : bare).recomputeOrNone();
    std::vector<Place> places;
    ProbeProposal proposal;
    std::optional<Error> whyNot; // why the planned run cannot be a probe
    for (Change &change : changesOf(bare, recomputed)) {
        const Result<ResolvedConfig> resolved = resolveConfig(change.config, catalogue);
        const Result<Assessment> a = resolved ? assess(*resolved, catalogue) : Result<Assessment>(resolved.error());
        if (a && (a->memory.verdict == Verdict::Oom || a->memory.oomProbability >= kLikelyToFit))
            continue;
        Result<Place> place = a ? placeAt(*resolved, catalogue) : Result<Place>(a.error());
        if (!place) {
            if (places.empty() && !whyNot)
                whyNot = place.error();
            continue;
        }
        change.config.calibration = planned.calibration;
        places.push_back(*std::move(place));
        proposal.probes.push_back({.config = std::move(change.config),
            .settings = std::move(change.settings),
            .title = std::move(change.title),
            .seconds = a->speed.step * double(kProbeSteps)});
    }
    if (whyNot)
        return *whyNot;
    const std::size_t count = places.size();
    if (count == 0)
        return Error{.what = "neither the planned run nor one like it is likely to fit the GPU",
            .where = "--probe",
            .accepted = "a configuration that fits, for example with --recompute full or a smaller --micro-batch"};
    for (const Observation &o : known) {
        if (!o.tokensPerSecondPerGpu || !isSameDevice(o.resolved, places.front().resolved))
            continue;
        if (Result<Place> place = placeAt(o.resolved, catalogue))
            places.push_back(*std::move(place));
    }
    Matrix covariances(places.size(), std::vector<double>(places.size()));
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t j = 0; j < places.size(); ++j)
            covariances[i][j] = covariance(places[i], places[j], catalogue.rates);
    }
    const double noise = catalogue.rates.speedNoise;
    for (std::size_t i = count; i < places.size(); ++i)
        covariances = measuredAt(covariances, i, noise);

    proposal.before = deviation(covariances, count);
    for (std::size_t i = 0; i < count; ++i)
        proposal.probes[i].after = deviation(measuredAt(covariances, i, noise), count);
    std::stable_sort(proposal.probes.begin(), proposal.probes.end(),
        [](const Probe &a, const Probe &b) { return a.after < b.after; });
    const double enough = proposal.before - kNearlyAsMuch * (proposal.before - proposal.probes.front().after);
    const auto end = std::find_if(
        proposal.probes.begin(), proposal.probes.end(), [enough](const Probe &p) { return p.after > enough; });
    const auto shortest = std::min_element(
        proposal.probes.begin(), end, [](const Probe &a, const Probe &b) { return a.seconds < b.seconds; });
    std::rotate(proposal.probes.begin(), shortest, shortest + 1);
    return proposal;
}

} // namespace slipway
