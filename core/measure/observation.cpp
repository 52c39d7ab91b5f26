// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/observation.h"
#include "measure/measured_stage.h"

#include "runs/progress.h"

namespace slipway {

namespace {

// Fewer steps tell little about a steady state.
constexpr std::int64_t kLeastSteps = 5;

Bytes bytesOfGib(double gib) { return static_cast<Bytes>(gib * double(kGiB)); }

// Without the configuration's own calibration: a measurement is explained without an earlier one.
Result<ResolvedConfig> bareConfig(RunConfig config, const Catalogue &catalogue)
{
    config.calibration.clear();
    return resolveConfig(config, catalogue);
}

double tokensPerSecondPerGpu(const TrainingLog &log, const ResolvedConfig &s)
{
    const double gpus = s.config.parallel.gpus, value = *log.speed;
    switch (log.unit) {
    case LogUnit::TokensPerGpu:
        return value;
    case LogUnit::AllTokens:
        return value / gpus;
    case LogUnit::StepSeconds:
        return double(s.config.tokensPerStep()) / value / gpus;
    case LogUnit::StepsPerSecond:
        return double(s.config.tokensPerStep()) * value / gpus;
    case LogUnit::Sequences:
        return double(s.config.seqLen) * value / gpus;
    case LogUnit::TflopsPerGpu:
        return value * 1e12 / modelFlopsPerToken(s.model, s.config.seqLen);
    }
    return value;
}

} // namespace

Result<Observation> observationOf(const RunData &run, const Catalogue &catalogue)
{
    if (!run.config)
        return Error{.what = "has no configuration to predict",
            .where = run.paths.directory.string(),
            .accepted = "a run directory with its run.yaml"};
    const RunSummary summary = summaryOf(run);
    if (summary.steps >= kLeastSteps && !(summary.steadyTokensPerSecond.value_or(0) > 0))
        return Error{.what = "has no speed in its metrics",
            .where = run.paths.directory.string(),
            .accepted = "a run whose steps have tokens_per_s above 0"};
    if (summary.steps < kLeastSteps)
        return Error{.what = "has " + std::to_string(summary.steps) + " steps, too few to measure its speed",
            .where = run.paths.directory.string(),
            .accepted = "a run of at least " + std::to_string(kLeastSteps) + " steps"};
    Result<ResolvedConfig> resolved = bareConfig(*run.config, catalogue);
    if (!resolved)
        return resolved.error();
    const double ranks = resolved->config.parallel.gpus;
    return Observation{.id = run.name,
        .resolved = *std::move(resolved),
        .tokensPerSecondPerGpu = *summary.steadyTokensPerSecond / ranks,
        .allocated = summary.peakAllocated,
        .reserved = summary.peakReserved,
        .device = summary.peakDeviceUsed};
}

namespace {

bool hasSpeed(const Measured &m)
{
    return m.tokensPerSecondPerGpu.value_or(0) > 0 && !m.onlyPasses; // constants are fitted on steps
}

// Returns why a row is no observation, or an empty text if it is one.
std::string unusable(const MeasuredRow &row)
{
    if (!row.skipped.empty())
        return row.skipped;
    if (row.measured.oom.value_or(false))
        return "the run was out of memory";
    if (!hasSpeed(row.measured) && row.measured.peakGib.value_or(0) <= 0)
        return "has neither a measured speed of whole steps nor a peak memory";
    return {};
}

} // namespace

std::pair<MemoryKind, Bytes> shownPeak(const Observation &observation)
{
    if (observation.device)
        return {MemoryKind::Device, *observation.device};
    if (observation.reserved)
        return {MemoryKind::Reserved, *observation.reserved};
    return {MemoryKind::Allocated, observation.allocated.value_or(0)};
}

Bytes predictedPeak(const MemoryPrediction &prediction, const Observation &observation, MemoryKind kind)
{
    const StageMemory stage =
        measuredStage(prediction, observation.resolved.config.parallel, observation.onlyFirstNode);
    return kind == MemoryKind::Device     ? stage.reserved + prediction.outsideAllocator
           : kind == MemoryKind::Reserved ? stage.reserved
                                          : stage.allocated;
}

std::vector<LeftOutRow> leftOutRows(const std::vector<MeasuredRow> &rows)
{
    std::vector<LeftOutRow> leftOut;
    for (const MeasuredRow &row : rows) {
        if (std::string why = unusable(row); !why.empty())
            leftOut.push_back({row.id, std::move(why)});
    }
    return leftOut;
}

std::vector<Observation> observationsOf(const std::vector<MeasuredRow> &rows, double productiveTimeFraction)
{
    std::vector<Observation> observations;
    for (const MeasuredRow &row : rows) {
        const Measured &m = row.measured;
        if (!unusable(row).empty())
            continue;
        Observation o{.id = row.id, .resolved = row.resolved, .onlyFirstNode = m.fromFirstNode};
        if (hasSpeed(m))
            o.tokensPerSecondPerGpu = *m.tokensPerSecondPerGpu / (m.fromHours ? productiveTimeFraction : 1);
        if (m.peakGib.value_or(0) > 0) {
            std::optional<Bytes> &peak = m.memoryKind == MemoryKind::Allocated ? o.allocated
                                         : m.memoryKind == MemoryKind::Device  ? o.device
                                                                               : o.reserved;
            peak = bytesOfGib(*m.peakGib);
        }
        observations.push_back(std::move(o));
    }
    return observations;
}

Result<Observation> observationOf(
    const TrainingLog &log, const std::string &id, const RunConfig &config, const Catalogue &catalogue)
{
    Result<ResolvedConfig> resolved = bareConfig(config, catalogue);
    if (!resolved)
        return resolved.error();
    Observation o{.id = id,
        .resolved = *std::move(resolved),
        .allocated = log.allocated,
        .reserved = log.reserved,
        .device = log.device};
    if (log.speed)
        o.tokensPerSecondPerGpu = tokensPerSecondPerGpu(log, o.resolved);
    return o;
}

} // namespace slipway
