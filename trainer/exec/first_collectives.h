// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// NCCL connects GPUs when an algorithm is first used, which depends on the size of the message, and allocates memory
// for it. A plan that fills the GPU would then run out of memory in its first step. So all collectives of a plan run
// once before its arena is allocated.
#pragma once

#include <span>

#include "comm/communicator.h"
#include "exec/backend.h"
#include "plan/step_plan.h"

namespace slipway {

// Runs each kind of collective of the plan once in each size, largest first, on the groups with a DeviceGroup, in the
// same order on all ranks. FirstUse::room is 0 if no group has one. `groups` are in the order of the plan and must
// outlive the result.
FirstUse firstCollectives(const StepPlan &plan, std::span<Communicator *const> groups);

} // namespace slipway
