// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/passes/strategy.h"

#include <algorithm>
#include <iterator>

namespace slipway::native {

void Strategy::transform(Block & /*block*/, BlockKind /*kind*/) {}

std::vector<BufferId> Strategy::addedBuffers() const { return {}; }

void Strategy::changeSavedBuffers(Block & /*forward*/, Block & /*backward*/) const {}

std::optional<Block> Strategy::deferWeightGradients(Block & /*backward*/) { return {}; }

std::optional<Block> Strategy::stageBoundary(BlockKind /*kind*/) const { return {}; }

LayerEdges Strategy::forwardEdges() const { return {}; }

LayerEdges Strategy::backwardEdges(MicroBatchKind /*kind*/) const { return {}; }

void Strategy::gatherWeights(Block & /*block*/, const BlockSite & /*site*/) const {}

void Strategy::reduceGradients(std::vector<Op> & /*ops*/, const ParameterUnit & /*unit*/, MicroBatchKind /*kind*/) const
{
}

void Strategy::freeGradients(Block & /*block*/, const BlockSite & /*site*/) const {}

bool Strategy::schedule(StepPlan & /*plan*/, MicroBatchSlots & /*slots*/) const { return false; }

void Strategy::afterUpdate(Block & /*block*/, const ParameterUnit & /*unit*/) const {}

std::vector<ParameterUnit> unitsOf(const StepPlan &plan, UnitSection section)
{
    std::vector<ParameterUnit> found;
    std::ranges::copy_if(plan.units, std::back_inserter(found),
        [section](const ParameterUnit &unit) { return unit.section == section; });
    return found;
}

} // namespace slipway::native
