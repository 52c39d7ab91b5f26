// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <vector>

#include "plan/step_plan.h"

namespace slipway {

// Fills in every op's allocations: what it writes first. Faults of the plan, each in words, empty where there are none:
// use before allocation or after free, double free, what a step leaves alive, and a block whose slots would allocate
// different buffers (it needs a variant).
std::vector<std::string> markAllocations(StepPlan &plan);

} // namespace slipway
