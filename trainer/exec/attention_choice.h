// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Chooses the flash attention kernel of a plan on a GPU: cuDNN's if it is faster and supports the plan, otherwise
// FlashAttention-2. cuDNN is tried once with the shape of the plan, before the arena takes the memory.
#pragma once

#include <functional>
#include <string>

#include "aten_ops/attention.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

struct AttentionChoice {
    aten_ops::FlashKernel kernel = aten_ops::FlashKernel::Processor;
    std::string refused = {}; // why cuDNN's kernel cannot be used, for users; empty: it can, or was not tried
};

// Whether the plan has flash attention, and none of what LibTorch's cuDNN attention does not support: sliding windows,
// soft caps, ALiBi, separate documents.
bool hasPlainFlash(const StepPlan &plan, const ModelSpec &model);

// The shape of one call of attention in the plan.
aten_ops::AttentionShape attentionShape(const StepPlan &plan, const ModelSpec &model);

// `usual`: the kernel to use without cuDNN. `tryCudnn`: cudnnRefuses() of the device, called at most once.
AttentionChoice chooseAttention(aten_ops::FlashKernel usual, bool cudnnIsFaster, const aten_ops::AttentionShape &shape,
    const std::function<std::string(const aten_ops::AttentionShape &)> &tryCudnn);

// Selects one kernel for the whole run: cuDNN's only if all ranks can use it. `onAnyRank` as in DeviceOptions.
AttentionChoice agreed(AttentionChoice own, const std::function<bool(bool)> &onAnyRank);

} // namespace slipway
