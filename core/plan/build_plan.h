// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

// The step that a configuration leads to, for each rank that differs. The error names the flag whose value cannot be
// planned, and the values that can. The plan is without fault (lifetimes.h).
Result<RunPlan> buildPlan(const RunConfig &config, const ModelSpec &model);

// One pipeline stage, also one that buildPlan() leaves out since it is like the second but for its layers and the
// micro-batches that it holds. Of a configuration that buildPlan() takes.
StepPlan buildStage(const RunConfig &config, const ModelSpec &model, int stage);

} // namespace slipway
