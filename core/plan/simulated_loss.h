// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// From the output of the final norm to its gradient: the GEMM of the LM head, the softmax and the loss, for each loss
// path.
#pragma once

#include <optional>
#include <vector>

#include "plan/simulated_layer.h"

namespace slipway {

struct SimulatedLoss {
    std::vector<Op> ops; // for one chunk of the tokens
    int chunks = 1;
    std::optional<Use> held;          // logits that the caller keeps after the loss
    std::optional<Use> tableGradient; // tied embeddings: the LM head's gradient, kept until the embedding's
    std::vector<Op> metrics;          // metrics of the logits, computed after the backward pass
    std::optional<Use> tangent;       // gradient of returned logits, which lives as long as the logits
};

struct SimulatedLossPlaces {
    SimulatedWeights weights;   // of the LM head
    Use normed, normedGradient; // [tokens, hidden]
    Use loss;
    bool tied = false; // whether the stage also has the embedding, with tied weights
};

// Bytes per token and vocabulary entry at the peak, in bf16 or fp16, measured in PyTorch's allocator:
// - hf 14, upcast 12, upcast-held 16; the last two take 4 more over PyTorch's split vocabulary
// - bf16 8; 6 if the caller does not keep the logits
// - chunked: an eighth of 12
// - fused: Liger's fraction of 2; an eighth of 12 with PyTorch's own kernels, of 4 if compiled
// - compiled 4, with one kernel for softmax and upcast in each pass; compiled-whole 2, with the loss in the model's
//   graph; compiled-output 6, if the graph also returns its logits
// - in-place 2: the gradient overwrites the logits (llm.c)
// - parallel 6: in Megatron-LM's vocab_parallel_cross_entropy, softmax and gradient overwrite the fp32 copy; 10 before
//   2023
SimulatedLoss recordSimulatedLoss(PlanBuilder &builder, const FrameworkRecipe &recipe, const SimulatedSizes &sizes,
    const SimulatedLossPlaces &places);

} // namespace slipway
