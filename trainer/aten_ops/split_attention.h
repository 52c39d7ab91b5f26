// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Attention with context parallelism: the queries of this rank's chunks of each sequence (cpu_ops/sequence_shard.h)
// attend to the keys of all ranks, or to those of one rank after another.
#pragma once

#include "aten_ops/attention.h"
#include "cpu_ops/sequence_shard.h"

namespace slipway::aten_ops {

inline constexpr int kAllRanks = -1;

// The part of the sequences that this rank has, and the rank whose keys are given.
struct SplitSequence {
    cpu_ops::SequenceShard shard;
    int keysOf = kAllRanks;
};

// qkv: [batch, seq, heads + 2 kvHeads, headDim] of this rank, of which only the queries are read. keys: [ranks, batch,
// seq, 2 kvHeads, headDim] of all ranks, or of one. With `continues`, out and lse hold the results for the keys of
// other ranks, and these keys are added by their log-sum-exp (Liu et al. 2023, arXiv 2310.01889); a query must have
// attended to a key before. Allocates the keys of a sequence in their order, and outputs of a chunk in fp32. Documents
// are not separated.
void splitAttention(FlashKernel usual, const SplitSequence &sequence, const at::Tensor &qkv, const at::Tensor &keys,
    const at::Tensor &out, const at::Tensor &lse, bool continues, const AttentionOptions &options);

struct SplitGradient {
    at::Tensor dout, qkv, out, lse, keys;
    at::Tensor dqkv;        // its queries are written, or added to with `continues`
    at::Tensor dkeys;       // gradients of `keys`
    bool continues = false; // after a call with the keys of another rank
    AttentionOptions options = {};
};
void splitAttentionBackward(FlashKernel usual, const SplitSequence &sequence, const SplitGradient &gradient);

// probabilities: [batch, heads, seq, full sequence], 0 at masked keys, in the order of positions; keys of all ranks.
void splitVanillaAttention(const SplitSequence &sequence, const at::Tensor &qkv, const at::Tensor &keys,
    const at::Tensor &probabilities, const at::Tensor &out, const AttentionOptions &options);

struct SplitVanillaGradient {
    at::Tensor dout, qkv, probabilities, keys;
    at::Tensor dqkv;  // its queries are written
    at::Tensor dkeys; // gradients of `keys`
    AttentionOptions options = {};
};
void splitVanillaAttentionBackward(const SplitSequence &sequence, const SplitVanillaGradient &gradient);

} // namespace slipway::aten_ops
