// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/mlp.h"

namespace slipway::native {

namespace {

Linear upOf(const OpWriter &writer)
{
    const bool gated = writer.model.mlp.gated;
    return {.name = gated ? "gate_up" : "up",
        .rows = writer.s.tokens,
        .out = (gated ? 2 : 1) * writer.s.ffn,
        .in = writer.s.hidden};
}

} // namespace

ActivationOps activationOps(const MlpModule &mlp)
{
    if (mlp.gated && mlp.activation == Activation::Silu)
        return {OpKind::SwiGlu, OpKind::SwiGluBackward, "swiglu"};
    if (mlp.gated)
        return {OpKind::GatedActivation, OpKind::GatedActivationBackward, "gated_activation"};
    return {OpKind::Activation, OpKind::ActivationBackward, "activation"};
}

void declareSaved(const BufferMaker &make, const ModelSpec &model, MlpBuffers &buffers)
{
    buffers.inner = make.saved(model.mlp.gated ? "gate_up" : "up", (model.mlp.gated ? 2 : 1) * make.s.ffn);
    buffers.product = make.saved("mlp_product", make.s.ffn);
}

void declareTemporary(const BufferMaker &make, MlpBuffers &buffers)
{
    buffers.dProduct = make.temporary("dproduct", make.s.ffn);
}

void mlpForward(OpWriter &writer, const MlpBuffers &buffers, BufferId normed)
{
    const ActivationOps ops = activationOps(writer.model.mlp);
    writer.linear(upOf(writer), at(normed), at(buffers.inner));
    writer.add(ops.name, writer.rows(ops.forward, writer.s.ffn), {at(buffers.inner)}, {at(buffers.product)});
}

Linear downOf(const Sizes &s) { return {.name = "down", .rows = s.tokens, .out = s.hidden, .in = s.ffn}; }

void mlpBackward(OpWriter &writer, const MlpBuffers &buffers, BufferId normed, BufferId dBranch, BufferId dNormed,
    std::optional<BufferId> residual)
{
    const ActivationOps ops = activationOps(writer.model.mlp);
    writer.linearWeightGradient(downOf(writer.s), at(dBranch), at(buffers.product));
    writer.linearInputGradient(downOf(writer.s), at(dBranch), at(buffers.dProduct));
    writer.add(std::string(ops.name) + "_backward", writer.rows(ops.backward, writer.s.ffn),
        {at(buffers.dProduct), at(buffers.inner)}, {at(buffers.inner)});
    writer.linearWeightGradient(upOf(writer), at(buffers.inner), at(normed));
    const Use added = at(residual.value_or(dNormed));
    writer.linearInputGradient(upOf(writer), at(buffers.inner), at(dNormed), residual ? &added : nullptr);
}

} // namespace slipway::native
