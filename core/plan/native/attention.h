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

// The int32 tables of a micro-batch with separate documents. `positions`: of each token in its document. `bounds`: the
// first token of each document, then the number of tokens.
struct DocumentBuffers {
    BufferId positions{}, bounds{};
};

struct AttentionBuffers {
    BufferId qkv{}, out{};
    BufferId softmax{};                 // flash: log-sum-exp; vanilla: probabilities
    std::optional<BufferId> qk, qkRstd; // queries and keys before their norms
    BufferId dOut{}, dQkv{};            // temporary
    std::optional<BufferId> delta, dq;  // flash; bf16 sums dq in fp32
    std::optional<BufferId> dScores;    // vanilla
    std::optional<DocumentBuffers> documents;

    [[nodiscard]] std::vector<BufferId> saved() const;
    [[nodiscard]] std::vector<BufferId> temporary() const;
    // The buffers that selective recomputation drops: large, and cheap to compute (Korthikanti et al. 2022,
    // arXiv 2205.05198, section 5).
    [[nodiscard]] std::vector<BufferId> selectivelyRecomputed(const Sizes &sizes) const;
};

void declareSaved(const BufferMaker &make, const ModelSpec &model, AttentionBuffers &buffers);
void declareTemporary(const BufferMaker &make, AttentionBuffers &buffers);

// From the normed stream to the heads' outputs, which the GEMM of projectionOf() reads.
void attentionForward(OpWriter &writer, const AttentionBuffers &buffers, const LayerKind &layer, BufferId normed);
Linear projectionOf(const Sizes &sizes);
// From the gradient of the branch to the gradient of the normed stream. Adds `residual`, if there is one.
void attentionBackward(OpWriter &writer, const AttentionBuffers &buffers, const LayerKind &layer, BufferId normed,
    BufferId dBranch, BufferId dNormed, std::optional<BufferId> residual = {});

} // namespace slipway::native
