// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/loss.h"

#include <algorithm>
#include <limits>

#include <ATen/ops/sum.h>

namespace slipway::aten_ops {

namespace {

// Applies scale and soft cap to the logits in place; returns the derivative of the cap, undefined without a cap.
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

// Per row: whether its target counts, whether this rank's logits include it, and its column.
struct Chosen {
    at::Tensor counts, here, column; // [rows, 1]
};

// Whether each target counts. A target of -1 does not: the next token belongs to another document.
at::Tensor countsOf(const at::Tensor &targets) { return targets.ge(0).to(at::kFloat).unsqueeze(1); }

Chosen chosenOfAll(const at::Tensor &targets)
{
    const at::Tensor counts = countsOf(targets);
    return {.counts = counts, .here = counts, .column = targets.to(at::kLong).clamp_min(0).unsqueeze(1)};
}

Chosen chosenOfShard(const at::Tensor &targets, std::int64_t firstId, std::int64_t columns)
{
    const at::Tensor counts = countsOf(targets), own = targets.to(at::kLong).sub(firstId).unsqueeze(1);
    return {.counts = counts,
        .here = own.ge(0).logical_and_(own.lt(columns)).to(at::kFloat).mul_(counts),
        .column = own.clamp(0, columns - 1)};
}

// Per row of all logits: the maximum, the sum of exp(logit - maximum), and the target's logit minus the maximum.
struct Rows {
    at::Tensor largest, sums, chosen; // [rows, 1]
};

struct Target {
    double scale = 1;
    at::Tensor loss;
    bool accumulate = false;
};

void put(const at::Tensor &share, at::Tensor sum, bool accumulate) { accumulate ? sum.add_(share) : sum.copy_(share); }

// Adds the loss of the rows. `values`, which are exp(logit - maximum), are replaced by the gradient of the logits.
void finish(at::Tensor logits, at::Tensor values, const at::Tensor &capSlope, const Chosen &chosen, const Rows &rows,
    const Target &to, const LossOptions &options)
{
    const at::Tensor logs = rows.sums.log();
    at::Tensor share = logs.sub(rows.chosen).mul_(chosen.counts).sum().mul_(to.scale),
               factor = rows.sums.reciprocal().mul_(to.scale);
    if (options.zLoss != 0) {
        const at::Tensor logSum = logs.add(rows.largest);
        const at::Tensor squares = logSum.square().mul_(chosen.counts).sum().mul_(to.scale * options.zLoss);
        if (options.zLossSum.defined())
            put(squares, options.zLossSum, to.accumulate);
        else
            share.add_(squares);
        factor.mul_(logSum.mul_(2 * options.zLoss).add_(1));
    }
    put(share, to.loss, to.accumulate);
    if (values.size(1) == 0)
        return;
    values.mul_(factor.mul_(chosen.counts));
    values.scatter_add_(1, chosen.column, chosen.here.mul(-to.scale));
    if (capSlope.defined())
        values.mul_(capSlope);
    if (options.logitScale != 1)
        values.mul_(options.logitScale);
    if (logits.scalar_type() != at::kFloat)
        logits.copy_(values);
}

} // namespace

void crossEntropy(at::Tensor logits, const at::Tensor &targets, double scale, at::Tensor loss, bool accumulate,
    const LossOptions &options)
{
    const Chosen chosen = chosenOfAll(targets);
    at::Tensor values = logits.to(at::kFloat); // the logits themselves in fp32
    const at::Tensor capSlope = changeLogits(values, options);
    const at::Tensor largest = values.amax(1, true);
    values.sub_(largest);
    const at::Tensor chosenLogit = values.gather(1, chosen.column);
    values.exp_();
    const Rows rows{.largest = largest, .sums = values.sum(1, true), .chosen = chosenLogit};
    finish(logits, values, capSlope, chosen, rows, {scale, loss, accumulate}, options);
}

void logitStatistics(const at::Tensor &logits, const at::Tensor &targets, std::int64_t firstId, at::Tensor statistics,
    const LossOptions &options)
{
    if (logits.size(1) == 0) { // this rank has no rows of the vocabulary
        statistics.zero_();
        statistics.select(1, 0).fill_(-std::numeric_limits<double>::infinity());
        return;
    }
    const Chosen chosen = chosenOfShard(targets, firstId, logits.size(1));
    at::Tensor values = logits.to(at::kFloat, false, true);
    changeLogits(values, options);
    const at::Tensor largest = values.amax(1, true);
    statistics.narrow(1, 0, 1).copy_(largest);
    statistics.narrow(1, 2, 1).copy_(values.gather(1, chosen.column).mul_(chosen.here));
    statistics.narrow(1, 1, 1).copy_(values.sub_(largest).exp_().sum(1, true));
}

void vocabParallelCrossEntropy(at::Tensor logits, const at::Tensor &targets, std::int64_t firstId,
    const at::Tensor &statistics, double scale, at::Tensor loss, bool accumulate, const LossOptions &options)
{
    const Chosen chosen = chosenOfShard(targets, firstId, std::max<std::int64_t>(1, logits.size(1)));
    const at::Tensor largest = statistics.select(2, 0), top = largest.amax(0);
    const Rows rows{.largest = top.unsqueeze(1),
        .sums = statistics.select(2, 1).mul(largest.sub(top).exp_()).sum(0).unsqueeze(1),
        .chosen = statistics.select(2, 2).sum(0).sub(top).unsqueeze(1)};
    at::Tensor values = logits.to(at::kFloat);
    const at::Tensor capSlope = changeLogits(values, options);
    values.sub_(rows.largest).exp_();
    finish(logits, values, capSlope, chosen, rows, {scale, loss, accumulate}, options);
}

} // namespace slipway::aten_ops
