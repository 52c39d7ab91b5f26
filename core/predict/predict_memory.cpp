// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/predict_memory.h"

#include <algorithm>
#include <cmath>

#include "plan/data_parallel.h"
#include "predict/calibrated.h"
#include "predict/op_location.h"

namespace slipway {

namespace {

constexpr std::int64_t kLargestMicroBatch = 65536;

// On a CPU, the arena of our trainer is predicted exactly.
MemoryRate reservedRange(const ResolvedConfig &s, const SpeedRates &rates)
{
    if (s.gpu.isCpu)
        return {};
    MemoryRate rate = rates.memoryOf(enumName(s.config.framework));
    if (const KnowledgeRate *known = rates.rangeOf(enumName(s.softwareKnowledge))) {
        rate.p10 = known->reservedP10;
        rate.p90 = known->reservedP90;
    }
    return rate;
}

// The probability of a peak above the capacity. The logarithm of the peak is normal on each side of the prediction.
double probabilityAbove(Bytes capacity, const MemoryPrediction &m)
{
    constexpr double kP90 = 1.2815515655446004; // of the standard normal distribution
    if (m.peak <= 0 || capacity <= 0)
        return capacity <= 0 ? 1 : 0;
    const double distance = std::log(double(capacity) / double(m.peak)),
                 width = distance > 0 ? std::log(double(m.peakP90) / double(m.peak))
                                      : std::log(double(m.peak) / double(std::max<Bytes>(m.peakP10, 1)));
    if (width <= 0)
        return distance >= 0 ? 0 : 1;
    return std::erfc(distance / (width / kP90) / std::sqrt(2.0)) / 2;
}

// The memory that the allocator reserves on the device.
struct Reserved {
    Bytes bytes = 0;
    int retries = 0;  // in a steady step
    bool fits = true; // into the available memory
};

// `arena` is the size of the arena, for runs that use one.
Reserved reservedBy(const MemoryNeeds &needs, int layers, const RunConfig &config, Bytes available, Bytes arena,
    const SpeedRates &rates, double usual)
{
    if (usesArena(config))
        return {.bytes = arena, .fits = arena <= available};
    const Replay &unlimited = needs.unlimited;
    if (unlimited.peakReserved <= available)
        return {.bytes = unlimited.peakReserved};
    // Memory that does not fit at once may fit after cache flushes. This is judged for the median run, which takes
    // `usual` times the planned memory.
    const auto limit = static_cast<Bytes>(double(available) / usual);
    const double live = double(unlimited.peakAllocated) / double(available);
    const bool shards = runsFsdp(config.parallel.kind) && !config.simulated.expandableSegments;
    Reserved reserved{.bytes = unlimited.peakReserved, .fits = false};
    if (live <= 1) {
        Replay limited = replayWithin(limit, needs.trace, config);
        if (limited.outOfMemory)
            limited = replayWithin(static_cast<Bytes>(double(limit) * rates.allocatorOomMargin), needs.trace, config);
        if (!limited.outOfMemory)
            return {.bytes = std::min(limited.peakReserved, available), .retries = limited.retriesInLastStep};
        if (shards && live < rates.allocatorOomThreshold)
            reserved = {.bytes = available};
        // Not even the flushes of the replay are enough: the cache is flushed in every layer.
        if (shards && live >= rates.allocatorThrashThreshold)
            reserved.retries =
                layers * static_cast<int>(std::min<std::int64_t>(config.gradAccum, kReplayedMicroBatches));
    }
    return reserved;
}

// Scales the plan's bytes by the calibrated ratio.
Bytes scaled(Bytes bytes, double ratio)
{
    return ratio == 1 ? bytes : static_cast<Bytes>(std::llround(double(bytes) * ratio));
}

// The number of the plan's bytes that fit on the device.
Bytes roomOf(const ResolvedConfig &s, const SpeedRates &rates)
{
    return scaled(capacityOf(s) - calibratedOutsideAllocatorMemory(s, rates).bytes - reservedBeyondPlan(s),
        1 / measuredToPlannedMemory(s));
}

StageMemory stageMemory(int stage, Bytes allocated, Bytes reserved, Bytes outside)
{
    return {.stage = stage, .allocated = allocated, .reserved = reserved, .peak = reserved + outside};
}

bool fits(ResolvedConfig resolved, const SpeedRates &rates, std::int64_t microBatch, Bytes &peak)
{
    resolved.config.microBatch = microBatch;
    const Bytes available = roomOf(resolved, rates);
    const RunPlan plan = buildPlan(resolved.config, resolved.model).value();
    peak = 0;
    std::vector<MemoryNeeds> needs;
    for (const StepPlan &stage : plan.stages) {
        needs.push_back(memoryNeeds(stage, resolved.config, Placement::Arena));
        peak = std::max(peak, needs.back().peak.withLibraries());
    }
    const int layers = plan.stages.front().layers;
    return std::all_of(needs.begin(), needs.end(), [&](const MemoryNeeds &stage) {
        return reservedBy(stage, layers, resolved.config, available, peak, rates, reservedRange(resolved, rates).p50)
            .fits;
    });
}

} // namespace

std::vector<StageMemory> memoryOfAllStages(
    const ResolvedConfig &s, const std::vector<StageMemory> &planned, const SpeedRates &rates)
{
    std::vector<StageMemory> all(planned.begin(), planned.begin() + std::min<std::ptrdiff_t>(2, std::ssize(planned)));
    const Bytes outside = calibratedOutsideAllocatorMemory(s, rates).bytes, held = reservedBeyondPlan(s);
    const double ratio = measuredToPlannedMemory(s);
    for (int stage = 2; stage + 1 < s.config.parallel.pp; ++stage) {
        const StepPlan plan = buildStage(s.config, s.model, stage);
        const MemoryNeeds needs = memoryNeeds(plan, s.config, usesArena(s.config) ? Placement::Arena : Placement::None);
        const Reserved takes = reservedBy(needs, plan.layers, s.config, roomOf(s, rates), needs.peak.withLibraries(),
            rates, reservedRange(s, rates).p50);
        all.push_back(
            stageMemory(stage, scaled(needs.peak.allocated, ratio) + held, scaled(takes.bytes, ratio) + held, outside));
    }
    if (planned.size() > 2)
        all.push_back(planned.back());
    return all;
}

MemoryPrediction predictMemory(const ResolvedConfig &s, const SharedPlan &shared, const SpeedRates &rates)
{
    const OutsideAllocatorMemory outside = calibratedOutsideAllocatorMemory(s, rates);
    const Bytes capacity = capacityOf(s), held = reservedBeyondPlan(s);
    const double ratio = measuredToPlannedMemory(s);
    const MemoryRate range = reservedRange(s, rates);
    const StepPlan *worst = nullptr;
    MemoryPeak peak;
    Reserved reserved;
    MemoryPrediction m;
    for (std::size_t i = 0; i < shared.needs.size(); ++i) {
        const StepPlan &stage = shared.plan.stages[i];
        const MemoryPeak &other = shared.needs[i].peak;
        const Reserved takes = reservedBy(
            shared.needs[i], stage.layers, s.config, roomOf(s, rates), other.withLibraries(), rates, range.p50);
        const int number = i < 2 ? static_cast<int>(i) : s.config.parallel.pp - 1;
        m.stages.push_back(stageMemory(
            number, scaled(other.allocated, ratio) + held, scaled(takes.bytes, ratio) + held, outside.bytes));
        if (!worst || std::pair(!takes.fits, takes.bytes) > std::pair(!reserved.fits, reserved.bytes)) {
            worst = &stage;
            peak = other;
            reserved = takes;
            m.stage = number;
        }
    }
    peak.allocated = scaled(peak.allocated, ratio) + held;
    for (Bytes &bytes : peak.byRole)
        bytes = scaled(bytes, ratio);
    peak.byRole[static_cast<std::size_t>(Role::Workspace)] += held;
    reserved.bytes = scaled(reserved.bytes, ratio) + held;
    m.capacity = capacity;
    m.peakAllocated = peak.allocated;
    m.peakReserved = reserved.bytes;
    m.outsideAllocator = outside.bytes;
    m.peak = reserved.bytes + outside.bytes;
    m.peakP10 = static_cast<Bytes>(double(reserved.bytes) * range.p10) + outside.p10;
    m.peakP90 = static_cast<Bytes>(double(reserved.bytes) * range.p90) + outside.p90;
    m.headroom = m.capacity - m.peak;
    m.retries = reserved.retries;
    constexpr double kTight = 0.05, kHalf = 0.5;
    m.oomProbability = probabilityAbove(m.capacity, m);
    m.verdict = !reserved.fits || m.peak > m.capacity ? Verdict::Oom : Verdict::Fits;
    // If the plan does not fit, or only fits with cache flushes, the probability stays on its side of one half.
    m.oomProbability = m.verdict == Verdict::Oom ? std::max(m.oomProbability, kHalf)
                       : m.retries > 0           ? std::clamp(m.oomProbability, kTight, kHalf)
                                                 : std::min(m.oomProbability, kHalf);
    if (m.verdict == Verdict::Fits && m.oomProbability >= kTight)
        m.verdict = Verdict::Tight;
    m.textbook = textbookMemory(s.config, s.model);
    m.atPeak = peak.byRole;
    m.peakAt = opLocation(*worst, peak.at);
    return m;
}

// The arena's peak is almost linear in the micro-batch. A secant finds an estimate, and a bracket makes it certain.
std::int64_t largestMicroBatch(const ResolvedConfig &resolved, const SpeedRates &rates)
{
    const Bytes available = roomOf(resolved, rates);
    std::int64_t fitting = 0, failing = kLargestMicroBatch + 1;
    Bytes one = 0, two = 0;
    if (!fits(resolved, rates, 1, one))
        return 0;
    fitting = 1;
    if (!fits(resolved, rates, 2, two))
        return 1;
    fitting = 2;
    Bytes atFitting = two;
    double slope = double(two - one);
    while (failing - fitting > 1) {
        const double reach =
            slope > 0 ? std::max(0.0, double(available - atFitting)) / slope : double(kLargestMicroBatch);
        const auto guess =
            std::clamp(fitting + static_cast<std::int64_t>(std::min(reach, 1e6)), fitting + 1, failing - 1);
        Bytes peak = 0;
        if (fits(resolved, rates, guess, peak)) {
            slope = std::max(slope * 0.5, double(peak - atFitting) / double(guess - fitting));
            fitting = guess;
            atFitting = peak;
        } else {
            failing = guess;
            slope = std::max(slope * 1.02, double(peak - atFitting) / double(guess - fitting));
        }
    }
    return fitting;
}

} // namespace slipway
