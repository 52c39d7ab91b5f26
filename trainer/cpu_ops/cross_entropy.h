// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>

#include "cpu_ops/norm.h"
#include "cpu_ops/vocabulary_shard.h"

namespace slipway::cpu_ops {

// The target of a position whose next token belongs to another document (PyTorch's ignore_index).
inline constexpr std::int32_t kNotCounted = -1;

// Returns the sum over the rows of -log softmax(logits)[target], in nats, and replaces the logits by the gradient of
// `scale` times that sum. Rows whose target is kNotCounted contribute nothing and have zero gradients.
double crossEntropy(Rows shape, const std::int32_t *targets, float scale, float *logits);

// Changes to the logits before the softmax, and terms that are added to the loss.
struct LossOptions {
    float logitScale = 1; // factor of the logits (Granite)
    float softCap = 0;    // after that, logits become softCap tanh(logits / softCap) (Gemma 2); 0: no cap
    float zLoss = 0;      // weight of the squared log-sum-exp (PaLM's z-loss); 0: none
};

// Sums over all rows whose target is not kNotCounted.
struct LossSums {
    double crossEntropy = 0, zLoss = 0;
    LossSums &operator+=(const LossSums &other)
    {
        crossEntropy += other.crossEntropy;
        zLoss += other.zLoss;
        return *this;
    }
};

// The same with these options. The gradient is that of `scale` times the sum of both losses.
LossSums crossEntropy(Rows shape, const std::int32_t *targets, float scale, const LossOptions &options, float *logits);

// Statistics of one row of a rank's logits: the maximum, the sum of exp(logit - maximum), and the target's logit, or 0
// if another rank has it.
struct LogitStatistics {
    float largest, sum, chosen;
};

// The logits of the shard are the first columns of each row. They are scaled and capped in place.
void logitStatistics(Rows shape, VocabularyShard shard, const std::int32_t *targets, const LossOptions &options,
    float *logits, LogitStatistics *statistics);

// Cross-entropy over a vocabulary that `ranks` ranks shard, after logitStatistics(): `statistics` [ranks, rows] are
// those of all ranks. Returns the same loss on every rank, and replaces the logits of the shard by their gradient.
LossSums vocabParallelCrossEntropy(Rows shape, VocabularyShard shard, const std::int32_t *targets, float scale,
    const LossOptions &options, const LogitStatistics *statistics, int ranks, float *logits);

} // namespace slipway::cpu_ops
