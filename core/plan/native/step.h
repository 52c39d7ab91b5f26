// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The step that our own trainer executes: blocks put in order for micro-batches, ranks and the optimizer.
#pragma once

#include <string>

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway::native {

// Of a rank of this pipeline stage. The configuration must be one that buildPlan() accepts. Allocations are not marked
// yet.
StepPlan buildStep(const RunConfig &config, const ModelSpec &model, int stage = 0);

} // namespace slipway::native
