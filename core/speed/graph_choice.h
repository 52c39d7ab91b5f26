// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Whether a step is recorded as a CUDA graph. This depends on the rates of a device, so it is written into a plan when
// the device is known. Predictions and the trainer both read it there.
#pragma once

#include <vector>

#include "plan/step_plan.h"
#include "speed/device_rates.h"

namespace slipway {

// Whether a graph can be recorded, and the launches of the step take longer than its kernels, as sums.
bool choosesGraph(const StepPlan &plan, const DeviceRates &rates);
// Writes it into each plan.
void chooseGraphs(std::vector<StepPlan> &stages, const DeviceRates &rates);

} // namespace slipway
