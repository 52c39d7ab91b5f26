// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/assess.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "config/framework_use.h"
#include "config/pipeline_layers.h"
#include "config/resolve_model.h"
#include "plan/build_plan.h"
#include "plan/kernel_work.h"
#include "plan/walk.h"
#include "predict/calibrated.h"
#include "predict/model_flops.h"
#include "predict/predict_memory.h"
#include "speed/graph_choice.h"
#include "speed/pipeline_time.h"
#include "speed/simulate_step.h"

namespace slipway {

namespace {

// P10 and P90 of the step time, measured over predicted. They come from the calibration, or else from the residuals of
// published rows.
struct Range {
    double p10, p90;
};
Range stepRange(const ResolvedConfig &s, const SpeedRates &rates)
{
    if (s.calibration.stepP90 > 0)
        return {s.calibration.stepP10, s.calibration.stepP90};
    if (const KnowledgeRate *known = rates.rangeOf(enumName(s.softwareKnowledge)))
        return {known->stepP10, known->stepP90};
    const FrameworkRate framework = rates.frameworkOf(frameworkUse(s.config, s.gpu));
    return {framework.stepP10, framework.stepP90};
}

// The recomputed FLOPs of a step, counted as for MFU.
Flops recomputedFlops(const StepPlan &plan)
{
    Flops flops = 0;
    for (const Segment &segment : plan.schedule) {
        for (const Slot &slot : segment.slots) {
            for (const Op &op : plan.at(slot.block).ops) {
                if (op.phase == Phase::Recompute)
                    flops += segment.repeat * modelFlops(plan.at(op.kernel));
            }
        }
    }
    return flops;
}

struct SlowestStage {
    const StepPlan *plan = nullptr;
    StepTimes times;
};

// The stages between the first and the last, in units of the second one: by their layers.
double middleStages(const Parallelism &mesh, int layers)
{
    double all = 0;
    for (int stage = 1; stage + 1 < mesh.pp; ++stage)
        all += double(layersOfStage(mesh, layers, stage)) / layersOfStage(mesh, layers, 1);
    return all;
}

// The slowest stage works without a pause. Before and after, one micro-batch passes the other stages forward and
// backward, which fills and drains the pipeline. See Narayanan et al. 2021, section 2.2; here stages differ, since the
// last one has the LM head. Interleaved model chunks pass in turn.
SlowestStage slowestStage(const RunPlan &plan, const DeviceRates &rates, const RunConfig &config, int layers)
{
    const StepPlan *slowestPlan = &plan.stages.front();
    StepTimes slowest;
    Seconds ofOneMicroBatch = 0, ofAllStages = 0;
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        const StepTimes times = simulateStep(plan.stages[i], rates);
        const Seconds microBatch =
            (times.step - times.byPhase[static_cast<std::size_t>(Phase::Optimizer)]) / double(config.gradAccum);
        ofAllStages += microBatch * (i == 1 && plan.stages.size() > 2 ? middleStages(config.parallel, layers) : 1);
        if (times.step > slowest.step) {
            slowest = times;
            slowestPlan = &plan.stages[i];
            ofOneMicroBatch = microBatch;
        }
    }
    slowest.step += (ofAllStages - ofOneMicroBatch) / config.parallel.virtualStages;
    return {slowestPlan, slowest};
}

// Groups within an axis count for the axis: those of the stages, of ranks with the same experts, of the replicas.
std::vector<std::pair<std::string, Seconds>> exposedByAxis(const StepPlan &plan, const StepTimes &times)
{
    std::vector<std::pair<std::string, Seconds>> axes;
    for (std::size_t i = 0; i < std::min(plan.groups.size(), times.exposedByGroup.size()); ++i) {
        const std::string &group = plan.groups[i].axis;
        const std::string axis = hasOwnOrder(group) || group == "embedding"                         ? "pp"
                                 : group == "kv"                                                    ? "tp"
                                 : group == "replicas" || group == "edp" || group == "edp replicas" ? "dp"
                                                                                                    : group;
        const auto known = std::ranges::find(axes, axis, &std::pair<std::string, Seconds>::first);
        if (known != axes.end())
            known->second += times.exposedByGroup[i];
        else
            axes.emplace_back(axis, times.exposedByGroup[i]);
    }
    return axes;
}

// Adds what the catalogue knows of the software and of the GPU.
ResolvedConfig known(ResolvedConfig s, const Catalogue &catalogue)
{
    s.softwareKnowledge = softwareKnowledge(s.config, s.gpu, catalogue.frameworks);
    s.calibration = calibrationOf(s.config, s.gpu, catalogue);
    return s;
}

} // namespace

SpeedPrediction predictSpeed(const ResolvedConfig &s, const RunPlan &run, int retries, const Catalogue &catalogue)
{
    const StepPlan &plan = run.stages.front();
    const DeviceRates rates = calibratedRates(s, catalogue);
    std::optional<RunPlan> graph; // `run` may be shared with other devices
    if (choosesGraph(plan, rates)) {
        graph = run;
        graph->stages.front().cudaGraph = true;
    }
    SlowestStage slowest = slowestStage(graph ? *graph : run, rates, s.config, s.model.layers);
    StepTimes &times = slowest.times;
    std::vector<Seconds> idle;
    if (s.config.framework == Framework::Slipway && s.config.parallel.pp > 1) {
        PipelineTime pipeline = simulateStages(run, rates, s.config, s.model);
        times.step = pipeline.step;
        idle = std::move(pipeline.idle);
    }
    times.step +=
        catalogue.rates.allocatorRetry * retries * std::max(1.0, double(s.config.gradAccum) / kReplayedMicroBatches);
    const double ranks = s.config.parallel.gpus;
    SpeedPrediction p;
    p.step = times.step;
    const Range range = stepRange(s, catalogue.rates);
    p.stepP10 = times.step * range.p10;
    p.stepP90 = times.step * range.p90;
    p.tokensPerSecond = double(s.config.tokensPerStep()) / times.step;
    p.tokensPerSecondPerGpu = p.tokensPerSecond / ranks;
    p.mfu = neededFlopsPerToken(s.config, s.model) * p.tokensPerSecondPerGpu / rates.peakFlops;
    p.mfuCausal = neededFlopsPerTokenCausal(s.config, s.model) * p.tokensPerSecondPerGpu / rates.peakFlops;
    p.hfu = p.mfu + recomputedFlops(plan) / times.step / rates.peakFlops;
    p.launchBound = times.launchBound;
    p.cudaGraph = times.cudaGraph;
    p.seconds = times.byClass;
    p.communicationExposed = times.communicationExposed;
    p.exposedByAxis = exposedByAxis(*slowest.plan, times);
    p.recompute = times.recompute;
    p.phases = times.byPhase;
    p.bubbles = std::move(idle);
    return p;
}

SoftwareKnowledge softwareKnowledge(const RunConfig &config, const Gpu &gpu, const Frameworks &frameworks)
{
    if (config.software.empty() && config.framework == Framework::Slipway)
        return SoftwareKnowledge::BuiltIn;
    // The name of an engine says no more than its profile would.
    const FrameworkProfile *profile =
        frameworks.find(config.software.empty() ? enumName(config.framework) : softwareName(config.software));
    if (!profile || profile->isUnknown)
        return SoftwareKnowledge::Unknown;
    const auto &known = profile->measuredOn;
    if (known.empty()) // Less is known than of software that was measured elsewhere, whose runs are mostly well tuned.
        return SoftwareKnowledge::Profile;
    return std::find(known.begin(), known.end(), gpu.arch) != known.end() ? SoftwareKnowledge::Profile
                                                                          : SoftwareKnowledge::OtherGpus;
}

Result<ResolvedConfig> resolveConfig(const RunConfig &asked, const Catalogue &catalogue)
{
    Result<Gpu> gpu = catalogue.gpu(asked.gpu);
    if (!gpu) {
        Error error = gpu.error();
        if (error.where.empty())
            error.where = "--gpu";
        return error;
    }
    Result<ModelSpec> model = resolveModel(asked.model, catalogue);
    if (!model)
        return model.error();
    return resolveConfig(asked, *std::move(model), *std::move(gpu), catalogue);
}

Result<ResolvedConfig> resolveConfig(RunConfig config, ModelSpec model, Gpu gpu, const Catalogue &catalogue)
{
    std::optional<AppliedField> chosen = applySoftwareOfRuns(config, gpu, catalogue);
    const OpenChoices open = openChoicesOf(config);
    const std::string asked = std::exchange(config.gpu, gpu.id); // the name that conditions of a profile use
    Result<std::vector<AppliedField>> software = applyFramework(config, model, catalogue.frameworks);
    config.gpu = asked;
    if (!software)
        return software.error();
    if (chosen)
        software->insert(software->begin(), *std::move(chosen));
    if (const Result<void> valid = validate(config, model); !valid)
        return valid.error();
    if (gpu.isCpu && config.precisionOrMixed() != Precision::Fp32)
        return Error{.what = "training on a CPU needs fp32, not " + std::string(enumName(config.precisionOrMixed())),
            .where = "--precision",
            .accepted = "fp32"};
    return known({.config = std::move(config),
                     .model = std::move(model),
                     .gpu = std::move(gpu),
                     .software = *std::move(software),
                     .open = open},
        catalogue);
}

ResolvedConfig changedConfig(const ResolvedConfig &resolved, RunConfig config, Gpu gpu, const Catalogue &catalogue)
{
    return known({.config = std::move(config),
                     .model = resolved.model,
                     .gpu = std::move(gpu),
                     .software = resolved.software,
                     .open = resolved.open},
        catalogue);
}

Bytes capacityOf(const ResolvedConfig &s)
{
    if (s.config.memoryGib)
        return static_cast<Bytes>(*s.config.memoryGib * double(kGiB));
    return s.gpu.isCpu ? s.gpu.memoryBytes / s.config.parallel.gpus : s.gpu.memoryBytes;
}

Result<Assessment> assess(const ResolvedConfig &resolved, const Catalogue &catalogue)
{
    const Result<SharedPlan> shared = sharedPlan(resolved.config, resolved.model);
    return shared ? assess(resolved, *shared, catalogue) : shared.error();
}

Result<Assessment> Assessor::assess(const ResolvedConfig &resolved, const Catalogue &catalogue)
{
    if (!m_planned || !sharesPlan(*m_planned, resolved.config)) {
        m_plan = sharedPlan(resolved.config, resolved.model);
        m_planned = resolved.config;
    }
    return m_plan ? slipway::assess(resolved, *m_plan, catalogue) : m_plan.error();
}

Result<Assessment> assess(const ResolvedConfig &resolved, const SharedPlan &shared, const Catalogue &catalogue)
{
    if (resolved.config.precisionOrMixed() == Precision::Fp8Mixed && !resolved.gpu.fp8Flops)
        return Error{.what = resolved.gpu.name + " has no fp8 GEMMs", .where = "--precision", .accepted = "bf16-mixed"};
    if (!resolved.config.calibration.empty()) {
        if (const Result<Calibration> named = catalogue.calibration(resolved.config.calibration); !named)
            return named.error();
    }
    const Result<PriceBook> prices = catalogue.priceBook(resolved.config.prices);
    if (!prices)
        return prices.error();
    const Result<ScalingLaw> law = catalogue.scalingLaw(resolved.config.scalingLaw);
    if (!law)
        return law.error();
    Assessment a;
    a.memory = predictMemory(resolved, shared, catalogue.rates);
    a.speed = predictSpeed(resolved, shared.plan, a.memory.retries, catalogue);
    a.cost = estimateCost({.config = resolved.config,
        .model = resolved.model,
        .gpu = resolved.gpu,
        .prices = *prices,
        .law = &*law,
        .batchLaws = &catalogue.batchLaws,
        .tokensPerSecond = a.speed.tokensPerSecond});
    return a;
}

} // namespace slipway
