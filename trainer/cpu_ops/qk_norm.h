// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// RMSNorm of queries and keys in packed projections (rope.h), before RoPE: per head (Qwen 3, Gemma 3), or over all
// heads of a row (OLMo 2). With tensor parallelism, several ranks have equally many of these heads: qkNormSquares() and
// qkNormDots() compute what the ranks sum before the norm and before its backward.
#pragma once

#include "cpu_ops/rope.h"

namespace slipway::cpu_ops {

enum class QkNormSpan : std::uint8_t {
    Head,     // weights [headDim], rstd [batch x seq, heads + kvHeads]
    AllHeads, // weights [heads x headDim] and [kvHeads x headDim], rstd [batch x seq, 2]
};

// Rows are multiplied by weightOffset + weight. A null weight means ones.
struct QkNormWeights {
    QkNormSpan span = QkNormSpan::Head;
    const float *q = nullptr, *k = nullptr;
    float weightOffset = 0;
    int ranks = 1; // that have the heads of a row together (AllHeads)
};

// Number of elements of rstd.
std::int64_t qkNormStatistics(const QkvShape &shape, QkNormSpan span);

// The sums of the squares of q and of k [batch x seq, 2].
void qkNormSquares(const QkvShape &shape, const float *qkv, float *sums);

// Normalizes q and k in place, and copies their old values to qk [batch x seq, (heads + kvHeads) x headDim]. With
// several ranks, rstd first contains the sums of qkNormSquares() over them.
void qkNorm(const QkvShape &shape, const QkNormWeights &weights, float eps, float *qkv, float *qk, float *rstd);

struct QkNormGradient {
    const float *qk = nullptr, *rstd = nullptr;
    float *dqkv = nullptr;                          // in place, except the gradient of v
    float *dqWeight = nullptr, *dkWeight = nullptr; // null: not computed
    const float *dots = nullptr;                    // several ranks: the sums of qkNormDots() over them
    bool accumulate = false;                        // adds to dqWeight and dkWeight
};
// The sums of dy weight x over the queries and over the keys [batch x seq, 2].
void qkNormDots(const QkvShape &shape, const QkNormWeights &weights, const float *dqkv, const float *qk, float *sums);
void qkNormBackward(const QkvShape &shape, const QkNormWeights &weights, const QkNormGradient &gradient);

} // namespace slipway::cpu_ops
