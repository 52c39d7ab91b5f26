// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The order in which a pipeline stage of our own trainer processes its micro-batches. The plan's slots follow it
// (passes/pipeline.cpp), and so does the simulated time of all stages (speed/pipeline_time.h).
#pragma once

#include <cstdint>
#include <vector>

#include "config/run_config.h"
#include "plan/step_plan.h"

namespace slipway {

// One pass of a micro-batch through one of the stage's model chunks.
struct PipelineAction {
    PipelinePass pass{};
    int modelChunk = 0;
    std::int64_t microBatch = 0;
    bool operator==(const PipelineAction &) const = default;
};

// Whether the schedule computes weight gradients later than input gradients (zero bubble).
inline bool splitsBackward(const Parallelism &mesh)
{
    return mesh.pp > 1 && mesh.pipelineSchedule() == PipelineSchedule::ZeroBubble;
}

// Interleaved schedules require a number of micro-batches that is a multiple of the stages.
std::vector<PipelineAction> pipelineOrder(const Parallelism &mesh, int stage, std::int64_t microBatches);

// The number of instances of micro-batch buffers: from the oldest micro-batch in flight to the newest.
int instancesOf(const std::vector<PipelineAction> &order);

// An order with a repeated middle part. Each repetition of `round` processes the next `roundMicroBatches` micro-batches
// and leaves the same instances alive.
struct FoldedOrder {
    std::vector<PipelineAction> before, round, after; // micro-batches are counted as if the round were there once
    std::int64_t last = 0;                            // micro-batch
    std::int64_t repeat = 0;
    int roundMicroBatches = 0;
    int instances = 1;
};
FoldedOrder foldedOrder(const Parallelism &mesh, int stage, std::int64_t microBatches);

} // namespace slipway
