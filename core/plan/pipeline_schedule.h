// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The order of a stage's micro-batches.
#pragma once

#include <functional>

#include "config/run_config.h"
#include "plan/step_plan.h"

namespace slipway {

// Micro-batches that a stage holds at most. Interleaved parts run ahead further: 2 (p - 1 - stage) + (v - 1) p parts
// and the one at hand, each a v-th of the stage (Narayanan et al. 2021; Megatron-LM's schedules.py).
int microBatchesHeld(const Parallelism &mesh, int stage);
// Of which the last has run through so many of the stage's parts.
int partsOfLastHeld(const Parallelism &mesh, int stage);

// Adds the slots of one micro-batch, counted from the segment's first, to the segment.
using AddMicroBatch = std::function<void(Segment &, int)>;

struct StagePasses {
    AddMicroBatch forward;
    // Backward slots with blocks of their own: those of the first micro-batch allocate gradients, those of others find
    // them. `reduces`: of the step's last micro-batch, after which gradients go to the other ranks.
    std::function<AddMicroBatch(bool reduces)> backward;
};

// One forward, one backward (Narayanan et al. 2021, section 2.2): a stage runs ahead by as many micro-batches as the
// plan has in flight less one, then alternates, then drains. A stage alone runs ahead by none. Interleaved, a
// micro-batch goes through `ahead` of the stage's `parts` before the one that goes back begins to.
struct Interleaving {
    int parts = 1, ahead = 1;
    int before = 0, after = 0; // places of layers that the embedding and the head take in the first and the last part
};
void addOneForwardOneBackward(StepPlan &plan, const StagePasses &passes, Interleaving interleaving = {});

} // namespace slipway
