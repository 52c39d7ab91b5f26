// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Whose flash attention runs a plan on a GPU: cuDNN's where it is faster and can, else FlashAttention-2. That is found
// out once, with the shape that the plan has, before its arena takes the memory.
#pragma once

#include <functional>
#include <string>

#include "aten_ops/attention.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

struct AttentionChoice {
    aten_ops::FlashKernel kernel = aten_ops::FlashKernel::Processor;
    std::string refused = {}; // why not cuDNN's, where it was tried in vain: for users
};

// Whether the plan has flash attention without what cuDNN's does not do in LibTorch: windows, soft caps, ALiBi,
// documents apart.
bool hasPlainFlash(const StepPlan &plan, const ModelSpec &model);

// Of one call in the plan.
aten_ops::AttentionShape attentionShape(const StepPlan &plan, const ModelSpec &model);

// `usual` is what the device has for the model's heads; `tryCudnn` is cudnnRefuses, and is called once at most.
AttentionChoice chooseAttention(aten_ops::FlashKernel usual, bool cudnnIsFaster, const aten_ops::AttentionShape &shape,
    const std::function<std::string(const aten_ops::AttentionShape &)> &tryCudnn);

// One kernel for the whole run: cuDNN's where all ranks have it. `onAnyRank` as DeviceChoice has it.
AttentionChoice agreed(AttentionChoice own, const std::function<bool(bool)> &onAnyRank);

} // namespace slipway
