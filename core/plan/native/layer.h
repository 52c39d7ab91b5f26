// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A layer: attention and an MLP or experts, each a branch of the residual stream, in the arrangement that the model
// has.
#pragma once

#include <optional>
#include <vector>

#include "plan/native/attention.h"
#include "plan/native/experts.h"
#include "plan/native/mlp.h"
#include "plan/native/norm.h"

namespace slipway::native {

struct LayerBuffers {
    BufferId x{};                 // the stream, an instance for each layer's input
    std::optional<BufferId> xMid; // between the branches
    std::optional<Norm> attentionNorm, mlpNorm, attentionPostNorm, mlpPostNorm;
    std::optional<BufferId> attentionNormed, mlpNormed;
    std::optional<BufferId> attentionBranch, mlpBranch; // before the norms behind them
    AttentionBuffers attention;
    MlpBuffers mlp;
    std::optional<ExpertsBuffers> experts; // in place of the MLP

    // Passing ones.
    BufferId projected{}, dx{}, dNormed{};
    std::optional<BufferId> dMlpNormed; // where two norms read one stream
    std::optional<BufferId> dBranch;    // where it is not the stream's gradient

    // What backward needs besides the stream.
    [[nodiscard]] std::vector<BufferId> kept() const;
    [[nodiscard]] std::vector<BufferId> passing() const;
};

void declareKept(const BufferMaker &make, const ModelSpec &model, LayerBuffers &buffers);
void declareProjected(const BufferMaker &make, LayerBuffers &buffers);
void declareGradients(const BufferMaker &make, const ModelSpec &model, LayerBuffers &buffers);

// Nothing is freed yet: what dyingInForward() lists dies in the forward block, what dyingInBackward() lists in the
// backward one.
Block layerForward(OpWriter writer, const LayerBuffers &buffers, const LayerKind &kind);
Block layerBackward(OpWriter writer, const LayerBuffers &buffers, const LayerKind &kind);
std::vector<BufferId> dyingInForward(const LayerBuffers &buffers);
std::vector<BufferId> dyingInBackward(const LayerBuffers &buffers);

} // namespace slipway::native
