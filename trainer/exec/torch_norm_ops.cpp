// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/torch_op_groups.h"

#include <optional>
#include <utility>
#include <ATen/ops/add.h>

#include "aten_ops/elementwise.h"
#include "aten_ops/norms.h"
#include "exec/torch_operands.h"

namespace slipway::torch_ops {
namespace {

void rmsNorm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    aten_ops::rmsNorm(o.read(0, {m, n}), o.read(1, {n}), step.normEps, o.write(0, {m, n}), o.write(1, {m}, at::kFloat),
        static_cast<double>(weightOffset(step)));
}

void addRmsNorm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    at::Tensor sum = o.write(0, {m, n});
    at::add_out(sum, o.read(0, {m, n}), o.read(1, {m, n}));
    aten_ops::rmsNorm(sum, o.read(2, {n}), step.normEps, o.write(1, {m, n}), o.write(2, {m}, at::kFloat),
        static_cast<double>(weightOffset(step)));
}

void rmsNormBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    aten_ops::rmsNormBackward({.dy = o.read(0, {m, n}),
        .x = o.read(1, {m, n}),
        .rstd = o.read(2, {m}, at::kFloat),
        .weight = o.read(3, {n}),
        .residual = c.readCount > 4 ? std::optional(o.read(4, {m, n})) : std::nullopt,
        .dx = o.write(0, {m, n}),
        .dweight = o.write(1, {n}, at::kFloat),
        .accumulate = c.accumulate,
        .weightOffset = static_cast<double>(weightOffset(step))});
}

// Weights and biases are operands only if the model has them.
void layerNorm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    const NormModule &norm = step.model.norm;
    aten_ops::layerNorm({.x = o.read(0, {m, n}),
        .weight = norm.weight ? o.read(1, {n}) : at::Tensor(),
        .bias = norm.bias ? o.read(operandAfterWeight(norm, 1), {n}) : at::Tensor(),
        .eps = step.normEps,
        .y = o.write(0, {m, n}),
        .mean = o.write(1, {m}, at::kFloat),
        .rstd = o.write(2, {m}, at::kFloat)});
}

void layerNormBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    const NormModule &norm = step.model.norm;
    const std::size_t residual = operandAfterWeight(norm, 4);
    aten_ops::layerNormBackward({.dy = o.read(0, {m, n}),
        .x = o.read(1, {m, n}),
        .mean = o.read(2, {m}, at::kFloat),
        .rstd = o.read(3, {m}, at::kFloat),
        .weight = norm.weight ? o.read(4, {n}) : at::Tensor(),
        .residual = c.readCount > residual ? std::optional(o.read(residual, {m, n})) : std::nullopt,
        .dx = o.write(0, {m, n}),
        .dweight = norm.weight ? o.write(1, {n}, at::kFloat) : at::Tensor(),
        .dbias = norm.bias ? o.write(operandAfterWeight(norm, 1), {n}, at::kFloat) : at::Tensor(),
        .accumulate = c.accumulate});
}

} // namespace

TorchOpFunction normOp(OpKind kind)
{
    switch (kind) {
    case OpKind::RmsNorm:
        return rmsNorm;
    case OpKind::AddRmsNorm:
        return addRmsNorm;
    case OpKind::RmsNormBackward:
        return rmsNormBackward;
    case OpKind::LayerNorm:
        return layerNorm;
    case OpKind::LayerNormBackward:
        return layerNormBackward;
    default:
        return nullptr;
    }
}

} // namespace slipway::torch_ops
