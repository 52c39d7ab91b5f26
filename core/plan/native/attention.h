// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Attention: projections of queries, keys and values, their norms and rotations, the scores, and the projection back.
#pragma once

#include <optional>
#include <vector>

#include "plan/native/buffers.h"
#include "plan/native/op_writer.h"

namespace slipway::native {

// Of a micro-batch whose documents are kept apart, int32: the position of each token in its document, and the first
// token of each document, then how many tokens there are.
struct DocumentBuffers {
    BufferId positions{}, bounds{};
};

struct AttentionBuffers {
    BufferId qkv{}, out{};
    BufferId saved{};                   // flash: log-sum-exp; vanilla: probabilities
    std::optional<BufferId> qk, qkRstd; // queries and keys before their norms
    BufferId dOut{}, dQkv{};            // passing
    std::optional<BufferId> delta, dq;  // flash; bf16 sums dq in fp32
    std::optional<BufferId> dScores;    // vanilla
    std::optional<DocumentBuffers> documents;

    [[nodiscard]] std::vector<BufferId> kept() const;
    [[nodiscard]] std::vector<BufferId> passing() const;
    // What is large and cheap to bring back (Korthikanti et al. 2022, arXiv 2205.05198, section 5).
    [[nodiscard]] std::vector<BufferId> cheap(const Sizes &sizes) const;
};

void declareKept(const BufferMaker &make, const ModelSpec &model, AttentionBuffers &buffers);
void declarePassing(const BufferMaker &make, AttentionBuffers &buffers);

// From the normed stream to the heads' outputs; projectionOf() is the GEMM behind them.
void attentionForward(OpWriter &writer, const AttentionBuffers &buffers, const LayerKind &layer, BufferId normed);
Linear projectionOf(const Sizes &sizes);
// From the gradient of the branch to that of the normed stream, with `residual` added where there is one.
void attentionBackward(OpWriter &writer, const AttentionBuffers &buffers, const LayerKind &layer, BufferId normed,
    BufferId dBranch, BufferId dNormed, std::optional<BufferId> residual = {});

} // namespace slipway::native
