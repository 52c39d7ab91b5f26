// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

// The step of one pipeline stage in PyTorch (eager or compiled) or Megatron-LM. It is simulated, not executed. `stage`
// is from 0 to pp - 1.
StepPlan buildSimulatedStep(const RunConfig &config, const ModelSpec &model, int stage);

} // namespace slipway
