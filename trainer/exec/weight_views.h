// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Weights under the names and shapes that Hugging Face's LlamaForCausalLM gives them. Packed ones (qkv, gate_up) are
// ranges of rows; what fills up odd widths is no part of them.
#pragma once

#include <vector>

#include "exec/executor.h"

namespace slipway {

// Of the parts that fall to `shard`; their pointers are the caller's to set.
std::vector<WeightView> weightViews(const StepPlan &plan, const ModelSpec &model, int shard);

} // namespace slipway
