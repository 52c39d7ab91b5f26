// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// RMSNorm of the queries and of the keys within packed projections (rope.h), before they turn: of each head by itself
// (Qwen 3, Gemma 3), or of all heads of a row together (OLMo 2).
#pragma once

#include "cpu_ops/rope.h"

namespace slipway::cpu_ops {

enum class QkNormSpan : std::uint8_t {
    Head,     // weights [headDim], rstd [batch x seq, heads + kvHeads]
    AllHeads, // weights [heads x headDim] and [kvHeads x headDim], rstd [batch x seq, 2]
};

// What a row is multiplied by is weightOffset + weight; a null weight stands for ones.
struct QkNormWeights {
    QkNormSpan span = QkNormSpan::Head;
    const float *q = nullptr, *k = nullptr;
    float weightOffset = 0;
};

// Elements of rstd.
std::int64_t qkNormStatistics(const QkvShape &shape, QkNormSpan span);

// Norms q and k in place and keeps what they were: qk [batch x seq, (heads + kvHeads) x headDim].
void qkNorm(const QkvShape &shape, const QkNormWeights &weights, float eps, float *qkv, float *qk, float *rstd);

struct QkNormGradient {
    const float *qk = nullptr, *rstd = nullptr;
    float *dqkv = nullptr;                          // in place; what belongs to v stays as it is
    float *dqWeight = nullptr, *dkWeight = nullptr; // null: not wanted
    bool accumulate = false;                        // dqWeight +=, dkWeight +=
};
void qkNormBackward(const QkvShape &shape, const QkNormWeights &weights, const QkNormGradient &gradient);

} // namespace slipway::cpu_ops
