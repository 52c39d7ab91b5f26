// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// NCCL connects GPUs when a collective first needs the way, by algorithm and so by size, and takes memory for it. A
// plan that fills the card would fail there in its first step: so all of a plan's collectives run once before its arena
// is made.
#pragma once

#include <span>

#include "comm/communicator.h"
#include "exec/backend.h"
#include "plan/step_plan.h"

namespace slipway {

// Each kind of collective of the plan once in each of its sizes, the largest first, on the groups that have their own
// way on the device; every rank runs the same in the same order. No room where no group has one. `groups` as the plan
// counts them; they must outlive what is returned.
FirstUse firstCollectives(const StepPlan &plan, std::span<Communicator *const> groups);

} // namespace slipway
