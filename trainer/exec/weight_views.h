// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Weights under the names and shapes that Hugging Face's LlamaForCausalLM gives them. Packed ones (qkv, gate_up) are
// ranges of rows.
#pragma once

#include <vector>

#include "exec/executor.h"
#include "exec/live_buffers.h"

namespace slipway {

// Of the parts that fall to `shard`.
std::vector<WeightView> weightViews(const StepPlan &plan, const ModelSpec &model, const LiveBuffers &live, int shard, std::byte *arena);

} // namespace slipway
