// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <vector>

#include "plan/step_plan.h"

namespace slipway {

// Sets every op's allocations: the buffers that it is the first to write. Returns the errors of the plan as sentences;
// none if it is valid. Errors are use before allocation or after free, a double free, buffers that a step never frees,
// and a block whose slots would allocate different buffers (it needs a variant).
std::vector<std::string> markAllocations(StepPlan &plan);

} // namespace slipway
