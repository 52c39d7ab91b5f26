// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Causal attention over packed projections (rope.h), grouped queries included: query head h reads key head h / (heads /
// kvHeads). Outputs are [batch x seq, heads x headDim]. The shape says how scores are scaled, how far back a query
// sees, and where documents begin: these do not see each other.
#pragma once

#include "cpu_ops/rope.h"

namespace slipway::cpu_ops {

// Where the shape is a part of each sequence: keys and values as packKeys() has them, of all ranks [ranks, batch x seq,
// 2 kvHeads x headDim], or of the one with this number. Null: those of qkv.
inline constexpr int kAllRanks = -1;
struct RankKeys {
    const float *rows = nullptr;
    int rank = kAllRanks;
};

// FlashAttention-2 (Dao 2023): block by block with a running softmax. lse [batch, heads, seq] = log of each row's sum
// of exponentials. `continues`: out and lse hold what came of the keys of other ranks, and these keys join (Liu et al.
// 2023, arXiv 2310.01889).
void flashAttention(
    const QkvShape &shape, const float *qkv, float *out, float *lse, const RankKeys &keys = {}, bool continues = false);

struct FlashGradient {
    const float *dout = nullptr, *qkv = nullptr, *out = nullptr, *lse = nullptr;
    float *dqkv = nullptr;
    float *delta = nullptr; // workspace [batch, heads, seq]
    RankKeys keys = {};     // as above
    float *dkeys = nullptr; // with them: their gradients; dqkv gets the queries' alone
    bool continues = false; // the queries' gradients are added to, and delta is there
};
void flashAttentionBackward(const QkvShape &shape, const FlashGradient &gradient);

// With all probabilities kept: [batch, heads, seq, whole sequence], zeros where a query sees nothing. `allKeys`: as
// RankKeys of all ranks.
void vanillaAttention(
    const QkvShape &shape, const float *qkv, float *probabilities, float *out, const float *allKeys = nullptr);

struct VanillaGradient {
    const float *dout = nullptr, *qkv = nullptr, *probabilities = nullptr;
    float *dqkv = nullptr;
    float *dscores = nullptr;       // workspace, as probabilities
    const float *allKeys = nullptr; // as above
    float *allDkeys = nullptr;      // with allKeys: their gradients; dqkv gets the queries' alone
};
void vanillaAttentionBackward(const QkvShape &shape, const VanillaGradient &gradient);

// The keys and values of packed projections: a copy [batch x seq, 2 kvHeads x headDim], and back to their places.
void packKeys(const QkvShape &shape, const float *qkv, float *keys);
void unpackKeys(const QkvShape &shape, const float *keys, float *qkv);

} // namespace slipway::cpu_ops
