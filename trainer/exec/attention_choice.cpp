// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/attention_choice.h"

#include "exec/plan_checks.h"

namespace slipway {

aten_ops::AttentionShape attentionShape(const StepPlan &plan, const ModelSpec &model)
{
    const BatchShape batch = batchShape(plan);
    return {.sequences = batch.sequences,
        .tokens = batch.seqLen,
        .heads = model.attention.heads,
        .kvHeads = model.attention.kvHeads,
        .headDim = model.attention.headDim};
}

AttentionChoice chooseAttention(aten_ops::FlashKernel usual, bool cudnnIsFaster, const aten_ops::AttentionShape &shape,
    const std::function<std::string(const aten_ops::AttentionShape &)> &tryCudnn)
{
    if (usual != aten_ops::FlashKernel::Gpu || !cudnnIsFaster)
        return {.kernel = usual};
    const std::string refused = tryCudnn(shape);
    if (refused.empty())
        return {.kernel = aten_ops::FlashKernel::Cudnn};
    return {.kernel = usual,
        .refused =
            "attention runs by FlashAttention-2, which is slower on this GPU: cuDNN's was refused (" + refused + ")"};
}

} // namespace slipway
