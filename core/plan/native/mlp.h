// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// An MLP: up (and gate), activation, down.
#pragma once

#include <optional>
#include <vector>

#include "plan/native/buffers.h"
#include "plan/native/op_writer.h"

namespace slipway::native {

// The ops of an activation function in the forward and the backward pass, and their name in a plan.
struct ActivationOps {
    OpKind forward, backward;
    const char *name;
};
ActivationOps activationOps(const MlpModule &mlp);

struct MlpBuffers {
    BufferId inner{}, product{}; // saved for backward: before and after the activation
    BufferId dProduct{};         // temporary

    [[nodiscard]] std::vector<BufferId> saved() const { return {inner, product}; }
    [[nodiscard]] std::vector<BufferId> temporary() const { return {dProduct}; }
};

void declareSaved(const BufferMaker &make, const ModelSpec &model, MlpBuffers &buffers);
void declareTemporary(const BufferMaker &make, MlpBuffers &buffers);

// From the normed stream to the input of the down projection, the GEMM of downOf().
void mlpForward(OpWriter &writer, const MlpBuffers &buffers, BufferId normed);
Linear downOf(const Sizes &sizes);
// From the gradient of the branch to the gradient of the normed stream. Adds `residual`, if there is one.
void mlpBackward(OpWriter &writer, const MlpBuffers &buffers, BufferId normed, BufferId dBranch, BufferId dNormed,
    std::optional<BufferId> residual = {});

} // namespace slipway::native
