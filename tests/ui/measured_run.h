// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run whose steps are all alike, and what the window shows of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "base/units.h"
#include "runs/run_reader.h"
#include "ui/examples.h"
#include "ui/runs/run_display.h"

namespace slipway::ui {

inline RunData measuredRun(int steps, int gpus = 2)
{
    RunData run;
    run.name = "measured";
    run.status.state = RunState::Running;
    run.config = RunConfig{};
    run.config->training.steps = 1000;
    run.prediction = examplePrediction({.microBatch = 8});
    for (int step = 1; step <= steps; ++step) {
        StepMetrics m{.step = step,
            .tokens = step * 8192,
            .time = toIso8601(std::chrono::system_clock::time_point(std::chrono::seconds(step))),
            .stepSeconds = 1,
            .tokensPerSecond = 8192,
            .loss = 5,
            .mfu = 0.4,
            .allocatedPeak = 10 * kGiB,
            .dataWait = 0.01,
            .forward = 0.3};
        m.gpus.assign(
            static_cast<std::size_t>(gpus), GpuSample{.utilisation = 97, .powerWatts = 400, .temperatureC = 60});
        run.metrics.push_back(m);
    }
    return run;
}

inline std::shared_ptr<const RunDisplay> viewOf(const RunData &run)
{
    return std::make_shared<const RunDisplay>(
        runDisplay(run, std::chrono::system_clock::time_point(std::chrono::seconds(1000))));
}

} // namespace slipway::ui
