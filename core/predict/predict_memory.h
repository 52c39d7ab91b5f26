// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a plan needs of a device's memory, and whether that is there.
#pragma once

#include "predict/assess.h"

namespace slipway {

// Micro-batches of a step that the allocator's replay goes through.
inline constexpr std::int64_t kReplayedMicroBatches = 3;

// Of the pipeline stage that needs most. Our own trainer's arena is exact; simulated frameworks go through PyTorch's
// caching allocator, whose last resort is to give what it holds back: then the run fits, and `retries` counts how often
// a step it does so. `rates` say how far runs are from plans.
MemoryPrediction predictMemory(const Subject &subject, const SharedPlan &shared, const SpeedRates &rates);

// With the stages that a plan leaves out, since they need no more than the second.
std::vector<StageMemory> memoryOfAllStages(
    const Subject &subject, const std::vector<StageMemory> &planned, const SpeedRates &rates);

// The largest micro-batch whose peak is within the capacity, 0 where none is; at most 65,536.
std::int64_t largestMicroBatch(const Subject &subject, const SpeedRates &rates);

} // namespace slipway
