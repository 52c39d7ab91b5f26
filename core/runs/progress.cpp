// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <chrono>

namespace slipway {

namespace {

constexpr std::size_t kRecentSteps = 50;    // for the time that is left
constexpr std::int64_t kWarmupSteps = 3;    // of an attempt: first touches, caches, lazily made states
constexpr std::size_t kFinalSteps = 10;     // one step's loss is noise

std::optional<double> median(std::vector<double> values)
{
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty())
        return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// The steps without the first of each attempt; all of them where nothing else is there.
std::vector<const StepMetrics *> steadySteps(const RunData &run)
{
    std::vector<const StepMetrics *> steady;
    std::int64_t inAttempt = 0;
    for (std::size_t i = 0; i < run.metrics.size(); ++i) {
        inAttempt = i > 0 && run.metrics[i].attempt == run.metrics[i - 1].attempt ? inAttempt + 1 : 0;
        if (inAttempt >= kWarmupSteps)
            steady.push_back(&run.metrics[i]);
    }
    if (steady.empty()) {
        for (const StepMetrics &metrics : run.metrics)
            steady.push_back(&metrics);
    }
    return steady;
}

template<typename Field>
std::optional<double> medianOf(const std::vector<const StepMetrics *> &steps, Field field)
{
    std::vector<double> values;
    values.reserve(steps.size());
    for (const StepMetrics *step : steps) {
        if (const std::optional<double> value = field(*step))
            values.push_back(*value);
    }
    return median(std::move(values));
}

template<typename Field>
std::optional<Bytes> highest(const RunData &run, Field field)
{
    std::optional<Bytes> most;
    for (const std::vector<StepMetrics> *steps : {&run.metrics, &run.superseded}) {
        for (const StepMetrics &step : *steps) {
            if (const std::optional<Bytes> value = field(step); value && (!most || *value > *most))
                most = value;
        }
    }
    return most;
}

void sumUpLoss(RunSummary &summary, const RunData &run)
{
    std::vector<double> finite;
    for (const StepMetrics &step : run.metrics) {
        if (std::isfinite(step.loss))
            finite.push_back(step.loss);
        if (!summary.firstNotFinite && !(std::isfinite(step.loss) && std::isfinite(step.gradNorm))) {
            summary.firstNotFinite = step.step;
            summary.firstNotFiniteIsLoss = !std::isfinite(step.loss);
        }
        if (step.evalLoss)
            summary.finalEvalLoss = step.evalLoss;
    }
    if (finite.empty())
        return;
    summary.firstLoss = finite.front();
    summary.lowestLoss = *std::min_element(finite.begin(), finite.end());
    const std::size_t count = std::min(kFinalSteps, finite.size());
    double sum = 0;
    for (std::size_t i = finite.size() - count; i < finite.size(); ++i)
        sum += finite[i];
    summary.finalLoss = sum / static_cast<double>(count);
}

std::vector<Comparison> comparisonsOf(const RunSummary &summary, const std::optional<Prediction> &prediction)
{
    const auto bytes = [](std::optional<Bytes> value) { return value ? std::optional(static_cast<double>(*value)) : std::nullopt; };
    std::vector<Comparison> list{
        {.name = "tokens/s", .unit = "tokens/s", .measured = summary.steadyTokensPerSecond},
        {.name = "step time", .unit = "s", .measured = summary.steadyStepSeconds},
        {.name = "MFU", .unit = "fraction", .measured = summary.steadyMfu},
        {.name = "peak allocated", .unit = "bytes", .measured = bytes(summary.peakAllocated)},
        {.name = "peak reserved", .unit = "bytes", .measured = bytes(summary.peakReserved)},
        {.name = "peak on the device", .unit = "bytes", .measured = bytes(summary.peakDeviceUsed)},
        {.name = "final loss", .unit = "nats", .measured = summary.finalEvalLoss ? summary.finalEvalLoss : summary.finalLoss},
        {.name = "cost", .unit = "USD", .measured = summary.usdSoFar},
    };
    if (!prediction)
        return list;
    const SpeedPrediction &speed = prediction->speed;
    const MemoryPrediction &memory = prediction->memory;
    const double tokensPerStep = speed.tokensPerSecond * speed.step;
    list[0].predicted = speed.tokensPerSecond;
    if (speed.stepP10 > 0 && speed.stepP90 > 0) {
        list[0].predictedP10 = tokensPerStep / speed.stepP90;
        list[0].predictedP90 = tokensPerStep / speed.stepP10;
        list[1].predictedP10 = speed.stepP10;
        list[1].predictedP90 = speed.stepP90;
    }
    list[1].predicted = speed.step;
    list[2].predicted = speed.mfu;
    list[3].predicted = static_cast<double>(memory.peakAllocated);
    list[4].predicted = static_cast<double>(memory.peakReserved);
    list[5].predicted = static_cast<double>(memory.peak);
    list[5].predictedP10 = static_cast<double>(memory.peakP10);
    list[5].predictedP90 = static_cast<double>(memory.peakP90);
    list[6].predicted = prediction->cost.expectedLoss;
    if (!prediction->cost.relative)
        list[7].predicted = prediction->cost.usd;
    return list;
}

} // namespace

std::optional<double> Comparison::ratio() const
{
    if (!predicted || !measured || *predicted == 0)
        return std::nullopt;
    return *measured / *predicted;
}

Progress progressOf(const RunData &run)
{
    Progress progress{.totalSteps = run.totalSteps()};
    if (run.metrics.empty())
        return progress;
    progress.step = run.metrics.back().step;
    progress.tokens = run.metrics.back().tokens;
    // The first step of an attempt loads and touches everything: it says nothing of the others.
    std::vector<double> recent;
    for (std::size_t i = run.metrics.size(); i-- > 1 && recent.size() < kRecentSteps;) {
        if (run.metrics[i].attempt == run.metrics[i - 1].attempt)
            recent.push_back(run.metrics[i].stepSeconds);
    }
    progress.stepSeconds = median(std::move(recent));
    if (progress.totalSteps && *progress.totalSteps > 0) {
        const double total = static_cast<double>(*progress.totalSteps);
        progress.fraction = std::clamp(static_cast<double>(progress.step) / total, 0.0, 1.0);
        if (progress.stepSeconds)
            progress.remaining = std::max(0.0, total - static_cast<double>(progress.step)) * *progress.stepSeconds;
    }
    return progress;
}

RunSummary summaryOf(const RunData &run)
{
    RunSummary summary;
    if (!run.metrics.empty()) {
        const StepMetrics &last = run.metrics.back();
        summary.steps = last.step;
        summary.tokens = last.tokens;
        summary.attempts = last.attempt + 1;
        summary.firstTime = run.metrics.front().time;
        summary.lastTime = last.time;
        for (const StepMetrics &step : run.superseded)
            summary.firstTime = std::min(summary.firstTime, step.time);
        const auto first = fromIso8601(summary.firstTime), end = fromIso8601(summary.lastTime);
        if (first && end)
            summary.wallSeconds = std::max(0.0, std::chrono::duration<double>(*end - *first).count()) + run.metrics.front().stepSeconds;
        for (const StepMetrics &step : run.metrics)
            summary.trainedSeconds += step.stepSeconds;
    }
    const std::vector<const StepMetrics *> steady = steadySteps(run);
    summary.steadyTokensPerSecond = medianOf(steady, [](const StepMetrics &m) { return std::optional(m.tokensPerSecond); });
    summary.steadyStepSeconds = medianOf(steady, [](const StepMetrics &m) { return std::optional(m.stepSeconds); });
    summary.steadyMfu = medianOf(steady, [](const StepMetrics &m) { return m.mfu; });
    summary.peakAllocated = highest(run, [](const StepMetrics &m) { return m.allocatedPeak; });
    summary.peakReserved = highest(run, [](const StepMetrics &m) { return m.reservedPeak; });
    summary.peakDeviceUsed = highest(run, [](const StepMetrics &m) { return m.deviceUsed; });
    sumUpLoss(summary, run);
    // A book of ratios (`relative`) has no dollars to count.
    if (run.prediction && run.prediction->cost.usdPerHour && !run.prediction->cost.relative && !run.metrics.empty())
        summary.usdSoFar = *run.prediction->cost.usdPerHour * summary.wallSeconds / 3600.0;
    summary.comparisons = comparisonsOf(summary, run.prediction);
    return summary;
}

std::string sparkline(const std::vector<double> &values, std::size_t width)
{
    static constexpr std::array<const char *, 8> levels{"\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
    double low = std::numeric_limits<double>::infinity(), high = -low;
    const std::size_t count = std::min(width, values.size());
    std::vector<double> shown;
    for (std::size_t i = 0; i < count; ++i) {
        shown.push_back(values[(i + 1) * values.size() / count - 1]);
        if (std::isfinite(shown.back())) {
            low = std::min(low, shown.back());
            high = std::max(high, shown.back());
        }
    }
    std::string line;
    for (const double value : shown) {
        const double height = high > low ? (value - low) / (high - low) : 0.5;
        line += std::isfinite(value) ? levels[static_cast<std::size_t>(std::lround(height * 7))] : " ";
    }
    return line;
}

} // namespace slipway
