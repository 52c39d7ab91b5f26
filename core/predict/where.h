// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <algorithm>

#include "memory/memory_walk.h"
#include "predict/prediction.h"

namespace slipway {

// An op's instant in words that people read: block and op by name, the layer where the block has one.
inline Instant whereIs(const StepPlan &plan, const OpInstance &at)
{
    const Block &block = plan.at(at.block);
    const Op &op = block.ops[static_cast<std::size_t>(at.op)];
    return {.phase = op.phase, .op = block.name + "/" + op.name, .layer = block.layered ? plan.firstLayer + at.index : -1};
}

// The pipeline's stage of that number, else its last one.
inline const StepPlan &stageOf(const RunPlan &plan, std::size_t stage) { return plan.stages[std::min(stage, plan.stages.size() - 1)]; }

} // namespace slipway
