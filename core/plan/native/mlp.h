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

// The kinds of op that run an activation, forward and backward, and their name in a plan.
struct ActivationOps {
    OpKind forward, backward;
    const char *name;
};
ActivationOps activationOps(const MlpModule &mlp);

struct MlpBuffers {
    BufferId inner{}, product{}; // kept: before and after the activation
    BufferId dProduct{};         // passing

    [[nodiscard]] std::vector<BufferId> kept() const { return {inner, product}; }
    [[nodiscard]] std::vector<BufferId> passing() const { return {dProduct}; }
};

void declareKept(const BufferMaker &make, const ModelSpec &model, MlpBuffers &buffers);
void declarePassing(const BufferMaker &make, MlpBuffers &buffers);

// From the normed stream to what downOf(), the GEMM behind it, reads.
void mlpForward(OpWriter &writer, const MlpBuffers &buffers, BufferId normed);
Linear downOf(const Sizes &sizes);
// From the gradient of the branch to that of the normed stream, with `residual` added where there is one.
void mlpBackward(OpWriter &writer, const MlpBuffers &buffers, BufferId normed, BufferId dBranch, BufferId dNormed,
    std::optional<BufferId> residual = {});

} // namespace slipway::native
