// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <chrono>
#include <limits>
#include <map>
#include <numeric>

#include "base/median.h"
#include "runs/attempt_spans.h"

namespace slipway {

namespace {

constexpr std::size_t kRecentSteps = 50; // for the remaining time
constexpr std::size_t kWarmupSteps = 3;  // of an attempt: first touches, caches, lazily created states
constexpr std::int64_t kFinalSteps = 10; // one step's loss is noise

// The mean without the slowest and the fastest tenth. An evaluation in one step does not change it. If every third step
// waits for something, the mean includes this time, unlike a median.
std::optional<double> trimmedMean(std::vector<double> values)
{
    constexpr std::size_t kTenth = 10;
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.size() < 3)
        return median(std::move(values));
    std::sort(values.begin(), values.end());
    const std::size_t cut = std::max<std::size_t>(1, values.size() / kTenth);
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(cut),
               values.end() - static_cast<std::ptrdiff_t>(cut), 0.0) /
           static_cast<double>(values.size() - 2 * cut);
}

// Ranges of steps without the first ones of each attempt.
std::vector<std::pair<std::size_t, std::size_t>> stepsAfter(std::size_t warmup, const StepTable &steps)
{
    std::vector<std::pair<std::size_t, std::size_t>> steady;
    for (std::size_t first = 0; first < steps.size(); first = steps.attemptEnd(first)) {
        if (const std::size_t end = steps.attemptEnd(first); first + warmup < end)
            steady.emplace_back(first + warmup, end);
    }
    return steady;
}

// The values of the last `most` steps of the ranges.
std::vector<double> lastValues(
    const Column &column, const std::vector<std::pair<std::size_t, std::size_t>> &ranges, std::size_t most)
{
    std::vector<double> values;
    for (auto range = ranges.rbegin(); range != ranges.rend() && values.size() < most; ++range) {
        const std::size_t count = std::min(most - values.size(), range->second - range->first);
        column.forEach(range->second - count, range->second, [&values](double value) { values.push_back(value); });
    }
    return values;
}

// The median of the finite values of the last kSpeedSteps steps after the warm-up. Without such steps, of all steps.
std::optional<double> steadyMedian(const StepTable &steps, Quantity quantity)
{
    const Column *const column = steps.column({quantity});
    if (!column || !steps.measured({quantity}))
        return std::nullopt;
    std::vector<std::pair<std::size_t, std::size_t>> steady = stepsAfter(kWarmupSteps, steps);
    if (steady.empty())
        steady.emplace_back(0, steps.size());
    std::vector<double> values = lastValues(*column, steady, kSpeedSteps);
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    return median(std::move(values));
}

template<typename Field>
std::optional<Bytes> highest(const RunData &run, Quantity quantity, Field field)
{
    std::optional<Bytes> most;
    if (const Column *const column = run.metrics.column({quantity})) {
        double highest = -1;
        column->forEach(0, column->size(),
            [&highest](double value) { highest = std::isfinite(value) ? std::max(highest, value) : highest; });
        if (highest >= 0)
            most = static_cast<Bytes>(highest);
    }
    for (const StepMetrics &step : run.superseded) {
        if (const std::optional<Bytes> value = step.*field; value && (!most || *value > *most))
            most = value;
    }
    return most;
}

// The mean of the finite losses of ten steps, up to the last one with a finite loss. Steps count by their numbers:
// where only every twentieth step was logged, only the last loss counts.
std::optional<double> finalLoss(const StepTable &steps, const Column &loss)
{
    std::optional<std::int64_t> last;
    std::size_t count = 0;
    double sum = 0;
    for (std::size_t i = steps.size(); i-- > 0;) {
        if (last && steps.step(i) <= *last - kFinalSteps)
            break;
        if (!std::isfinite(loss[i]))
            continue;
        last = last.value_or(steps.step(i));
        sum += loss[i];
        ++count;
    }
    return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

void sumUpLoss(RunSummary &summary, const StepTable &steps)
{
    if (steps.empty())
        return;
    const Column &loss = *steps.column({Quantity::Loss}), &norm = *steps.column({Quantity::GradNorm});
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const double value = loss[i];
        if (std::isfinite(value)) {
            summary.firstLoss = summary.firstLoss.value_or(value);
            summary.lowestLoss = std::min(summary.lowestLoss.value_or(value), value);
        }
        if (!summary.firstNotFinite && !(std::isfinite(value) && std::isfinite(norm[i]))) {
            summary.firstNotFinite = steps.step(i);
            summary.firstNotFiniteIsLoss = !std::isfinite(value);
        }
    }
    summary.finalLoss = finalLoss(steps, loss);
    for (std::size_t i = steps.size(); i-- > 0 && !summary.finalEvalLoss;)
        summary.finalEvalLoss = steps.value({Quantity::EvalLoss}, i);
}

std::vector<UnbilledPause> pausesBetween(const std::vector<AttemptSpan> &spans)
{
    std::vector<UnbilledPause> pauses;
    double end = spans.empty() ? 0 : spans.front().end;
    for (const AttemptSpan &span : spans) {
        if (span.begin - end > kKeptFor)
            pauses.push_back({.from = end, .until = span.begin});
        end = std::max(end, span.end);
    }
    return pauses;
}

std::vector<Comparison> comparisonsOf(const RunSummary &summary, const std::optional<Prediction> &prediction)
{
    const auto bytes = [](std::optional<Bytes> value) {
        return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
    };
    std::vector<Comparison> list{
        {.name = "tokens/s", .unit = "tokens/s", .measured = summary.steadyTokensPerSecond},
        {.name = "step time", .unit = "s", .measured = summary.steadyStepSeconds},
        {.name = "MFU", .unit = "fraction", .measured = summary.steadyMfu},
        {.name = "peak allocated", .unit = "bytes", .measured = bytes(summary.peakAllocated)},
        {.name = "peak reserved", .unit = "bytes", .measured = bytes(summary.peakReserved)},
        {.name = "peak on the device", .unit = "bytes", .measured = bytes(summary.peakDeviceUsed)},
        {.name = "cost", .unit = "USD", .measured = summary.usdSoFar},
        {.name = "final loss", .unit = "nats", .measured = summary.finalLoss},
        {.name = "evaluation loss", .unit = "nats", .measured = summary.finalEvalLoss},
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
    if (!prediction->cost.relative)
        list[6].predicted = prediction->cost.usd;
    // A scaling law predicts the loss on text that was not trained on.
    list[summary.finalEvalLoss ? 8 : 7].predicted = prediction->cost.expectedLoss;
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
    const StepTable &steps = run.metrics;
    progress.step = steps.step(steps.size() - 1);
    progress.tokens = static_cast<Tokens>(steps.tokens().back());
    // The first steps of an attempt include loading and first use of memory. They are not typical of the others.
    const Column &stepSeconds = *steps.column({Quantity::StepSeconds});
    const std::optional<double> steady =
        trimmedMean(lastValues(stepSeconds, stepsAfter(kWarmupSteps, steps), kRecentSteps));
    progress.stepSeconds = steady ? steady : trimmedMean(lastValues(stepSeconds, stepsAfter(1, steps), kRecentSteps));
    if (progress.totalSteps && *progress.totalSteps > 0) {
        const double total = static_cast<double>(*progress.totalSteps);
        progress.fraction = std::clamp(static_cast<double>(progress.step) / total, 0.0, 1.0);
        if (steady)
            progress.remaining = std::max(0.0, total - static_cast<double>(progress.step)) * *steady;
    }
    return progress;
}

std::vector<UnbilledPause> unbilledPauses(const RunData &run)
{
    const StepTable &steps = run.metrics;
    const bool oneAttempt = run.superseded.empty() && (steps.empty() || steps.attemptEnd(0) == steps.size());
    return oneAttempt ? std::vector<UnbilledPause>() : pausesBetween(attemptSpans(run));
}

Seconds billedSeconds(const RunData &run)
{
    const std::vector<AttemptSpan> spans = attemptSpans(run);
    if (spans.empty())
        return 0;
    double end = spans.front().end;
    for (const AttemptSpan &span : spans)
        end = std::max(end, span.end);
    double milliseconds = end - spans.front().begin;
    for (const UnbilledPause &pause : pausesBetween(spans))
        milliseconds -= pause.until - pause.from;
    return milliseconds / 1000;
}

RunSummary summaryOf(const RunData &run)
{
    RunSummary summary;
    const StepTable &steps = run.metrics;
    if (!steps.empty()) {
        const StepMetrics first = steps.front(), last = steps.back();
        summary.steps = last.step;
        summary.tokens = last.tokens;
        summary.attempts = last.attempt + 1;
        summary.firstTime = first.time;
        summary.lastTime = last.time;
        for (const StepMetrics &step : run.superseded)
            summary.firstTime = std::min(summary.firstTime, step.time);
        const auto begin = fromIso8601(summary.firstTime), end = fromIso8601(summary.lastTime);
        summary.timed = begin && end;
        if (summary.timed)
            summary.wallSeconds =
                std::max(0.0, std::chrono::duration<double>(*end - *begin).count()) + first.stepSeconds;
        steps.column({Quantity::StepSeconds})->forEach(0, steps.size(), [&summary](double seconds) {
            summary.trainedSeconds += seconds;
        });
    }
    summary.billedSeconds = billedSeconds(run);
    summary.steadyTokensPerSecond = steadyMedian(steps, Quantity::TokensPerSecond);
    summary.steadyStepSeconds = steadyMedian(steps, Quantity::StepSeconds);
    summary.steadyMfu = steadyMedian(steps, Quantity::Mfu);
    summary.peakAllocated = highest(run, Quantity::Allocated, &StepMetrics::allocatedPeak);
    summary.peakReserved = highest(run, Quantity::Reserved, &StepMetrics::reservedPeak);
    summary.peakDeviceUsed = highest(run, Quantity::DeviceUsed, &StepMetrics::deviceUsed);
    sumUpLoss(summary, steps);
    summary.finalEvalLosses = run.evalLosses;
    // A price book with relative prices (`relative`) has no dollars.
    if (run.prediction && run.prediction->cost.usdPerHour && !run.prediction->cost.relative && !run.metrics.empty())
        summary.usdSoFar = *run.prediction->cost.usdPerHour * summary.billedSeconds / 3600.0;
    summary.comparisons = comparisonsOf(summary, run.prediction);
    return summary;
}

std::string sparkline(const std::vector<double> &values, std::size_t width)
{
    static constexpr std::array<const char *, 8> levels{
        "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
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
