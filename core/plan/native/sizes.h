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

// Sizes on one rank, in elements unless stated otherwise.
struct Sizes {
    std::int64_t batch, seq, tokens; // of a micro-batch; seq: this rank's shard of each sequence
    std::int64_t wholeSeq;           // over all context-parallel ranks
    int contextRanks;                // context-parallel degree
    int expertRanks;                 // expert-parallel degree
    int tensorRanks;                 // tensor-parallel degree
    // Rows of this rank's shard of the residual stream (sequence parallelism). All ranks have equally many, so the last
    // ranks may have rows beyond the last token. These rows are finite, and their gradients are 0.
    std::int64_t streamTokens;
    int heads, kvHeads; // of this rank; several tensor-parallel ranks may have the same key-value head
    std::int64_t hidden, qWidth, qkvWidth;
    std::int64_t vocab;           // ids of this rank's vocabulary shard; the last rank may have fewer
    std::int64_t ffn, vocabPitch; // padded widths: see laidOutWidth; ffn is also that of an expert
    std::int64_t sharedFfn;       // of the shared expert
    std::int64_t tableRows;       // of the embedding; vocabPitch if it is tied to the head
    std::int64_t chunkRows;       // tokens of a loss chunk; the last one may have fewer
    // Rows that arrive at the experts of the rank with the most. A step has room for all that may arrive.
    std::int64_t expertRows, mostExpertRows;
    DType type; // of activations and of the weights that GEMMs read
    Attention attention;
    Bytes blasWorkspace;    // that LibTorch keeps for the GEMMs of experts on a GPU, besides the plan's buffers
    bool muon;              // Muon updates the matrices of the layers
    bool balances;          // trains on the router's load-balancing loss
    bool separateDocuments; // ops read tables of documents; false with context parallelism
    bool fp8;               // in linear layers, except the LM head
    float averageDecay;     // of the moving average of the weights; 0: none
};

// m, n and k of an fp8 GEMM are multiples of it (cuBLASLt's documentation).
inline constexpr std::int64_t kFp8Multiple = 16;

Sizes sizesOf(const RunConfig &config, const ModelSpec &model);

// The padded width of rows of `width` elements. Only GPUs run bf16, and their fast GEMMs need rows that begin at
// multiples of 16 bytes, better of 128. Weights and activations are padded with zeros, which stay zeros. Checkpoints
// contain no padding.
std::int64_t laidOutWidth(std::int64_t width, DType type);

// Rows of a loss chunk, except the last one. Its logits take at most 64 MiB (bf16: 256 MiB), or as much as the loss's
// input if that is larger. A multiple of 128 rows, the tile of a GEMM, if it is more than 128.
std::int64_t lossChunkRows(std::int64_t tokens, std::int64_t hidden, std::int64_t vocab, Bytes elementBytes);

} // namespace slipway::native
