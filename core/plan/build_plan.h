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

// The step of a configuration, as one plan for each pipeline stage that differs from others. An error names the flag
// whose value cannot be planned, and the accepted values. Plans are valid (lifetimes.h).
Result<RunPlan> buildPlan(const RunConfig &config, const ModelSpec &model);

// One pipeline stage, also one that buildPlan() leaves out since it is like the second but for its layers and the
// micro-batches that it holds. Of a configuration that buildPlan() takes.
StepPlan buildStage(const RunConfig &config, const ModelSpec &model, int stage);

} // namespace slipway
