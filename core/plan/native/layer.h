// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A layer: attention, and an MLP or experts. Each is a branch of the residual stream. The model decides their order and
// norms.
#pragma once

#include <optional>
#include <vector>

#include "plan/native/attention.h"
#include "plan/native/experts.h"
#include "plan/native/mlp.h"
#include "plan/native/norm.h"

namespace slipway::native {

struct LayerBuffers {
    BufferId x{};                 // the stream: an instance per layer holds its input
    std::optional<BufferId> xMid; // between the branches
    std::optional<Norm> attentionNorm, mlpNorm, attentionPostNorm, mlpPostNorm;
    std::optional<BufferId> attentionNormed, mlpNormed;
    std::optional<BufferId> attentionBranch, mlpBranch; // outputs of the branches, before their post-norms
    AttentionBuffers attention;
    MlpBuffers mlp;
    std::optional<ExpertsBuffers> experts; // in place of the MLP

    // Temporary buffers.
    BufferId projected{}, dx{}, dNormed{};
    std::optional<BufferId> dMlpNormed; // where two norms read one stream
    std::optional<BufferId> dBranch;    // where it is not the stream's gradient

    // The activations that the backward pass reads, without the stream.
    [[nodiscard]] std::vector<BufferId> saved() const;
    [[nodiscard]] std::vector<BufferId> temporary() const;
};

void declareSaved(const BufferMaker &make, const ModelSpec &model, LayerBuffers &buffers);
void declareProjected(const BufferMaker &make, LayerBuffers &buffers);
void declareGradients(const BufferMaker &make, const ModelSpec &model, LayerBuffers &buffers);

// These blocks free nothing. The caller frees the buffers of freedInForward() in the forward block, and those of
// freedInBackward() in the backward block.
Block layerForward(OpWriter writer, const LayerBuffers &buffers, const LayerKind &kind);
Block layerBackward(OpWriter writer, const LayerBuffers &buffers, const LayerKind &kind);
std::vector<BufferId> freedInForward(const LayerBuffers &buffers);
std::vector<BufferId> freedInBackward(const LayerBuffers &buffers);

} // namespace slipway::native
