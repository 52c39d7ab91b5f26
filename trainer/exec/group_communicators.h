// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "plan/step_plan.h"

namespace slipway {

// The communicators of a plan's groups, in the order of the plan. A group of all ranks is `world` itself. The gradient
// messages of a pipeline, which have an order of their own, get a separate communicator. All ranks of `world` construct
// it together; `world` must outlive it.
struct GroupCommunicators {
    GroupCommunicators(const StepPlan &plan, Communicator &world);

    std::vector<std::unique_ptr<Communicator>> own;
    std::vector<Communicator *> all;
};

} // namespace slipway
