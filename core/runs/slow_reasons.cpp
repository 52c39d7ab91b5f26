// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/slow_reasons.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace slipway {

namespace {

constexpr std::size_t kLastSteps = 200;        // what is told of is now, not how the run began
constexpr double kWaits = 0.1;                 // of a step
constexpr double kFullyUsed = 90, kApart = 20; // percent of a GPU's time
constexpr double kHot = 85;                    // degrees, from which data centre GPUs lower their clocks
constexpr double kOtherMemory = 0.1;

double medianOf(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Of the last steps, as far as they were measured.
struct Figures {
    std::vector<double> step, wait, exposed;
    std::vector<std::vector<double>> use, heat; // of each GPU
    double peak = 0;
};

Figures figuresOf(const RunData &run)
{
    Figures figures;
    const std::size_t count = run.metrics.size();
    for (std::size_t i = count - std::min(count, kLastSteps); i < count; ++i) {
        const StepMetrics step = run.metrics[i];
        if (std::isfinite(step.stepSeconds) && step.stepSeconds > 0)
            figures.step.push_back(step.stepSeconds);
        if (step.dataWait)
            figures.wait.push_back(*step.dataWait);
        if (step.communicationExposed)
            figures.exposed.push_back(*step.communicationExposed);
        figures.peak = std::max(figures.peak, static_cast<double>(step.allocatedPeak.value_or(0)));
        figures.use.resize(std::max(figures.use.size(), step.gpus.size()));
        figures.heat.resize(figures.use.size());
        for (std::size_t gpu = 0; gpu < step.gpus.size(); ++gpu) {
            if (step.gpus[gpu].utilisation)
                figures.use[gpu].push_back(*step.gpus[gpu].utilisation);
            if (step.gpus[gpu].temperatureC)
                figures.heat[gpu].push_back(*step.gpus[gpu].temperatureC);
        }
    }
    return figures;
}

void tellWaits(const Figures &figures, std::vector<std::string> &reasons)
{
    if (figures.step.empty())
        return;
    const double step = medianOf(figures.step);
    const auto tell = [&](const std::vector<double> &waits, const char *what, const char *why) {
        if (!waits.empty() && medianOf(waits) > kWaits * step)
            reasons.push_back(fmt::format("a step waits {} for {}, {:.0f} % of its time: {}",
                formatSeconds(medianOf(waits)), what, 100 * medianOf(waits) / step, why));
    };
    tell(figures.wait, "data", "more loading processes or a faster disk would help");
    tell(figures.exposed, "communication", "the links between GPUs or nodes may be slower than planned");
}

void tellUse(const Figures &figures, std::vector<std::string> &reasons)
{
    std::vector<double> medians;
    std::size_t lowest = 0;
    for (const std::vector<double> &use : figures.use) {
        if (use.empty())
            return;
        medians.push_back(medianOf(use));
        if (medians.back() < medians[lowest])
            lowest = medians.size() - 1;
    }
    if (medians.empty()) {
        if (reasons.empty())
            reasons.emplace_back(
                "nobody measured the GPUs, so the part that is slow is not known; nvidia-smi would tell");
        return;
    }
    const double all = medianOf(medians);
    if (medians.size() > 1 && all - medians[lowest] > kApart)
        reasons.push_back(fmt::format("one rank differs: GPU {} is used {:.0f} % of the time, the others {:.0f} %",
            lowest, medians[lowest], all));
    if (all < kFullyUsed)
        reasons.push_back(fmt::format("the GPUs are used {:.0f} % of the time: "
                                      "they wait for data, for the processor or for the script's own work",
            all));
    else if (reasons.empty())
        reasons.push_back(fmt::format("the GPUs are used {:.0f} % of the time: their kernels are slower than planned, "
                                      "as with a lower clock or another attention kernel",
            all));
}

void tellHeat(const Figures &figures, std::vector<std::string> &reasons)
{
    for (std::size_t gpu = 0; gpu < figures.heat.size(); ++gpu) {
        if (figures.heat[gpu].empty() || medianOf(figures.heat[gpu]) < kHot)
            continue;
        reasons.push_back(
            fmt::format("GPU {} is at {:.0f} °C: a GPU this hot lowers its clock", gpu, medianOf(figures.heat[gpu])));
        return; // one is enough to slow all of them down
    }
}

void tellMemory(const RunData &run, const Figures &figures, std::vector<std::string> &reasons)
{
    const double planned = run.prediction ? static_cast<double>(run.prediction->memory.peak) : 0;
    if (planned <= 0 || figures.peak <= 0 || std::abs(figures.peak / planned - 1) < kOtherMemory)
        return;
    reasons.push_back(fmt::format("memory peaks at {}, planned were {}: "
                                  "batch, sequence length, precision or attention kernel may not be those of the plan",
        formatBytes(static_cast<Bytes>(figures.peak)), formatBytes(static_cast<Bytes>(planned))));
}

} // namespace

std::vector<std::string> slowReasons(const RunData &run)
{
    const Figures figures = figuresOf(run);
    std::vector<std::string> reasons;
    tellWaits(figures, reasons);
    tellHeat(figures, reasons);
    tellUse(figures, reasons);
    tellMemory(run, figures, reasons);
    return reasons;
}

} // namespace slipway
