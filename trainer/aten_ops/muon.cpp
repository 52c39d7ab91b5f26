// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/muon.h"

#include <algorithm>

#include <ATen/TensorOperators.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/linalg_vector_norm.h>

#include "aten_ops/optimizer.h"
#include "cpu_ops/muon.h"

namespace slipway::aten_ops {

void muonMomentum(const MuonMomentum &op)
{
    const at::Tensor gradient = op.gradClip > 0 ? op.gradient / clipDivisor(op.norm2, op.gradClip) : op.gradient;
    at::Tensor(op.buffer).lerp_(gradient, 1 - op.momentum);
    at::Tensor(op.update).copy_(gradient.lerp(op.buffer, op.momentum));
}

void muonNormalize(at::Tensor x)
{
    x.div_(at::linalg_vector_norm(x, 2, {1}, true, at::kFloat).clamp_min_(cpu_ops::kLeastMuonNorm));
}

void newtonSchulz(const at::Tensor &gram, at::Tensor square)
{
    square.mul_(cpu_ops::kNewtonSchulzC).add_(gram, cpu_ops::kNewtonSchulzB);
    square.diagonal(0, 1, 2).add_(cpu_ops::kNewtonSchulzA);
}

void muonUpdate(const MuonUpdate &op)
{
    at::Tensor master = op.master;
    if (op.weightDecay != 0)
        master.mul_(1 - op.learningRate * op.weightDecay);
    master.sub_(op.x * (op.learningRate * op.rateFactor));
    if (op.parameter.scalar_type() != master.scalar_type())
        at::Tensor(op.parameter).copy_(master);
}

void updateEma(const at::Tensor &weight, double decay, at::Tensor average) { average.lerp_(weight, 1 - decay); }

void swapTensors(at::Tensor a, at::Tensor b)
{
    constexpr std::int64_t kPart = std::int64_t{1} << 22;
    for (std::int64_t from = 0; from < a.numel(); from += kPart) {
        const std::int64_t count = std::min(kPart, a.numel() - from);
        const at::Tensor ofA = a.narrow(0, from, count), ofB = b.narrow(0, from, count), kept = ofA.clone();
        at::Tensor(ofA).copy_(ofB);
        at::Tensor(ofB).copy_(kept);
    }
}

} // namespace slipway::aten_ops
