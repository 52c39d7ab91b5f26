// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The order of a stage's micro-batches.
#pragma once

#include <functional>

#include "config/run_config.h"
#include "plan/step_plan.h"

namespace slipway {

// The largest number of micro-batches in flight in a stage. With v model chunks per stage, 2 (p - 1 - stage) +
// (v - 1) p chunks are in flight besides the current one (Narayanan et al. 2021; Megatron-LM's schedules.py).
int maxMicroBatchesInFlight(const Parallelism &mesh, int stage);
// The number of the stage's chunks that the last of these micro-batches has passed.
int modelChunksOfLastInFlight(const Parallelism &mesh, int stage);

// Adds the slots of one micro-batch, counted from the segment's first, to the segment.
using AddMicroBatch = std::function<void(Segment &, int)>;

struct StagePasses {
    AddMicroBatch forward;
    // Each call creates backward blocks: those of the first call allocate the gradients, later ones add to them.
    // `reduces`: for the last micro-batch of the step, after which ranks reduce the gradients.
    std::function<AddMicroBatch(bool reduces)> backward;
};

// 1F1B (Narayanan et al. 2021, section 2.2): a stage starts with microBatchesInFlight - 1 forward passes, then
// alternates forward and backward passes, then runs the remaining backward passes. A single stage only alternates.
// Interleaved: a micro-batch runs forward through `ahead` of the stage's model chunks before the backward pass of
// another one begins.
struct Interleaving {
    int modelChunks = 1, ahead = 1;
    int before = 0, after = 0; // layers that embedding and head replace in the first and the last model chunk
};
void addOneForwardOneBackward(StepPlan &plan, const StagePasses &passes, Interleaving interleaving = {});

} // namespace slipway
