// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The buffers of a LLaMA-style step in our own trainer: weights flat by unit, activations by name.
#pragma once

#include <optional>
#include <string_view>

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/data_parallel.h"
#include "plan/plan_builder.h"

namespace slipway {

// Sizes that every block needs; elements unless named otherwise.
struct LlamaSizes {
    std::int64_t batch, seq, tokens; // of a micro-batch
    std::int64_t hidden, qWidth, qkvWidth, vocab;
    std::int64_t ffn, vocabPitch; // as laid out: see laidOutWidth
    std::int64_t tableRows;       // of the embedding: vocabPitch where the head shares it
    std::int64_t chunkRows;       // tokens of a loss chunk; the last one may have fewer
    int heads, kvHeads, headDim;
    DType type; // activations and the weights that GEMMs read
    Attention attention;
};

// Where a weight lies: a view into its unit's parameters and the same view into its gradients.
struct WeightUse {
    Use weight, gradient;
};

struct LlamaLayout {
    LlamaSizes sizes;
    DataParallelism data;

    // weights; layer weights are seen from a slot whose index is the layer
    WeightUse table, norm1, qkv, o, norm2, gateUp, down, finalNorm, head;
    // activations kept for backward, an instance a layer
    BufferId x, n1, rstd1, qkvOut, attentionOut, attentionSaved, xMid, n2, rstd2, gateUpOut, product;
    // passing ones
    BufferId tokens, targets, projected, finalNormed, rstdFinal, logits, dx, dProduct, dNormed, dAttention, dQkv,
        attentionDelta;
    std::optional<BufferId> attentionDq; // bf16 flash backward sums dq in fp32
    std::optional<BufferId> dScores;     // vanilla
    BufferId loss, norm2Sum;
    std::optional<BufferId> gemmWorkspace; // of cuBLASLt: bf16
};

// How wide rows of `width` elements are laid out. bf16 runs on GPUs alone, whose fast GEMMs ask for rows that begin
// at multiples of 16 bytes, and like 128: zeros fill up an odd width, in weights and activations alike, and stay zeros.
// Checkpoints know nothing of it.
std::int64_t laidOutWidth(std::int64_t width, DType type);

// Rows of a chunk of the loss, but the last one: its logits take at most 64 MiB (bf16: 256 MiB), or what x takes where
// that is more. Whole tiles of 128 rows where that is more than one.
std::int64_t lossChunkRows(std::int64_t tokens, std::int64_t hidden, std::int64_t vocab, Bytes elementBytes);

// The same layout, seen by a micro-batch that starts the step's sum of gradients or by a later one: its backward may
// write to buffers of its own.
LlamaLayout withGradientsOf(const LlamaLayout &layout, const StepPlan &plan, bool firstMicroBatch);

// Adds units, tensors and buffers to the builder's plan.
LlamaLayout addLlamaLayout(PlanBuilder &builder, const RunConfig &config, const ModelSpec &model);

} // namespace slipway
