// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// RMSNorm of queries and keys in packed projections (rope.h), before RoPE: per head (Qwen 3, Gemma 3), or over all
// heads of a row (OLMo 2).
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
};

// Number of elements of rstd.
std::int64_t qkNormStatistics(const QkvShape &shape, QkNormSpan span);

// Normalizes q and k in place, and copies their old values to qk [batch x seq, (heads + kvHeads) x headDim].
void qkNorm(const QkvShape &shape, const QkNormWeights &weights, float eps, float *qkv, float *qk, float *rstd);

struct QkNormGradient {
    const float *qk = nullptr, *rstd = nullptr;
    float *dqkv = nullptr;                          // in place, except the gradient of v
    float *dqWeight = nullptr, *dkWeight = nullptr; // null: not computed
    bool accumulate = false;                        // adds to dqWeight and dkWeight
};
void qkNormBackward(const QkvShape &shape, const QkNormWeights &weights, const QkNormGradient &gradient);

} // namespace slipway::cpu_ops
