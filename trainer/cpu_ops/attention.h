// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Causal attention over packed projections (rope.h), grouped queries included: query head h reads key head h / (heads /
// kvHeads). Outputs are [batch x seq, heads x headDim]. The shape says how scores are scaled, how far back a query
// sees, and where documents begin: these do not see each other.
#pragma once

#include "cpu_ops/rope.h"

namespace slipway::cpu_ops {

// FlashAttention-2 (Dao 2023): block by block with a running softmax. lse [batch, heads, seq] = log of each row's sum
// of exponentials. `allKeys`: keys and values of all ranks [ranks, batch x seq, 2 kvHeads x headDim] where the shape is
// a part of each sequence; null: those of qkv.
void flashAttention(const QkvShape &shape, const float *qkv, float *out, float *lse, const float *allKeys = nullptr);

struct FlashGradient {
    const float *dout = nullptr, *qkv = nullptr, *out = nullptr, *lse = nullptr;
    float *dqkv = nullptr;
    float *delta = nullptr;         // workspace [batch, heads, seq]
    const float *allKeys = nullptr; // as above
    float *allDkeys = nullptr;      // with allKeys: their gradients; dqkv gets the queries' alone
};
void flashAttentionBackward(const QkvShape &shape, const FlashGradient &gradient);

// With all probabilities kept: [batch, heads, seq, seq], zeros where a query sees nothing.
void vanillaAttention(const QkvShape &shape, const float *qkv, float *probabilities, float *out);

struct VanillaGradient {
    const float *dout = nullptr, *qkv = nullptr, *probabilities = nullptr;
    float *dqkv = nullptr;
    float *dscores = nullptr; // workspace, as probabilities
};
void vanillaAttentionBackward(const QkvShape &shape, const VanillaGradient &gradient);

// The keys and values of packed projections: a copy [batch x seq, 2 kvHeads x headDim], and back to their places.
void packKeys(const QkvShape &shape, const float *qkv, float *keys);
void unpackKeys(const QkvShape &shape, const float *keys, float *qkv);

} // namespace slipway::cpu_ops
