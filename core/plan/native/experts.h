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

// Rows are choices: tokens x experts per token.
struct ExpertsBuffers {
    BufferId scores{};                       // fp32 [tokens, experts], of the router
    std::optional<BufferId> logits;          // passing: bf16 [tokens, experts] and, in backward, their gradient
    BufferId weights{};                      // fp32 [tokens, experts per token]
    BufferId assignment{};                   // int32: offsets [experts + 1], then chosen, slots and places [rows] each
    BufferId load{};                         // int64 [experts]: rows of each so far in the run
    std::optional<BufferId> received;        // with such ranks: where the rows begin that come here (ReceivedRows)
    std::optional<BufferId> counts, logSums; // of balance losses: fp32 [experts] of a micro-batch, [tokens]
    BufferId input{}, inner{}, product{}, out{};
    std::optional<BufferId> sharedInner, sharedProduct, sharedOut, sharedGate;
    BufferId dWeights{}, dProduct{}, dInput{}; // passing
    std::optional<BufferId> dSharedProduct, dShared;
    // Passing, with such ranks: rows here before they go and after they are back; of all ranks; of the experts here.
    std::optional<BufferId> sent, allOffsets, made, dMade, dSent;

    [[nodiscard]] std::vector<BufferId> all() const;
    [[nodiscard]] std::vector<BufferId> kept() const;
    [[nodiscard]] std::vector<BufferId> passingForward() const;
    [[nodiscard]] std::vector<BufferId> passing() const;
};

void declareKept(const BufferMaker &make, const ModelSpec &model, ExpertsBuffers &buffers);
void declarePassing(const BufferMaker &make, const ModelSpec &model, ExpertsBuffers &buffers);

// From the normed stream to the branch's output, with `residual` added where there is one.
void expertsForward(OpWriter &writer, const ExpertsBuffers &buffers, BufferId normed, Use to, const Use *residual);
// From the gradient of the branch to that of the normed stream, with `residual` added where there is one.
void expertsBackward(OpWriter &writer, const ExpertsBuffers &buffers, BufferId normed, BufferId dBranch,
    BufferId dNormed, std::optional<BufferId> residual = {});

} // namespace slipway::native
