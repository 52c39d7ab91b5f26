// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/predict.h"

#include <fmt/format.h>

#include "frameworks/framework_versions.h"
#include "hardware/gpu_name.h"
#include "memory/memory_walk.h"
#include "plan/build_plan.h"
#include "plan/host_memory.h"
#include "predict/assess.h"
#include "predict/gpu_types.h"
#include "predict/expert_notes.h"
#include "predict/predict_memory.h"
#include "predict/suggest.h"
#include "predict/op_location.h"
#include "speed/device_rates.h"
#include "speed/graph_choice.h"

namespace slipway {

namespace {

// Fewer rows may come from a single log.
constexpr int kEnoughRuns = 5;

constexpr double kLongRun = 24; // hours; in longer runs, daily events add time to the steps

// "mean error 4.6 % over 293 published runs on the A100 80GB SXM4 with pytorch-eager"
std::string publishedText(int rows, double error, const ResolvedConfig &s)
{
    return fmt::format("mean error {3:.{4}f} % over {0} published runs on the {1} with {2}", rows, s.gpu.name,
        enumName(s.config.framework), 100 * error, error < 0.095 ? 1 : 0);
}

std::string networkNote(const ResolvedConfig &s, const Catalogue &catalogue)
{
    const NodeNetwork network = nodeNetwork(s.config, s.gpu, catalogue);
    const std::string whose = network.node ? "as on " + network.node->id : "usual for nodes with this GPU";
    return fmt::format("Assumed: {:.0f} Gbit/s of network bandwidth per node ({}); --network-gbps sets another value.",
        network.bandwidth * 8 / 1e9, whose);
}

// The settings that come from the profile, the uncertain ones last.
std::string softwareNote(const ResolvedConfig &s)
{
    std::string certain, uncertain;
    for (const AppliedField &field : s.software) {
        std::string &list = isGuessed(field.origin) ? uncertain : certain;
        list += fmt::format("{}{} {} ({})", list.empty() ? "" : ", ", field.key, field.value, enumName(field.origin));
    }
    return fmt::format("{} is planned with PyTorch {}{}{}{}{}.", s.config.software, s.config.simulated.torch,
        certain.empty() ? "" : "; known: ", certain, uncertain.empty() ? "" : "; not certain: ", uncertain);
}

std::vector<std::string> notesFor(const ResolvedConfig &s, const PublishedRuns &published, const Catalogue &catalogue)
{
    std::vector<std::string> notes = expertNotes(s);
    if (!s.config.software.empty())
        notes.push_back(softwareNote(s));
    if (std::string note = unknownVersionNote(catalogue.frameworks, s.config.software); !note.empty())
        notes.push_back(std::move(note));
    if (!s.config.calibration.empty() && s.calibration.constants.empty() && s.calibration.gemms.empty())
        notes.push_back("The calibration '" + s.config.calibration + "' has no constants for the " + s.gpu.name +
                        " under " + std::string(enumName(s.config.framework)) + ".");
    if (s.calibration.fitsSpeed())
        notes.push_back("Speed is calibrated with '" + s.config.calibration +
                        "': " + std::to_string(s.calibration.rows.size()) + " of your own runs, " +
                        std::to_string(s.calibration.gemms.size()) + " measured GEMMs.");
    else if (s.gpu.isCpu)
        notes.push_back(s.gpu.notes);
    else if (published.speedRows >= kEnoughRuns)
        notes.push_back("Speed: " + publishedText(published.speedRows, published.speedError, s) + ".");
    else
        notes.push_back(published.speedRows > 0
                            ? fmt::format("Speed is estimated from the data sheet of the {}: few published runs on it "
                                          "with {} are known.",
                                  s.gpu.name, enumName(s.config.framework))
                            : fmt::format("Speed is estimated from the data sheet of the {}: no published runs on it "
                                          "with {} are known.",
                                  s.gpu.name, enumName(s.config.framework)));
    if (!s.gpu.inSmallMachines.empty() && s.config.parallel.gpus <= kSmallMachine && s.config.gpu != s.gpu.id &&
        !mentionsFormFactor(s.config.gpu))
        notes.push_back(fmt::format("'{}' is read as the {}. Machines with up to {} of these GPUs often have the "
                                    "slower PCIe version: --gpu {}.",
            s.config.gpu, s.gpu.name, kSmallMachine, s.gpu.inSmallMachines));
    if (lacksBf16(s.config, s.gpu))
        notes.push_back(
            "The " + s.gpu.name +
            " does not support bf16 GEMMs. The predicted time is that of fp16; use --precision fp16-mixed.");
    if (!s.calibration.fitsMemory() && published.memoryRows >= kEnoughRuns)
        notes.push_back("Memory: " + publishedText(published.memoryRows, published.memoryError, s) + ".");
    if (!s.gpu.isCpu && s.config.parallel.nodes() > 1 && !s.config.networkGbps &&
        s.calibration.factor(Constant::Network) == 1)
        notes.push_back(networkNote(s, catalogue));
    if (s.model.contextLength > 0 && s.config.seqLen > s.model.contextLength)
        notes.push_back(fmt::format("The sequence length of {} tokens exceeds the context length of {} ({} tokens). "
                                    "Pre-trained weights were trained on shorter sequences only.",
            s.config.seqLen, s.model.name, s.model.contextLength));
    if (s.config.trainsAdapters() && !s.config.tokens && !s.config.usdBudget && !s.config.training.steps)
        notes.push_back(
            "The default token budget, 20 tokens per parameter, is meant for training from scratch. Adapters "
            "usually need far fewer tokens; set your budget with --tokens.");
    if (s.gpu.isCpu && s.config.parallel.gpus > 1)
        notes.push_back("All ranks share the cores and the memory of this CPU.");
    return notes;
}

Origin originOf(bool calibrated, int publishedRows)
{
    return calibrated ? Origin::Calibrated : publishedRows >= kEnoughRuns ? Origin::Published : Origin::Datasheet;
}

} // namespace

Result<Prediction> predict(const RunConfig &config, const Catalogue &catalogue, const PredictOptions &options)
{
    Result<ResolvedConfig> resolved = resolveConfig(config, catalogue);
    if (!resolved)
        return resolved.error();
    const Result<SharedPlan> shared = sharedPlan(resolved->config, resolved->model);
    if (!shared)
        return shared.error();
    const Result<Assessment> assessment = assess(*resolved, *shared, catalogue);
    if (!assessment)
        return assessment.error();

    Prediction p{.config = withSettledChoices(config, resolved->config),
        .model = resolved->model,
        .gpu = resolved->gpu,
        .memory = assessment->memory,
        .speed = assessment->speed,
        .cost = assessment->cost};
    p.memory.host = hostMemoryPerNode(resolved->config, resolved->model);
    p.memory.stages = memoryOfAllStages(*resolved, assessment->memory.stages, catalogue.rates);
    if (options.maxMicroBatch || options.suggestions)
        p.memory.maxMicroBatch = largestMicroBatch(*resolved, catalogue.rates);
    if (options.suggestions) {
        Advice advice = suggest(config, *resolved, *shared, *assessment, p.memory.maxMicroBatch, catalogue);
        p.suggestions = std::move(advice.suggestions);
        p.leastFound = std::move(advice.leastFound);
    }
    const PublishedRuns published = catalogue.rates.publishedOf(enumName(resolved->config.framework), resolved->gpu.id);
    p.speedOrigin = originOf(resolved->calibration.fitsSpeed(), published.speedRows);
    p.memoryOrigin = originOf(resolved->calibration.fitsMemory(), published.memoryRows);
    p.notes = notesFor(*resolved, published, catalogue);
    p.assumed = resolved->software;
    if (!resolved->gpu.isCpu && p.cost.hours > kLongRun)
        p.notes.push_back(fmt::format("Hours and cost cover training steps only. In long published runs, steps took "
                                      "{:.0f} % of the time; evaluation, restarts and idle nodes took the rest.",
            100 * catalogue.rates.productiveTimeFraction));
    return p;
}

Result<RunPlan> planOf(const RunConfig &config, const Catalogue &catalogue)
{
    const Result<ResolvedConfig> resolved = resolveConfig(config, catalogue);
    if (!resolved)
        return resolved.error();
    Result<RunPlan> plan = buildPlan(resolved->config, resolved->model);
    if (plan)
        chooseGraphs(plan->stages, calibratedRates(*resolved, catalogue));
    return plan;
}

Result<MemoryOverStep> memoryOverStep(const RunConfig &config, const Catalogue &catalogue, std::size_t stageNumber)
{
    const Result<RunPlan> plan = planOf(config, catalogue);
    if (!plan)
        return plan.error();
    const StepPlan &stage = stageOf(*plan, stageNumber);
    MemoryOverStep over;
    for (const Segment &segment : stage.schedule) {
        over.microBatches += std::int64_t{segment.repeat} * segment.microBatches;
        over.shownMicroBatches += segment.repeat > 0 ? segment.microBatches : 0;
    }
    for (const MemoryInstant &instant : memoryInstants(stage)) {
        Instant at = opLocation(stage, instant.at);
        over.points.push_back({.op = std::move(at.op), .layer = at.layer, .phase = at.phase, .bytes = instant.byRole});
    }
    return over;
}

} // namespace slipway
