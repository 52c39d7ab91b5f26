// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// In which order a pipeline stage of our own trainer takes its micro-batches: what the plan's slots follow
// (passes/pipeline.cpp), and what the time of all stages together is played from (speed/pipeline_time.h).
#pragma once

#include <cstdint>
#include <vector>

#include "config/run_config.h"
#include "plan/step_plan.h"

namespace slipway {

// One micro-batch through one of the stage's parts of the model.
struct PipelineTurn {
    PipelinePass pass{};
    int part = 0;
    std::int64_t microBatch = 0;
    bool operator==(const PipelineTurn &) const = default;
};

// Whether a schedule leaves the gradients of weights for later.
inline bool splitsBackward(const Parallelism &mesh)
{
    return mesh.pp > 1 && mesh.pipelineSchedule() == PipelineSchedule::ZeroBubble;
}

// Interleaved: micro-batches are a multiple of the stages.
std::vector<PipelineTurn> pipelineOrder(const Parallelism &mesh, int stage, std::int64_t microBatches);

// Instances that buffers of micro-batches need: from the oldest one at work to the newest.
int instancesOf(const std::vector<PipelineTurn> &order);

// An order whose middle repeats: `round`, shifted by `roundMicroBatches` each time. It leaves the same instances alive.
struct FoldedOrder {
    std::vector<PipelineTurn> before, round, after; // micro-batches are counted as if the round were there once
    std::int64_t last = 0;                          // micro-batch
    std::int64_t repeat = 0;
    int roundMicroBatches = 0;
    int instances = 1;
};
FoldedOrder foldedOrder(const Parallelism &mesh, int stage, std::int64_t microBatches);

} // namespace slipway
