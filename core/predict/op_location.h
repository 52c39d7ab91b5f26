// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <algorithm>

#include "memory/memory_walk.h"
#include "predict/prediction.h"

namespace slipway {

// The layer that an op works for, from 0; -1 outside them. What gathers weights ahead of time works for the layer that
// they are of, not for the one that runs meanwhile.
inline int layerOf(const StepPlan &plan, const Block &block, const Op &op, int slotIndex)
{
    const bool ofWeights = plan.at(op.kernel).kind == OpKind::AllGather && !op.reads.empty() &&
                           (plan.at(op.reads.front().buffer).role == Role::Parameter ||
                               plan.at(op.reads.front().buffer).role == Role::MasterWeight);
    if (ofWeights)
        return plan.at(op.reads.front().buffer).perLayer ? plan.modelLayer(slotIndex + op.reads.front().layerShift)
                                                         : -1;
    return block.layered ? plan.modelLayer(slotIndex) : -1;
}

// An op's instant in words that people read: block and op by name, the layer where it has one.
inline Instant opLocation(const StepPlan &plan, const OpInstance &at)
{
    const Block &block = plan.at(at.block);
    const Op &op = block.ops[static_cast<std::size_t>(at.op)];
    return {.phase = op.phase, .op = block.name + "/" + op.name, .layer = layerOf(plan, block, op, at.index)};
}

// The pipeline's stage of that number, else its last one.
inline const StepPlan &stageOf(const RunPlan &plan, std::size_t stage)
{
    return plan.stages[std::min(stage, plan.stages.size() - 1)];
}

} // namespace slipway
