// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// From the last norm's output to its gradient: the head's GEMM, the soft-max and the loss, as each loss path has
// them.
#pragma once

#include <optional>
#include <vector>

#include "plan/simulated_layer.h"

namespace slipway {

struct SimulatedLoss {
    std::vector<Op> ops; // of one chunk of the tokens
    int chunks = 1;
    std::optional<Use> held;          // logits that the caller holds beyond the loss
    std::optional<Use> tableGradient; // of a tied table: what the head made of it waits for the embedding's
    std::vector<Op> metrics;          // what the trainer computes from them once backward is through
    std::optional<Use> tangent;       // gradient of logits that are handed out: it lives as long as they do
};

struct SimulatedLossPlaces {
    SimulatedWeights weights;   // of the head
    Use normed, normedGradient; // [tokens, hidden]
    Use loss;
    bool tied = false; // the table is this stage's, too
};

// Bytes a token and vocabulary entry at the peak, half precision: hf 14, upcast 12, upcast-held 16 (both 4 more over
// PyTorch's split vocabulary), bf16 8 (6 where nobody holds them), chunked an eighth of 12, fused Liger's part of 2, of
// PyTorch's own kernels an eighth of 12, compiled of 4 (measured in PyTorch's allocator); compiled 4: soft-max and
// upcast are one kernel each way; 2 where the loss is in the model's graph (compiled-whole), 6 where that hands out its
// logits as well (compiled-output); in-place 2: the gradient overwrites the logits (llm.c); parallel 6: Megatron-LM's
// vocab_parallel_cross_entropy, whose soft-max and gradient overwrite the fp32 copy; 10 before 2023.
SimulatedLoss recordSimulatedLoss(PlanBuilder &builder, const FrameworkRecipe &recipe, const SimulatedSizes &sizes,
    const SimulatedLossPlaces &places);

} // namespace slipway
