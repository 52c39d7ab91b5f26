// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

// Changes to the logits before the softmax, and terms that are added to the loss.
struct LossOptions {
    double logitScale = 1; // factor of the logits (Granite)
    double softCap = 0;    // after that, logits become softCap tanh(logits / softCap) (Gemma 2); 0: no cap
    double zLoss = 0;      // weight of the squared log-sum-exp (PaLM's z-loss); 0: none
    at::Tensor zLossSum;   // receives the z-loss; undefined: it is added to the loss
};

// loss = or += scale times the sum over the rows of -log softmax(logits)[target]. The logits are replaced by the
// gradient of that term. Allocates a copy of bf16 logits in fp32, and a second one with a soft cap.
void crossEntropy(at::Tensor logits, const at::Tensor &targets, double scale, at::Tensor loss, bool accumulate,
    const LossOptions &options = {});

// For a vocabulary that is sharded over ranks. Computes statistics of each row of this rank's logits [rows, count], as
// fp32 [rows, 3]: the maximum, the sum of exp(logit - maximum), and the target's logit, or 0 if another rank has it.
// Scale and soft cap are applied before; the logits are not changed. `firstId` is the id of the first column. Allocates
// the logits in fp32, and a second copy with a soft cap.
void logitStatistics(const at::Tensor &logits, const at::Tensor &targets, std::int64_t firstId, at::Tensor statistics,
    const LossOptions &options = {});
// Like crossEntropy, from the statistics of all ranks [ranks, rows, 3]: each rank computes the whole loss, and the
// gradient of its own logits.
void vocabParallelCrossEntropy(at::Tensor logits, const at::Tensor &targets, std::int64_t firstId,
    const at::Tensor &statistics, double scale, at::Tensor loss, bool accumulate, const LossOptions &options = {});

} // namespace slipway::aten_ops
