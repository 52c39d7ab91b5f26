// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/torch_op_groups.h"

#include <ATen/ops/add.h>

#include "aten_ops/elementwise.h"
#include "exec/torch_operands.h"

namespace slipway::torch_ops {
namespace {

void scale(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const at::Tensor y = o.write(0, {c.kernel.m * c.kernel.n});
    if (c.writes[0] != c.reads[0])
        y.copy_(o.read(0, {c.kernel.m * c.kernel.n}));
    aten_ops::scale(static_cast<double>(c.kernel.scale), y);
}

// A gated activation function such as SwiGLU; the model defines which one.
void gatedActivation(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const std::int64_t rows = activeRows(c, t);
    aten_ops::gatedActivation(
        step.model.mlp.activation, o.read(0, {rows, 2 * c.kernel.n}), o.write(0, {rows, c.kernel.n}));
}

void gatedActivationBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const std::int64_t rows = activeRows(c, t);
    aten_ops::gatedActivationBackward(
        step.model.mlp.activation, o.read(0, {rows, c.kernel.n}), o.write(0, {rows, 2 * c.kernel.n}));
}

void activation(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const std::int64_t rows = activeRows(c, t);
    aten_ops::activate(step.model.mlp.activation, o.read(0, {rows, c.kernel.n}), o.write(0, {rows, c.kernel.n}));
}

void activationBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const std::int64_t rows = activeRows(c, t);
    aten_ops::activateBackward(
        step.model.mlp.activation, o.read(0, {rows, c.kernel.n}), o.write(0, {rows, c.kernel.n}));
}

// Gradients of several ranks are added in fp32, activations in their own type.
void add(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const std::int64_t elements = c.kernel.m * c.kernel.n;
    at::Tensor sum = o.write(0, {elements});
    at::add_out(sum, o.read(0, {elements}), o.read(1, {elements}));
}

void cast(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const at::Tensor from = o.read(0, {c.kernel.n}),
                     to = o.write(0, {c.kernel.n}, c.kernel.type == DType::Fp32 ? at::kBFloat16 : at::kFloat);
    c.accumulate ? to.add_(from) : to.copy_(from);
}

void zero(const OpCall &c, const StepContext &, const TorchContext &t)
{
    tensorAt(c.writes[0], {c.kernel.m * c.kernel.n * sizeOf(c.kernel.type)}, at::kByte, t.device).zero_();
}

} // namespace

TorchOpFunction elementwiseOp(OpKind kind)
{
    switch (kind) {
    case OpKind::Scale:
        return scale;
    case OpKind::SwiGlu:
    case OpKind::GatedActivation:
        return gatedActivation;
    case OpKind::SwiGluBackward:
    case OpKind::GatedActivationBackward:
        return gatedActivationBackward;
    case OpKind::Activation:
        return activation;
    case OpKind::ActivationBackward:
        return activationBackward;
    case OpKind::Add:
        return add;
    case OpKind::Cast:
        return cast;
    case OpKind::Zero:
        return zero;
    default:
        return nullptr;
    }
}

} // namespace slipway::torch_ops
