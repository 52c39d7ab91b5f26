// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

// What stands between the head's product and the softmax, and what is added to the loss.
struct LossOptions {
    double logitScale = 1; // logits are multiplied by it (Granite)
    double softCap = 0;    // then they become softCap tanh(logits / softCap) (Gemma 2); 0: they stay
    double zLoss = 0;      // weight of the squares of log sum exp (PaLM); 0: none
    at::Tensor zLossSum;   // (+)= that term of the loss; undefined: the loss holds it
};

// loss (+)= scale times the sum over the rows of -log softmax(logits)[target]; the logits become that term's gradient.
// Allocates the logits in fp32 where they are not, and once more under a soft cap.
void crossEntropy(at::Tensor logits, const at::Tensor &targets, double scale, at::Tensor loss, bool accumulate,
    const LossOptions &options = {});

} // namespace slipway::aten_ops
