// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/slow_reasons.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/median.h"
#include "base/text.h"

namespace slipway {

namespace {

constexpr std::size_t kLastSteps = 200;        // the reasons describe the latest steps, not the start of the run
constexpr double kWaits = 0.1;                 // fraction of a step
constexpr double kFullyUsed = 90, kApart = 20; // percent of a GPU's time
constexpr double kHot = 85;                    // degrees Celsius, at which data center GPUs lower their clocks
constexpr double kLowClock = 0.85;             // fraction of the highest clock
constexpr double kOtherMemory = 0.1;

double medianOf(std::vector<double> values) { return quantileOf(values, 0.5); }

// Values of the latest steps, as far as they were measured.
struct Figures {
    std::vector<double> step, wait, exposed;
    struct Gpu {
        std::vector<double> use, heat, clock, share; // share: fraction of the highest clock
        std::vector<std::int64_t> throttled;
        // Empty: not measured.
        [[nodiscard]] std::optional<double> clockShare() const
        {
            return share.empty() ? std::nullopt : std::optional(medianOf(share));
        }
        [[nodiscard]] bool isHot() const { return !heat.empty() && medianOf(heat) >= kHot; }
    };
    std::vector<Gpu> gpus;
    double allocated = 0; // the largest peak of allocated memory, in bytes
};

void takeSample(Figures::Gpu &gpu, const GpuSample &sample)
{
    if (sample.utilisation)
        gpu.use.push_back(*sample.utilisation);
    if (sample.temperatureC)
        gpu.heat.push_back(*sample.temperatureC);
    if (sample.clockMhz && *sample.clockMhz > 0 && sample.clockMaxMhz && *sample.clockMaxMhz > 0) {
        gpu.clock.push_back(*sample.clockMhz);
        gpu.share.push_back(*sample.clockMhz / *sample.clockMaxMhz);
    }
    if (sample.throttleReasons)
        gpu.throttled.push_back(*sample.throttleReasons);
}

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
        figures.allocated = std::max(figures.allocated, static_cast<double>(step.allocatedPeak.value_or(0)));
        figures.gpus.resize(std::max(figures.gpus.size(), step.gpus.size()));
        for (std::size_t gpu = 0; gpu < step.gpus.size(); ++gpu)
            takeSample(figures.gpus[gpu], step.gpus[gpu]);
    }
    return figures;
}

void tellWaits(const Figures &figures, std::vector<std::string> &reasons)
{
    if (figures.step.empty())
        return;
    const double step = medianOf(figures.step);
    const auto isLong = [&](const std::vector<double> &waits) {
        return !waits.empty() && medianOf(waits) > kWaits * step;
    };
    const auto share = [&](const std::vector<double> &waits) { return 100 * medianOf(waits) / step; };
    if (isLong(figures.wait))
        reasons.push_back(fmt::format("a step waits {} for data, {:.0f} % of the step time: more data-loader workers "
                                      "or a faster disk would help",
            formatSeconds(medianOf(figures.wait)), share(figures.wait)));
    if (isLong(figures.exposed))
        reasons.push_back(fmt::format("a step waits {} for communication, {:.0f} % of the step time: the links "
                                      "between GPUs or nodes may be slower than planned",
            formatSeconds(medianOf(figures.exposed)), share(figures.exposed)));
}

// The reason in most samples, by NVML's bits (nvml.h, nvmlClocksEventReason*). The first match says most.
const char *whyThrottled(const std::vector<std::int64_t> &samples)
{
    struct Reason {
        std::int64_t bits;
        const char *why;
    };
    constexpr std::int64_t kIdle = 0x1, kSetClock = 0x2, kPowerLimit = 0x4, kHardware = 0x8, kOtherGpu = 0x10,
                           kHeat = 0x20 | 0x40, kPowerBrake = 0x80;
    constexpr std::array kReasons{Reason{kHeat, "throttled because of heat"},
        Reason{kPowerBrake, "throttled by the node's power supply"}, Reason{kHardware, "throttled by the hardware"},
        Reason{kPowerLimit, "throttled by its power limit"}, Reason{kOtherGpu, "it follows the clock of another GPU"},
        Reason{kSetClock, "limited by a clock setting"}, Reason{kIdle, "it is idle"}};
    for (const Reason &reason : kReasons) {
        const auto count = std::count_if(
            samples.begin(), samples.end(), [&](std::int64_t sample) { return (sample & reason.bits) != 0; });
        if (2 * count > static_cast<std::ptrdiff_t>(samples.size()))
            return reason.why;
    }
    return "the driver does not state the reason";
}

// Reports the GPU with the lowest clock, since one GPU slows down all of them. If the clock was not measured, heat
// suggests that it is low.
void tellClock(const Figures &figures, std::vector<std::string> &reasons)
{
    const Figures::Gpu *lowest = nullptr;
    for (const Figures::Gpu &gpu : figures.gpus) {
        if (gpu.clockShare() && (lowest == nullptr || *gpu.clockShare() < *lowest->clockShare()))
            lowest = &gpu;
    }
    const auto number = [&](const Figures::Gpu &gpu) { return &gpu - figures.gpus.data(); };
    if (lowest != nullptr && *lowest->clockShare() < kLowClock) {
        const double clock = medianOf(lowest->clock), share = *lowest->clockShare();
        const char *why = whyThrottled(lowest->throttled);
        reasons.push_back(lowest->isHot() ? fmt::format("GPU {} runs at {:.0f} of at most {:.0f} MHz at {:.0f} °C: {}",
                                                number(*lowest), clock, clock / share, medianOf(lowest->heat), why)
                                          : fmt::format("GPU {} runs at {:.0f} of at most {:.0f} MHz: {}",
                                                number(*lowest), clock, clock / share, why));
        return;
    }
    for (const Figures::Gpu &gpu : figures.gpus) {
        if (gpu.isHot() && !gpu.clockShare()) {
            reasons.push_back(fmt::format(
                "GPU {} is at {:.0f} °C: a GPU this hot lowers its clock", number(gpu), medianOf(gpu.heat)));
            return;
        }
    }
}

void tellUse(const RunData &run, const Figures &figures, std::vector<std::string> &reasons)
{
    std::vector<double> medians;
    std::size_t lowest = 0;
    bool clocksKnown = true;
    for (const Figures::Gpu &gpu : figures.gpus) {
        if (gpu.use.empty())
            return;
        clocksKnown = clocksKnown && gpu.clockShare();
        medians.push_back(medianOf(gpu.use));
        if (medians.back() < medians[lowest])
            lowest = medians.size() - 1;
    }
    if (medians.empty()) {
        const bool onCpu = run.config && run.config->gpu == "cpu";
        if (reasons.empty())
            reasons.emplace_back(
                onCpu ? "the cause is not known: other programs may use the processor, or it is slower than estimated"
                      : "the cause is not known: the run has no measurements of its GPUs by nvidia-smi");
        return;
    }
    const double all = medianOf(medians);
    if (medians.size() > 1 && all - medians[lowest] > kApart)
        reasons.push_back(fmt::format("one rank differs: the utilization of GPU {} is {:.0f} %, that of the others "
                                      "{:.0f} %",
            lowest, medians[lowest], all));
    if (all < kFullyUsed)
        reasons.push_back(fmt::format("GPU utilization is {:.0f} %: the GPUs wait for data, for the CPU or for other "
                                      "work of the script",
            all));
    else if (reasons.empty())
        reasons.push_back(
            clocksKnown
                ? fmt::format("GPU utilization is {:.0f} %: kernels are slower than planned, for example because of "
                              "another attention kernel",
                      all)
                : fmt::format(
                      "GPU utilization is {:.0f} %: kernels are slower than planned, for example because of a lower "
                      "clock or another attention kernel",
                      all));
}

void tellMemory(const RunData &run, const Figures &figures, std::vector<std::string> &reasons)
{
    // The plan's peak of the same kind: the device's also has what lies outside the allocator.
    const double planned = run.prediction ? static_cast<double>(run.prediction->memory.peakAllocated) : 0;
    if (planned <= 0 || figures.allocated <= 0 || std::abs(figures.allocated / planned - 1) < kOtherMemory)
        return;
    reasons.push_back(fmt::format("memory peaks at {} instead of {}: "
                                  "batch, sequence length, precision or attention kernel may differ from the plan",
        formatBytes(static_cast<Bytes>(figures.allocated)), formatBytes(static_cast<Bytes>(planned))));
}

} // namespace

std::vector<std::string> slowReasons(const RunData &run)
{
    const Figures figures = figuresOf(run);
    std::vector<std::string> reasons;
    tellWaits(figures, reasons);
    tellClock(figures, reasons);
    tellUse(run, figures, reasons);
    tellMemory(run, figures, reasons);
    return reasons;
}

} // namespace slipway
