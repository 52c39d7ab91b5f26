// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A mixture of experts without a capacity: every token's rows go to its experts and come back (MegaBlocks, Gale et al.
// 2022, arXiv 2211.15841). Expert-parallel ranks have other experts each (passes/expert_parallel.cpp): buffers of rows
// have room for all that may come; how many come is known when the step runs.
#pragma once

#include <optional>
#include <vector>

#include "plan/native/buffers.h"
#include "plan/native/op_writer.h"

namespace slipway::native {

// A row is one token at one of its experts: rows = tokens x experts per token. With expert parallelism, "here" means
// the experts of this rank.
struct ExpertsBuffers {
    BufferId scores{};                       // fp32 [tokens, experts], of the router
    std::optional<BufferId> logits;          // temporary: bf16 [tokens, experts] and, in backward, their gradient
    BufferId weights{};                      // fp32 [tokens, experts per token]
    BufferId assignment{};                   // int32: offsets [experts + 1], then chosen, slots and places [rows] each
    BufferId load{};                         // int64 [experts]: rows of each expert since the run began
    std::optional<BufferId> received;        // expert parallelism: where each rank's rows begin here (ReceivedRows)
    std::optional<BufferId> counts, logSums; // for balance losses: fp32 [experts] per micro-batch, [tokens]
    BufferId input{}, inner{}, product{}, out{};
    std::optional<BufferId> sharedInner, sharedProduct, sharedOut, sharedGate;
    BufferId dWeights{}, dProduct{}, dInput{}; // temporary
    std::optional<BufferId> dSharedProduct, dShared;
    // Temporary, with expert parallelism: rows before they are sent, offsets of all ranks, and rows after they return;
    // and their gradients.
    std::optional<BufferId> sent, allOffsets, made, dMade, dSent;

    [[nodiscard]] std::vector<BufferId> all() const;
    [[nodiscard]] std::vector<BufferId> saved() const;
    [[nodiscard]] std::vector<BufferId> temporaryForward() const;
    [[nodiscard]] std::vector<BufferId> temporary() const;
};

void declareSaved(const BufferMaker &make, const ModelSpec &model, ExpertsBuffers &buffers);
void declareTemporary(const BufferMaker &make, const ModelSpec &model, ExpertsBuffers &buffers);

// From the normed stream to the branch's output. Adds `residual`, if there is one.
void expertsForward(OpWriter &writer, const ExpertsBuffers &buffers, BufferId normed, Use to, const Use *residual);
// From the gradient of the branch to the gradient of the normed stream. Adds `residual`, if there is one.
void expertsBackward(OpWriter &writer, const ExpertsBuffers &buffers, BufferId normed, BufferId dBranch,
    BufferId dNormed, std::optional<BufferId> residual = {});

} // namespace slipway::native
