// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <algorithm>

#include "plan/step_plan.h"

namespace slipway {

// Whether our trainer can record the step as one CUDA graph, which repeats launches of fixed sizes. Collectives are
// left out of graphs, and the rows of each expert are counted when a step runs.
inline bool canBeGraph(const StepPlan &plan)
{
    return plan.groups.empty() &&
           (plan.workload != Workload::Training ||
               std::ranges::none_of(plan.kernels, [](const Kernel &k) { return k.kind == OpKind::GroupedGemm; }));
}

} // namespace slipway
