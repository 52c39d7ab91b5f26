// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/loss.h"

#include <ATen/ops/sum.h>

namespace slipway::aten_ops {

void crossEntropy(at::Tensor logits, const at::Tensor &targets, double scale, at::Tensor loss, bool accumulate)
{
    const at::Tensor counts = targets.ge(0).to(at::kFloat).unsqueeze(1); // of another document is what is -1
    const at::Tensor chosen = targets.to(at::kLong).clamp_min(0).unsqueeze(1);
    at::Tensor values = logits.to(at::kFloat); // the logits themselves in fp32
    values.sub_(values.amax(1, true));
    const at::Tensor chosenLogit = values.gather(1, chosen);
    values.exp_();
    const at::Tensor sums = values.sum(1, true);
    const at::Tensor share = sums.log().sub_(chosenLogit).mul_(counts).sum().mul_(scale);
    accumulate ? loss.add_(share) : loss.copy_(share);
    values.mul_(sums.reciprocal().mul_(scale).mul_(counts));
    values.scatter_add_(1, chosen, counts.mul(-scale));
    if (logits.scalar_type() != at::kFloat)
        logits.copy_(values);
}

} // namespace slipway::aten_ops
