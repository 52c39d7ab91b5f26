// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Attention: the projections of queries, keys and values, their norms and RoPE, the attention itself, and the output
// projection.
#pragma once

#include <optional>
#include <vector>

#include "plan/native/buffers.h"
#include "plan/native/op_writer.h"

namespace slipway::native {

// The int32 tables of a micro-batch with separate documents. `positions` has the position of each token in its
// document. `bounds` has the first token of each document, then the number of tokens.
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

// Writes the operations from the normed residual stream to the outputs of the heads, which the GEMM of projectionOf()
// reads.
void attentionForward(OpWriter &writer, const AttentionBuffers &buffers, const LayerKind &layer, BufferId normed);
Linear projectionOf(const Sizes &sizes);
// Writes the operations from `dBranch`, the gradient of the branch, to `dNormed`, the gradient of the normed residual
// stream. The last one adds `residual`, if there is one.
void attentionBackward(OpWriter &writer, const AttentionBuffers &buffers, const LayerKind &layer, BufferId normed,
    BufferId dBranch, BufferId dNormed, std::optional<BufferId> residual = {});

} // namespace slipway::native
