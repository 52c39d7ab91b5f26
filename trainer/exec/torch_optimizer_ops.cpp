// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/torch_op_groups.h"

#include <algorithm>
#include <array>

#include "aten_ops/muon.h"
#include "aten_ops/optimizer.h"
#include "exec/torch_operands.h"

namespace slipway {
namespace {

void sumSquares(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    bool accumulate = c.accumulate;
    for (const ReplicatedRange &range : replicatedRanges(c.kernel, shardOfUnit(c, step), step.unitRuns)) {
        aten_ops::sumSquares(o.read(0, {c.kernel.n}, at::kFloat).narrow(0, range.first, range.count),
            o.write(0, {}, at::kFloat), accumulate, shareOfSquares(c.kernel, range));
        accumulate = true;
    }
}

void adamW(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const OptimizerStep &options = step.optimizer;
    const std::int64_t n = c.kernel.n;
    for (const UpdateRange &part : updateRanges(c.kernel, shardOfUnit(c, step), step.unitRuns, options)) {
        const auto of = [&part](const at::Tensor &whole) { return whole.narrow(0, part.first, part.count); };
        aten_ops::adamW({.learningRate = options.learningRate * part.rateFactor,
                            .beta1 = options.beta1,
                            .beta2 = options.beta2,
                            .eps = options.eps,
                            .weightDecay = part.weightDecay,
                            .gradClip = options.gradClip,
                            .step = options.step},
            {.parameter = of(o.write(0, {n})),
                .master = of(o.write(1, {n}, at::kFloat)),
                .gradient = of(o.read(0, {n}, at::kFloat)),
                .momentum = of(o.write(2, {n}, at::kFloat)),
                .variance = of(o.write(3, {n}, at::kFloat)),
                .norm2 = o.read(1, {}, at::kFloat)});
    }
}

// Consecutive matrices in Muon's ops: [count, rows, columns], or with the shorter side first.
struct MatrixSizes {
    explicit MatrixSizes(const Kernel &k)
        : whole{std::max(1, k.batch), k.m, k.n},
          wide{whole[0], std::min(k.m, k.n), std::max(k.m, k.n)}
    {
    }
    std::array<std::int64_t, 3> whole, wide;
};

void muonMomentum(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const MatrixSizes sizes(c.kernel);
    aten_ops::muonMomentum({.gradient = o.read(0, sizes.whole, at::kFloat),
        .norm2 = o.read(1, {}, at::kFloat),
        .gradClip = step.optimizer.gradClip,
        .momentum = step.optimizer.muonMomentum,
        .buffer = o.write(0, sizes.whole, at::kFloat),
        .x = o.write(1, sizes.wide)});
}

void newtonSchulz(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const MatrixSizes sizes(c.kernel);
    aten_ops::newtonSchulz(o.read(0, sizes.whole), o.write(0, sizes.whole));
}

void muonUpdate(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const MatrixSizes sizes(c.kernel);
    const OptimizerStep &options = step.optimizer;
    aten_ops::muonUpdate({.x = o.read(0, sizes.wide),
        .learningRate = t.rates[0],
        .rateFactor = static_cast<double>(c.kernel.scale),
        .weightDecay = matrixDecay(options),
        .master = o.write(1, sizes.whole, at::kFloat),
        .parameter = o.write(0, sizes.whole)});
}

void average(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::moveAverage(
        o.read(0, {c.kernel.n}, at::kFloat), static_cast<double>(c.kernel.scale), o.write(0, {c.kernel.n}, at::kFloat));
}

void exchange(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::exchange(o.write(0, {c.kernel.n}, at::kFloat), o.write(1, {c.kernel.n}, at::kFloat));
}

} // namespace

TorchOpFunction torchOptimizerOp(OpKind kind)
{
    switch (kind) {
    case OpKind::SumSquares:
        return sumSquares;
    case OpKind::AdamW:
        return adamW;
    case OpKind::MuonMomentum:
        return muonMomentum;
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
