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

// The step of a configuration: one plan for each pipeline stage that differs from the others. An error names the flag
// whose value cannot be planned, and the accepted values. Plans are valid (lifetimes.h).
Result<RunPlan> buildPlan(const RunConfig &config, const ModelSpec &model);

// The plan of any pipeline stage. buildPlan() leaves out stages that differ from the second one only in their layers
// and in their number of micro-batches in flight. buildPlan() must accept the configuration.
StepPlan buildStage(const RunConfig &config, const ModelSpec &model, int stage);

} // namespace slipway
