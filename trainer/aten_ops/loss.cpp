// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/loss.h"

#include <ATen/ops/sum.h>

namespace slipway::aten_ops {

namespace {

// Logits under their scale and cap, in place; gives the cap's slope, undefined without one.
at::Tensor changeLogits(at::Tensor logits, const LossOptions &options)
{
    if (options.logitScale != 1)
        logits.mul_(options.logitScale);
    if (options.softCap == 0)
        return {};
    logits.div_(options.softCap).tanh_();
    const at::Tensor slope = logits.square().neg_().add_(1);
    logits.mul_(options.softCap);
    return slope;
}

void put(const at::Tensor &share, at::Tensor sum, bool accumulate) { accumulate ? sum.add_(share) : sum.copy_(share); }

} // namespace

void crossEntropy(at::Tensor logits, const at::Tensor &targets, double scale, at::Tensor loss, bool accumulate,
    const LossOptions &options)
{
    const at::Tensor counts = targets.ge(0).to(at::kFloat).unsqueeze(1); // of another document is what is -1
    const at::Tensor chosen = targets.to(at::kLong).clamp_min(0).unsqueeze(1);
    at::Tensor values = logits.to(at::kFloat); // the logits themselves in fp32
    const at::Tensor capSlope = changeLogits(values, options);
    const at::Tensor largest = values.amax(1, true);
    values.sub_(largest);
    const at::Tensor chosenLogit = values.gather(1, chosen);
    values.exp_();
    const at::Tensor sums = values.sum(1, true), logs = sums.log();
    at::Tensor share = logs.sub(chosenLogit).mul_(counts).sum().mul_(scale), factor = sums.reciprocal().mul_(scale);
    if (options.zLoss != 0) {
        const at::Tensor logSum = logs.add(largest);
        const at::Tensor squares = logSum.square().mul_(counts).sum().mul_(scale * options.zLoss);
        if (options.zLossSum.defined())
            put(squares, options.zLossSum, accumulate);
        else
            share.add_(squares);
        factor.mul_(logSum.mul_(2 * options.zLoss).add_(1));
    }
    put(share, loss, accumulate);
    values.mul_(factor.mul_(counts));
    values.scatter_add_(1, chosen, counts.mul(-scale));
    if (capSlope.defined())
        values.mul_(capSlope);
    if (options.logitScale != 1)
        values.mul_(options.logitScale);
    if (logits.scalar_type() != at::kFloat)
        logits.copy_(values);
}

} // namespace slipway::aten_ops
