// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The device memory that a plan needs, and whether the device has it.
#pragma once

#include "predict/assess.h"

namespace slipway {

// Number of micro-batches per step that the allocator's replay simulates.
inline constexpr std::int64_t kReplayedMicroBatches = 3;

// The memory of the pipeline stage that needs most. Our own trainer's arena is exact. Simulated frameworks are replayed
// through PyTorch's caching allocator, which as a last resort releases free segments. The run then fits, and `retries`
// counts these releases per step. `rates` contain the errors of measured predictions.
MemoryPrediction predictMemory(const ResolvedConfig &resolved, const SharedPlan &shared, const SpeedRates &rates);

// All stages, including those that a plan omits because they need no more than the second.
std::vector<StageMemory> memoryOfAllStages(
    const ResolvedConfig &resolved, const std::vector<StageMemory> &planned, const SpeedRates &rates);

// The largest micro-batch whose peak is within the capacity, at most 65,536; 0 if there is none.
std::int64_t largestMicroBatch(const ResolvedConfig &resolved, const SpeedRates &rates);

} // namespace slipway
