// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>

#include "plan/step_plan.h"

namespace slipway {

// "qkv gemm forward [8192x6144x2048 bf16] reads attention_normed layer.parameters allocates qkv frees ...": one op.
std::string toText(const StepPlan &plan, const Op &op);

// Buffers, blocks op by op, and the schedule: what `slipway plan --step-plan F` writes, and what tests compare.
std::string toText(const StepPlan &plan);
// What decides when ops run: lanes, the limit of gathers, CUDA graph. Follows toText() in the file.
std::string orderText(const StepPlan &plan);

} // namespace slipway
