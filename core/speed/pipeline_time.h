// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The time of all stages of a pipeline together. Each stage executes its passes in order (plan/pipeline_order.h) and
// waits for the messages of its neighbors.
#pragma once

#include <functional>
#include <vector>

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/pipeline_order.h"
#include "plan/step_plan.h"
#include "speed/device_rates.h"

namespace slipway {

// Time of one micro-batch in a stage, for each of its model chunks, including messages to and from its
// neighbors.
struct PassTimes {
    std::vector<Seconds> forward, backward, weights;
    Seconds message = 0; // one message, which the times above include
    Seconds end = 0;     // what follows the last micro-batch: reductions and the optimizer
    bool operator==(const PassTimes &) const = default;
};

// The pass times of one stage's plan, simulated alone. Lists are empty if the plan has no pipeline.
PassTimes passTimes(const StepPlan &plan, const DeviceRates &rates);

struct PipelineTime {
    Seconds step = 0;
    std::vector<Seconds> idle; // bubble of each stage
    bool operator==(const PipelineTime &) const = default;
};

// An action of a stage with its simulated time, for drawings of the step.
struct SimulatedAction {
    int stage = 0;
    PipelineAction action;
    Seconds start = 0, end = 0;
};

// `stages`: the times of each. Of very many micro-batches those in the middle are played as if each took what the
// slowest stage takes: `observer` does not see them.
PipelineTime simulatePipeline(const Parallelism &mesh, std::int64_t microBatches, const std::vector<PassTimes> &stages,
    const std::function<void(const SimulatedAction &)> &observer = {});

// Of a run of our own trainer. Stages between the first two and the last that hold other layers than the second one
// are planned for this.
PipelineTime simulateStages(const RunPlan &plan, const DeviceRates &rates, const RunConfig &config,
    const ModelSpec &model, const std::function<void(const SimulatedAction &)> &observer = {});

} // namespace slipway
