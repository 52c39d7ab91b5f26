// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Builds a plan: assigns ids, and stores equal kernels once.
#pragma once

#include "plan/step_plan.h"

namespace slipway {

class PlanBuilder {
public:
    StepPlan plan;

    BufferId buffer(Buffer buffer);
    KernelId kernel(Kernel kernel); // fills in its work (kernel_work.h)
    // A collective, or a message, of `elements` in all.
    KernelId collective(OpKind kind, DType type, std::int64_t elements, GroupId group);
    BlockId block(Block block);
};

} // namespace slipway
