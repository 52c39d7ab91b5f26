// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One step of a server that generates text, as a plan: some sequences take the next part of their prompts, others get
// one more token each. Both in one step is what continuous batching with chunked prefill does (Agrawal et al. 2023,
// SARATHI, arXiv 2308.16369). Keys and values of earlier tokens lie in a cache, which lives for the run as weights do.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

// How a server holds a model and runs its kernels. Bits are of one element, scales of a quantization included.
struct InferenceLayout {
    DType type = DType::Bf16; // of activations, and of what GEMMs compute in
    bool fp8Gemms = false;    // linear layers multiply fp8 numbers
    double weightBits = 16;   // of linear layers
    double tableBits = 16;    // of embedding and head
    double cacheBits = 16;
    int tp = 1;                   // tensor-parallel ranks: each has its part of heads, MLP and vocabulary
    bool fusedAttention = true;   // false: scores of all heads are written and read
    bool growsCache = false;      // each step copies a layer's cache in order to add to it (torch.cat)
    bool fusesProjections = true; // queries, keys and values are one GEMM, gate and up another
    int normKernels = 1, ropeKernels = 1, activationKernels = 1; // launches of one such module
    bool allLogits = false;                                      // of every token of a prompt, not only of its last one
    bool operator==(const InferenceLayout &) const = default;
};

struct InferenceStep {
    std::int64_t decoding = 0;      // sequences that get one more token
    std::int64_t decodePast = 0;    // tokens of each that the cache holds, their mean
    std::int64_t prefilling = 0;    // sequences that take the next part of their prompts
    std::int64_t prefillTokens = 0; // of each
    std::int64_t prefillPast = 0;   // tokens of each prompt that the cache holds
    std::vector<Bytes> cacheBytes;  // this rank's cache, for each kind of layer of the model's pattern; empty: none
    Bytes blockTableBytes = 0;      // which blocks of the cache a sequence has; 0: no blocks

    [[nodiscard]] std::int64_t rows() const { return decoding + prefilling * prefillTokens; }
    bool operator==(const InferenceStep &) const = default;
};

// Of one rank; at least one row. Embedding, layers, head, and a draw of one token for each sequence.
StepPlan buildInferenceStep(const ModelSpec &model, const InferenceLayout &layout, const InferenceStep &step);

// Keys and values of one token in one layer, on one rank: a rank has a whole head at least, so beyond kvHeads ranks
// they hold copies.
Bytes cacheBytesPerToken(const ModelSpec &model, const InferenceLayout &layout);

// Weights of one rank. On one rank with 16 bits each: twice the parameter count.
struct InferenceWeights {
    Bytes embedding = 0, layer = 0, head = 0; // of one layer; a tied head has its norm alone
    [[nodiscard]] Bytes all(int layers) const { return embedding + layers * layer + head; }
};
InferenceWeights inferenceWeights(const ModelSpec &model, const InferenceLayout &layout);

// Experts of a layer that so many tokens are routed to, where routing is even: E (1 - (1 - k/E)^tokens).
std::int64_t expertsTouched(const ExpertsModule &experts, std::int64_t tokens);

} // namespace slipway
