// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/op_groups.h"

#include <algorithm>
#include <cmath>

#include "cpu_ops/muon.h"
#include "cpu_ops/optimizer.h"
#include "exec/muon_shard.h"
#include "exec/op_operands.h"

namespace slipway {
namespace {

void sumSquares(const OpCall &c, const StepContext &context)
{
    float &norm2 = *c.write(0);
    double sum = 0;
    for (const ReplicatedRange &range : replicatedRanges(c.kernel, shardOfUnit(c, context), context.unitRuns))
        sum += cpu_ops::sumSquares(range.count, c.read(0) + range.first) * shareOfSquares(c.kernel, range);
    norm2 = (c.accumulate ? norm2 : 0.0f) + static_cast<float>(sum);
}

// Like torch.nn.utils.clip_grad_norm_, including its epsilon.
float clipFactor(double clip, float norm2)
{
    if (clip <= 0)
        return 1.0f;
    return static_cast<float>(std::min(1.0, clip / (std::sqrt(static_cast<double>(norm2)) + 1e-6)));
}

void adamW(const OpCall &c, const StepContext &context)
{
    const OptimizerStep &o = context.optimizer;
    cpu_ops::AdamWFactors factors{.beta1 = static_cast<float>(o.beta1),
        .beta2 = static_cast<float>(o.beta2),
        .eps = static_cast<float>(o.eps),
        .correction1 = static_cast<float>(1.0 - std::pow(o.beta1, static_cast<double>(o.step))),
        .correction2 = static_cast<float>(1.0 - std::pow(o.beta2, static_cast<double>(o.step))),
        .gradientScale = clipFactor(o.gradClip, *c.read(1))};
    for (const UpdateRange &part : updateRanges(c.kernel, shardOfUnit(c, context), context.unitRuns, o)) {
        factors.learningRate = static_cast<float>(o.learningRate * part.rateFactor);
        factors.weightDecay = static_cast<float>(part.weightDecay);
        cpu_ops::adamW(part.count, factors,
            {c.write(1) + part.first, c.read(0) + part.first, c.write(2) + part.first, c.write(3) + part.first});
    }
}

void muonMomentum(const OpCall &c, const StepContext &context)
{
    const OptimizerStep &o = context.optimizer;
    cpu_ops::muonMomentum(c.kernel.n, {.gradient = c.read(0),
                                          .gradientScale = clipFactor(o.gradClip, *c.read(1)),
                                          .momentum = static_cast<float>(o.muonMomentum),
                                          .buffer = c.write(0),
                                          .update = c.write(1)});
}

void muonNormalize(const OpCall &c, const StepContext &context)
{
    cpu_ops::muonNormalize(matricesOf(c, context), c.read(0), shardStride(c, context), c.write(0));
}

void newtonSchulz(const OpCall &c, const StepContext &context)
{
    cpu_ops::newtonSchulz(matricesOf(c, context), c.read(0), c.write(0));
}

void muonUpdate(const OpCall &c, const StepContext &context)
{
    const OptimizerStep &o = context.optimizer;
    const auto rate = static_cast<float>(o.learningRate);
    const MuonShard own = muonShardOf(c, context);
    cpu_ops::muonUpdate(matricesOf(c, context), {.x = c.read(0),
                                                    .shard = own.shard,
                                                    .first = own.first,
                                                    .last = own.last,
                                                    .rate = rate * c.kernel.scale,
                                                    .keep = 1.0f - rate * static_cast<float>(matrixDecay(o)),
                                                    .weight = c.write(1) + own.place});
}

void average(const OpCall &c, const StepContext &)
{
    cpu_ops::updateEma(c.kernel.n, c.kernel.scale, c.read(0), c.write(0));
}

void exchange(const OpCall &c, const StepContext &)
{
    std::swap_ranges(c.write(0), c.write(0) + c.kernel.n, c.write(1));
}

} // namespace

OpFunction optimizerOp(OpKind kind)
{
    switch (kind) {
    case OpKind::SumSquares:
        return sumSquares;
    case OpKind::AdamW:
        return adamW;
    case OpKind::MuonMomentum:
        return muonMomentum;
    case OpKind::MuonNormalize:
        return muonNormalize;
    case OpKind::NewtonSchulz:
        return newtonSchulz;
    case OpKind::MuonUpdate:
        return muonUpdate;
    case OpKind::Average:
        return average;
    case OpKind::Exchange:
        return exchange;
    default:
        return nullptr;
    }
}

} // namespace slipway
