// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/torch_op_groups.h"

#include "aten_ops/muon.h"
#include "aten_ops/optimizer.h"
#include "exec/muon_shard.h"
#include "exec/torch_operands.h"

namespace slipway::torch_ops {
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

void muonMomentum(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const std::int64_t n = c.kernel.n;
    aten_ops::muonMomentum({.gradient = o.read(0, {n}, at::kFloat),
        .norm2 = o.read(1, {}, at::kFloat),
        .gradClip = step.optimizer.gradClip,
        .momentum = step.optimizer.muonMomentum,
        .buffer = o.write(0, {n}, at::kFloat),
        .update = o.write(1, {n})});
}

// The buffer x as matrices that are not transposed.
at::Tensor wholeOf(const at::Tensor &x, const cpu_ops::Matrices &m)
{
    return m.isTall() ? x.view({m.count, m.columns, m.rows}).transpose(1, 2) : x.view({m.count, m.rows, m.columns});
}

at::Tensor shardOf(const at::Tensor &whole, const cpu_ops::Matrices &m, int shard)
{
    return m.byColumns ? whole.narrow(2, shard * m.shardColumns(), m.shardColumns())
                       : whole.narrow(1, shard * m.shardRows(), m.shardRows());
}

void muonNormalize(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const cpu_ops::Matrices m = matricesOf(c, step);
    const at::Tensor x = o.write(0, {m.count * m.elements()}), whole = wholeOf(x, m);
    const std::int64_t count = m.count * m.shardRows() * m.shardColumns(), stride = shardStride(c, step),
                       all = (m.shards - 1) * stride + count;
    const at::Tensor update = o.read(0, {all});
    for (int shard = 0; shard < m.shards; ++shard)
        shardOf(whole, m, shard)
            .copy_(update.narrow(0, shard * stride, count).view({m.count, m.shardRows(), m.shardColumns()}));
    aten_ops::muonNormalize(x.view({m.count, m.elements()}));
}

void newtonSchulz(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const cpu_ops::Matrices m = matricesOf(c, step);
    aten_ops::newtonSchulz(o.read(0, {m.count, m.rows, m.columns}), o.write(0, {m.count, m.rows, m.columns}));
}

void muonUpdate(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const cpu_ops::Matrices m = matricesOf(c, step);
    const MuonShard own = muonShardOf(c, step);
    if (own.empty())
        return;
    const std::int64_t count = own.last - own.first, end = own.place + count;
    const at::Tensor x = shardOf(wholeOf(o.read(0, {m.count * m.elements()}), m), m, own.shard);
    aten_ops::muonUpdate({.x = x.reshape({-1}).narrow(0, own.first, count),
        .learningRate = t.rates[0],
        .rateFactor = static_cast<double>(c.kernel.scale),
        .weightDecay = matrixDecay(step.optimizer),
        .master = o.write(1, {end}, at::kFloat).narrow(0, own.place, count),
        .parameter = o.write(0, {end}).narrow(0, own.place, count)});
}

void average(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::updateEma(
        o.read(0, {c.kernel.n}, at::kFloat), static_cast<double>(c.kernel.scale), o.write(0, {c.kernel.n}, at::kFloat));
}

void exchange(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::swapTensors(o.write(0, {c.kernel.n}, at::kFloat), o.write(1, {c.kernel.n}, at::kFloat));
}

} // namespace

TorchOpFunction optimizerOp(OpKind kind)
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

} // namespace slipway::torch_ops
