// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <vector>

#include "plan/step_plan.h"

namespace slipway {

// Fills in every op's births: what it writes first. Faults of the plan, each in words, empty where there are none: use
// before birth or after free, double free, what a step leaves alive, and a block whose slots would bear different
// buffers (it needs a variant).
std::vector<std::string> markBirths(StepPlan &plan);

} // namespace slipway
