// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The time of all stages of a pipeline together: each plays its turns in their order (plan/pipeline_order.h), and waits
// for what the stages beside it send.
#pragma once

#include <functional>
#include <vector>

#include "config/run_config.h"
#include "plan/pipeline_order.h"
#include "plan/step_plan.h"
#include "speed/device_rates.h"

namespace slipway {

// What one micro-batch takes a stage, by part of the model, with the messages to and from the stages beside it.
struct PassTimes {
    std::vector<Seconds> forward, backward, weights;
    Seconds message = 0; // of it, one message
    Seconds end = 0;     // of the step, behind all micro-batches
    bool operator==(const PassTimes &) const = default;
};

// Out of a plan of one stage, played alone. Empty lists where it has no pipeline.
PassTimes passTimes(const StepPlan &plan, const DeviceRates &rates);

struct PipelineTime {
    Seconds step = 0;
    std::vector<Seconds> idle; // of each stage: while it waits for others
    bool operator==(const PipelineTime &) const = default;
};

// A stage's turn as it was played, for whoever draws the step.
struct PlayedTurn {
    int stage = 0;
    PipelineTurn turn;
    Seconds start = 0, end = 0;
};

// `stages`: the times of each. Of very many micro-batches those in the middle are played as if each took what the
// slowest stage takes: `observer` does not see them.
PipelineTime playPipeline(const Parallelism &mesh, std::int64_t microBatches, const std::vector<PassTimes> &stages,
    const std::function<void(const PlayedTurn &)> &observer = {});

// Of a run of our own trainer: each stage as its plan has it, those between the first two and the last like the second.
PipelineTime playStages(const RunPlan &plan, const DeviceRates &rates, const RunConfig &config,
    const std::function<void(const PlayedTurn &)> &observer = {});

} // namespace slipway
