// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which learning rate and weight decay the weights of a unit have. What optimizers tell apart lies in runs of the
// unit's elements; a rank updates what of them falls to it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/executor.h"
#include "plan/step_plan.h"

namespace slipway {

struct KindRun {
    std::int64_t end = 0; // elements of the unit
    ParameterKind kind = ParameterKind::Matrix;
    int copies = 1; // tensor-parallel ranks that have the same elements, among those that split the rest
    bool operator==(const KindRun &) const = default;
};
using UnitRuns = std::vector<KindRun>;

// Of each of the plan's units. What fills up its end counts to the last run.
std::vector<UnitRuns> unitRuns(const StepPlan &plan);

// Elements of an AdamW op's operands that are updated alike.
struct UpdatePart {
    std::int64_t first = 0, count = 0;
    double rateFactor = 1; // times the learning rate
    double weightDecay = 0;
    bool operator==(const UpdatePart &) const = default;
};
std::vector<UpdatePart> updateParts(
    const Kernel &adamW, int shard, std::span<const UnitRuns> units, const OptimizerStep &optimizer);

// Elements of a SumSquares op's operand that so many ranks have.
struct SharedPart {
    std::int64_t first = 0, count = 0;
    int copies = 1;
};
// One part where the kernel names no unit.
std::vector<SharedPart> sharedParts(const Kernel &sumSquares, int shard, std::span<const UnitRuns> units);

} // namespace slipway
