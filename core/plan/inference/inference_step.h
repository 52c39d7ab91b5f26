// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The plan of one step of a server: some sequences prefill the next chunk of their prompts, others decode one token.
// Continuous batching with chunked prefill does both in one step (Agrawal et al. 2023, SARATHI, arXiv 2308.16369). The
// KV cache is allocated for the whole run, like the weights.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

// How a server stores a model and runs its kernels. Bits are per element and include the scales of a quantization.
struct InferenceLayout {
    DType type = DType::Bf16; // of activations and GEMMs
    bool fp8Gemms = false;    // linear layers use fp8 GEMMs
    double weightBits = 16;   // of linear layers
    double tableBits = 16;    // of embedding and head
    double cacheBits = 16;
    int tp = 1;                   // tensor-parallel ranks: they shard heads, MLP and vocabulary
    bool fusedAttention = true;   // false: attention writes the scores of all heads to memory
    bool growsCache = false;      // each step copies a layer's cache to append to it (torch.cat)
    bool fusesProjections = true; // one GEMM for queries, keys and values, one for gate and up
    int normKernels = 1, ropeKernels = 1, activationKernels = 1; // launches per module
    bool allLogits = false;                                      // logits of all tokens of a prompt, not only the last
    bool operator==(const InferenceLayout &) const = default;
};

struct InferenceStep {
    std::int64_t decoding = 0;      // sequences that get one more token
    std::int64_t decodePast = 0;    // mean number of cached tokens of these
    std::int64_t prefilling = 0;    // sequences that prefill the next chunk of their prompts
    std::int64_t prefillTokens = 0; // tokens of each chunk
    std::int64_t prefillPast = 0;   // cached tokens of each of these prompts
    std::vector<Bytes> cacheBytes;  // this rank's cache, per kind of layer in the model's pattern; empty: none
    Bytes blockTableBytes = 0;      // of the block table of a paged cache; 0: not paged

    [[nodiscard]] std::int64_t rows() const { return decoding + prefilling * prefillTokens; }
    bool operator==(const InferenceStep &) const = default;
};

// The plan of one rank: embedding, layers, head, and sampling of one token per sequence. It has at least one row.
StepPlan buildInferenceStep(const ModelSpec &model, const InferenceLayout &layout, const InferenceStep &step);

// Keys and values of one token in one layer, on one rank. Each rank has at least one whole head, so ranks replicate
// heads if tp exceeds kvHeads.
Bytes cacheBytesPerToken(const ModelSpec &model, const InferenceLayout &layout);

// Bytes of the weights on one rank. With tp = 1 and 16 bits, they are twice the parameter count.
struct InferenceWeights {
    Bytes embedding = 0, layer = 0, head = 0; // layer: one layer; head: only the norm if it is tied
    [[nodiscard]] Bytes all(int layers) const { return embedding + layers * layer + head; }
};
InferenceWeights inferenceWeights(const ModelSpec &model, const InferenceLayout &layout);

// The expected number of experts of a layer that get tokens, if routing is even: E (1 - (1 - k/E)^tokens).
std::int64_t expertsTouched(const ExpertsModule &experts, std::int64_t tokens);

} // namespace slipway
