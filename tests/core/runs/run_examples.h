// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <chrono>

#include "runs/run_reader.h"

namespace slipway {

inline const std::chrono::system_clock::time_point exampleStart =
    std::chrono::sys_days{std::chrono::year{2026} / 1 / 2};

// Step `step` of a run whose steps take a second and whose loss falls as 10 / step.
inline StepMetrics exampleStep(std::int64_t step, int attempt = 0)
{
    StepMetrics metrics;
    metrics.attempt = attempt;
    metrics.step = step;
    metrics.tokens = step * 1000;
    metrics.time = toIso8601(exampleStart + std::chrono::seconds(step));
    metrics.stepSeconds = 1.0;
    metrics.tokensPerSecond = 1000;
    metrics.loss = 10.0 / static_cast<double>(step);
    metrics.gradNorm = 1.0;
    return metrics;
}

inline RunData exampleRun(std::int64_t steps)
{
    RunData run;
    run.name = "example";
    run.status.state = RunState::Running;
    run.config = RunConfig{};
    run.config->training.steps = 100;
    for (std::int64_t step = 1; step <= steps; ++step)
        run.metrics.push_back(exampleStep(step));
    return run;
}

inline Prediction examplePrediction()
{
    Prediction prediction;
    prediction.model = {.name = "tiny",
        .layers = 2,
        .hidden = 64,
        .attention = {.heads = 4, .kvHeads = 4, .headDim = 16},
        .mlp = {.width = 160},
        .vocab = 256};
    prediction.gpu.id = "cpu";
    prediction.gpu.name = "processor";
    prediction.memory = {.capacity = 100 * kGiB,
        .peak = 50 * kGiB,
        .peakP10 = 45 * kGiB,
        .peakP90 = 60 * kGiB,
        .peakAllocated = 40 * kGiB,
        .peakReserved = 48 * kGiB,
        .outsideAllocator = 2 * kGiB,
        .headroom = 50 * kGiB,
        .maxMicroBatch = 16};
    prediction.memory.atPeak = {10 * kGiB, 5 * kGiB, 5 * kGiB, 10 * kGiB, 8 * kGiB, kGiB, kGiB, 0};
    prediction.speed.step = 0.9;
    prediction.speed.stepP10 = 0.8;
    prediction.speed.stepP90 = 1.2;
    prediction.speed.tokensPerSecond = 1000 / 0.9;
    prediction.cost.usdPerHour = 3600.0; // a dollar a second
    prediction.cost.usd = 90.0;
    prediction.cost.tokens = 100'000;
    return prediction;
}

} // namespace slipway
