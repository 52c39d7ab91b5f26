// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>

#include "cpu_ops/norm.h"
#include "cpu_ops/vocabulary_part.h"

namespace slipway::cpu_ops {

// The target of a position whose next token is of another document.
inline constexpr std::int32_t kNotCounted = -1;

// Returns the sum over the rows of -log softmax(logits)[target], in nats, and replaces the logits by the gradient of
// `scale` times that sum. A row whose target is kNotCounted adds nothing and gets no gradient.
double crossEntropy(Rows shape, const std::int32_t *targets, float scale, float *logits);

// What stands between the head's product and the softmax, and what is added to the loss.
struct LossOptions {
    float logitScale = 1; // logits are multiplied by it (Granite)
    float softCap = 0;    // then they become softCap tanh(logits / softCap) (Gemma 2); 0: they stay
    float zLoss = 0;      // weight of the squares of log sum exp (PaLM); 0: none
};

// Sums over the rows that count.
struct LossSums {
    double crossEntropy = 0, zLoss = 0;
    LossSums &operator+=(const LossSums &other)
    {
        crossEntropy += other.crossEntropy;
        zLoss += other.zLoss;
        return *this;
    }
};

// The gradient is of `scale` times both sums.
LossSums crossEntropy(Rows shape, const std::int32_t *targets, float scale, const LossOptions &options, float *logits);

// Of a row of a rank's logits, fp32: the largest, the sum of exponentials less it, the target's logit or 0.
struct LogitStatistics {
    float largest, sum, chosen;
};

// The logits of the part stand at the front of their rows. They become scaled and capped, in place.
void logitStatistics(Rows shape, VocabularyPart part, const std::int32_t *targets, const LossOptions &options,
    float *logits, LogitStatistics *statistics);

// crossEntropy over a vocabulary that `ranks` share, out of what logitStatistics left: statistics [ranks, rows]. Every
// rank gets the sums over its rows of the whole vocabulary's loss, and the gradient of its own logits.
LossSums crossEntropyOfPart(Rows shape, VocabularyPart part, const std::int32_t *targets, float scale,
    const LossOptions &options, const LogitStatistics *statistics, int ranks, float *logits);

} // namespace slipway::cpu_ops
