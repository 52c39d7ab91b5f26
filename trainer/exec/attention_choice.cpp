// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/attention_choice.h"

#include <algorithm>

#include "exec/plan_checks.h"

namespace slipway {

bool hasPlainFlash(const StepPlan &plan, const ModelSpec &model)
{
    return model.position != Position::Alibi && plan.mesh.context.size == 1 && !hasDocumentTables(plan) &&
           std::ranges::any_of(plan.kernels,
               [](const Kernel &k) { return k.kind == OpKind::FlashAttention && k.window == 0 && k.softCap == 0; });
}

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
        .refused = "attention uses FlashAttention-2, which is slower on this GPU: cuDNN's kernel cannot be used (" +
                   refused + ")"};
}

AttentionChoice agreed(AttentionChoice own, const std::function<bool(bool)> &onAnyRank)
{
    const bool lacks = own.kernel != aten_ops::FlashKernel::Cudnn;
    if (!onAnyRank(lacks) || lacks)
        return own;
    return {.kernel = aten_ops::FlashKernel::Gpu,
        .refused =
            "attention uses FlashAttention-2, which is slower on this GPU: cuDNN does not support it on another rank"};
}

} // namespace slipway
