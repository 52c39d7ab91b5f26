// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Causal grouped-query attention over packed projections (rope.h). Query head h uses key-value head h / (heads /
// kvHeads). Outputs are [batch x seq, heads x headDim]. QkvShape also has the scale of the scores, the sliding window
// and the separate documents.
#pragma once

#include "cpu_ops/rope.h"

namespace slipway::cpu_ops {

// Context parallelism: keys and values in the layout of packKeys(), of all ranks [ranks, batch x seq, 2 kvHeads x
// headDim], or of one rank. Null: the keys and values in qkv.
inline constexpr int kAllRanks = -1;
struct RankKeys {
    const float *rows = nullptr;
    int rank = kAllRanks;
};

// FlashAttention-2 (Dao 2023): by blocks with an online softmax. lse [batch, heads, seq] is the log-sum-exp of each row
// of scores. With `continues`, out and lse hold the result for the keys of other ranks, and these keys are added (ring
// attention, Liu et al. 2023, arXiv 2310.01889).
void flashAttention(
    const QkvShape &shape, const float *qkv, float *out, float *lse, const RankKeys &keys = {}, bool continues = false);

struct FlashGradient {
    const float *dout = nullptr, *qkv = nullptr, *out = nullptr, *lse = nullptr;
    float *dqkv = nullptr;
    float *delta = nullptr; // workspace [batch, heads, seq]
    RankKeys keys = {};     // as in flashAttention()
    float *dkeys = nullptr; // gradients of `keys`; dqkv then receives the gradients of the queries only
    bool continues = false; // adds to the gradients of the queries, and reads delta instead of computing it
};
void flashAttentionBackward(const QkvShape &shape, const FlashGradient &gradient);

// probabilities: [batch, heads, seq, full sequence], 0 at masked keys. `allKeys`: as RankKeys of all ranks.
void vanillaAttention(
    const QkvShape &shape, const float *qkv, float *probabilities, float *out, const float *allKeys = nullptr);

struct VanillaGradient {
    const float *dout = nullptr, *qkv = nullptr, *probabilities = nullptr;
    float *dqkv = nullptr;
    float *dscores = nullptr;       // workspace like probabilities
    const float *allKeys = nullptr; // as in vanillaAttention()
    float *allDkeys = nullptr;      // gradients of allKeys; dqkv then receives the gradients of the queries only
};
void vanillaAttentionBackward(const QkvShape &shape, const VanillaGradient &gradient);

// Copies the keys and values of packed projections to [batch x seq, 2 kvHeads x headDim], and back.
void packKeys(const QkvShape &shape, const float *qkv, float *keys);
void unpackKeys(const QkvShape &shape, const float *keys, float *qkv);

} // namespace slipway::cpu_ops
