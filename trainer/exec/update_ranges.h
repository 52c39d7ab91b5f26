// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Learning rate and weight decay of the weights of a unit. Weights of one kind form runs of the unit's elements. A rank
// updates the intersections of these runs with its shard.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/executor.h"
#include "plan/step_plan.h"

namespace slipway {

struct KindRun {
    std::int64_t end = 0; // the run ends before this element of the unit
    ParameterKind kind = ParameterKind::Matrix;
    int copies = 1; // tensor-parallel ranks with replicas of these elements
    bool operator==(const KindRun &) const = default;
};
using UnitRuns = std::vector<KindRun>;

// For each unit of the plan. Padding at the end of a unit belongs to its last run.
std::vector<UnitRuns> unitRuns(const StepPlan &plan);

// A range of an AdamW op's operands with one learning rate and weight decay.
struct UpdateRange {
    std::int64_t first = 0, count = 0;
    double rateFactor = 1; // factor on the learning rate
    double weightDecay = 0;
    bool operator==(const UpdateRange &) const = default;
};
std::vector<UpdateRange> updateRanges(
    const Kernel &adamW, int shard, std::span<const UnitRuns> units, const OptimizerStep &optimizer);

// A range of a SumSquares op's operand of which `copies` ranks have replicas.
struct ReplicatedRange {
    std::int64_t first = 0, count = 0;
    int copies = 1;
};
// A single range if the kernel has no unit.
std::vector<ReplicatedRange> replicatedRanges(const Kernel &sumSquares, int shard, std::span<const UnitRuns> units);

// The fraction of a range's squares that this rank adds to the norm, so that replicas count once.
constexpr double shareOfSquares(const Kernel &sumSquares, const ReplicatedRange &range)
{
    return (sumSquares.scale == 0 ? 1.0 : static_cast<double>(sumSquares.scale)) / range.copies;
}

} // namespace slipway
