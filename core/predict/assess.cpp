// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/assess.h"

#include <algorithm>
#include <cmath>

#include "config/resolve_model.h"
#include "memory/memory_walk.h"
#include "memory/outside_allocator.h"
#include "plan/build_plan.h"
#include "plan/kernel_work.h"
#include "plan/walk.h"
#include "predict/where.h"
#include "speed/play.h"

namespace slipway {

namespace {

constexpr std::int64_t kLargestMicroBatch = 65536;

// The plan gives the arena's bytes exactly; kernels' own workspaces are not in it yet on GPUs.
constexpr double kReservedP10 = 0.98, kReservedP90 = 1.06;
// Rooflines from data sheets: comparable models err by 9 to 34 % on average and are too fast rather than too slow.
constexpr double kStepP10 = 0.75, kStepP90 = 1.6;

// Of the pipeline stage that needs most.
MemoryPrediction predictMemory(const Subject &s, const RunPlan &run)
{
    const StepPlan *worst = &run.stages.front();
    MemoryPeak peak = peakMemory(*worst);
    for (std::size_t i = 1; i < run.stages.size(); ++i) {
        if (const MemoryPeak other = peakMemory(run.stages[i]); other.reserved > peak.reserved) {
            peak = other;
            worst = &run.stages[i];
        }
    }
    const StepPlan &plan = *worst;
    const OutsideAllocator outside = outsideAllocator(s.gpu, s.config.parallel.gpus);
    MemoryPrediction m;
    m.capacity = capacityOf(s);
    m.peakAllocated = peak.allocated;
    m.peakReserved = peak.reserved;
    m.outsideAllocator = outside.bytes;
    m.peak = peak.reserved + outside.bytes;
    m.peakP10 = static_cast<Bytes>(double(peak.reserved) * (s.gpu.isCpu ? 1 : kReservedP10)) + outside.p10;
    m.peakP90 = static_cast<Bytes>(double(peak.reserved) * (s.gpu.isCpu ? 1 : kReservedP90)) + outside.p90;
    m.headroom = m.capacity - m.peak;
    m.verdict = m.peak > m.capacity ? Verdict::Oom : m.peakP90 > m.capacity ? Verdict::Tight : Verdict::Fits;
    m.atPeak = peak.byRole;
    m.peakAt = whereIs(plan, peak.at);
    return m;
}

// Recomputed FLOPs of a step by the convention of MFU.
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

// Of the slowest stage, with the micro-batches that fill and drain the pipeline.
StepTimes slowestStage(const RunPlan &plan, const DeviceRates &rates, const RunConfig &config)
{
    StepTimes slowest;
    for (const StepPlan &stage : plan.stages) {
        const StepTimes times = playStep(stage, rates);
        if (times.step > slowest.step)
            slowest = times;
    }
    const Seconds microBatches = slowest.step - slowest.byPhase[static_cast<std::size_t>(Phase::Optimizer)];
    slowest.step += microBatches * (config.parallel.pp - 1) / double(config.gradAccum);
    return slowest;
}

SpeedPrediction predictSpeed(const Subject &s, const RunPlan &run, const Catalogue &catalogue)
{
    const StepPlan &plan = run.stages.front();
    const DeviceRates rates = deviceRates(s.gpu, catalogue, s.config);
    const StepTimes times = slowestStage(run, rates, s.config);
    const double ranks = s.config.parallel.gpus;
    SpeedPrediction p;
    p.step = times.step;
    p.stepP10 = times.step * kStepP10;
    p.stepP90 = times.step * kStepP90;
    p.tokensPerSecond = double(s.config.tokensPerStep()) / times.step;
    p.tokensPerSecondPerGpu = p.tokensPerSecond / ranks;
    p.mfu = modelFlopsPerToken(s.model, s.config.seqLen) * p.tokensPerSecondPerGpu / rates.peakFlops;
    p.mfuCausal = modelFlopsPerTokenCausal(s.model, s.config.seqLen) * p.tokensPerSecondPerGpu / rates.peakFlops;
    p.hfu = p.mfu + recomputedFlops(plan) / times.step / rates.peakFlops;
    p.launchBound = times.launchBound;
    p.seconds = times.byClass;
    p.communicationExposed = times.communicationExposed;
    p.recompute = times.recompute;
    p.phases = times.byPhase;
    return p;
}

Bytes peakOf(Subject subject, std::int64_t microBatch)
{
    subject.config.microBatch = microBatch;
    // More micro-batches need no more memory than two, or than fill the pipeline.
    subject.config.gradAccum = std::min<std::int64_t>(subject.config.gradAccum, std::max(2, subject.config.parallel.pp));
    Bytes reserved = 0;
    const RunPlan plan = buildPlan(subject.config, subject.model).value();
    for (const StepPlan &stage : plan.stages)
        reserved = std::max(reserved, peakMemory(stage).reserved);
    return reserved + outsideAllocator(subject.gpu, subject.config.parallel.gpus).bytes;
}

} // namespace

Result<Subject> resolveSubject(const RunConfig &config, const Catalogue &catalogue)
{
    Result<Gpu> gpu = catalogue.gpu(config.gpu);
    if (!gpu) {
        Error error = gpu.error();
        if (error.where.empty())
            error.where = "--gpu";
        return error;
    }
    Result<ModelSpec> model = resolveModel(config.model, catalogue);
    if (!model)
        return model.error();
    if (const Result<void> valid = validate(config, *model); !valid)
        return valid.error();
    if (gpu->isCpu && config.precision != Precision::Fp32)
        return Error{.what = "a processor trains in fp32, not in " + std::string(enumName(config.precision)), .where = "--precision", .accepted = "fp32"};
    return Subject{config, *std::move(model), *std::move(gpu)};
}

Bytes capacityOf(const Subject &s)
{
    if (s.config.memoryGib)
        return static_cast<Bytes>(*s.config.memoryGib * double(kGiB));
    return s.gpu.isCpu ? s.gpu.memoryBytes / s.config.parallel.gpus : s.gpu.memoryBytes;
}

Result<Assessment> assess(const Subject &subject, const Catalogue &catalogue)
{
    if (subject.config.precision == Precision::Fp8Mixed && !subject.gpu.fp8Flops)
        return Error{.what = subject.gpu.name + " has no fp8 products", .where = "--precision", .accepted = "bf16-mixed"};
    const Result<RunPlan> plan = buildPlan(subject.config, subject.model);
    if (!plan)
        return plan.error();
    const Result<PriceBook> prices = catalogue.priceBook(subject.config.prices);
    if (!prices)
        return prices.error();
    const Result<ScalingLaw> law = catalogue.scalingLaw(subject.config.scalingLaw);
    if (!law)
        return law.error();
    Assessment a;
    a.memory = predictMemory(subject, *plan);
    a.speed = predictSpeed(subject, *plan, catalogue);
    a.cost = estimateCost({.config = subject.config, .model = subject.model, .gpu = subject.gpu, .prices = *prices,
                           .law = &*law, .batchLaws = &catalogue.batchLaws, .tokensPerSecond = a.speed.tokensPerSecond});
    return a;
}

// The peak is close to a line in the micro-batch: a secant finds the neighbourhood, a bracket makes it certain.
std::int64_t largestMicroBatch(const Subject &subject)
{
    const Bytes capacity = capacityOf(subject);
    std::int64_t fits = 0, fails = kLargestMicroBatch + 1;
    const Bytes one = peakOf(subject, 1);
    if (one > capacity)
        return 0;
    fits = 1;
    Bytes atFits = one;
    double slope = double(peakOf(subject, 2) - one);
    while (fails - fits > 1) {
        const double reach = slope > 0 ? double(capacity - atFits) / slope : double(kLargestMicroBatch);
        const auto guess = std::clamp(fits + static_cast<std::int64_t>(std::min(reach, 1e6)), fits + 1, fails - 1);
        const Bytes peak = peakOf(subject, guess);
        if (peak <= capacity) {
            slope = std::max(slope * 0.5, double(peak - atFits) / double(guess - fits));
            fits = guess;
            atFits = peak;
        } else {
            fails = guess;
            slope = std::max(slope, double(peak - atFits) / double(guess - fits));
        }
    }
    return fits;
}

} // namespace slipway
