// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The sizes of a step in our own trainer.
#pragma once

#include <cstdint>

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway::native {

// Of one rank. Elements unless named otherwise.
struct Sizes {
    std::int64_t batch, seq, tokens; // of a micro-batch; of each sequence this rank's part
    std::int64_t wholeSeq;           // of all context-parallel ranks
    int contextRanks;                // that have a part of each sequence
    int expertRanks;                 // that have other experts
    int tensorRanks;                 // that split heads, MLPs and the vocabulary
    // Of `tokens`, those whose residual stream this rank has (sequence parallelism): equally many on every rank, so
    // that the last ones may have rows behind the last token. These rows are finite, and their gradients are 0.
    std::int64_t streamTokens;
    int heads, kvHeads; // of this rank; tensor-parallel ranks beyond the key heads share them
    std::int64_t hidden, qWidth, qkvWidth;
    std::int64_t vocab;           // ids whose logits this rank has; the last rank may have fewer
    std::int64_t ffn, vocabPitch; // as laid out: see laidOutWidth; of an expert, too
    std::int64_t sharedFfn;       // of the shared expert
    std::int64_t tableRows;       // of the embedding: vocabPitch where the head shares it
    std::int64_t chunkRows;       // tokens of a loss chunk; the last one may have fewer
    DType type;                   // activations and the weights that GEMMs read
    Attention attention;
    bool muon;           // updates the matrices of the layers
    bool balances;       // the load of the experts
    bool documentsApart; // and ops read where they are: not of model-parallel ranks, which the processor runs alone
    bool fp8;            // linear layers, all but the head
    float averageDecay;  // of the moving average of the weights; 0: none
};

// What rows, columns and depth of a GEMM in fp8 are multiples of (cuBLASLt's documentation).
inline constexpr std::int64_t kFp8Multiple = 16;

Sizes sizesOf(const RunConfig &config, const ModelSpec &model);

// How wide rows of `width` elements are laid out. bf16 runs on GPUs alone, whose fast GEMMs ask for rows that begin
// at multiples of 16 bytes, and like 128: zeros fill up an odd width, in weights and activations alike, and stay zeros.
// Checkpoints know nothing of it.
std::int64_t laidOutWidth(std::int64_t width, DType type);

// Rows of a chunk of the loss, but the last one: its logits take at most 64 MiB (bf16: 256 MiB), or what x takes where
// that is more. Whole tiles of 128 rows where that is more than one.
std::int64_t lossChunkRows(std::int64_t tokens, std::int64_t hidden, std::int64_t vocab, Bytes elementBytes);

} // namespace slipway::native
