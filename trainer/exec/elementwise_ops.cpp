// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/op_groups.h"

#include <cstring>

#include "cpu_ops/activation.h"
#include "cpu_ops/embedding.h"
#include "cpu_ops/norm.h"
#include "exec/op_operands.h"

namespace slipway {
namespace {

// The rows of an activation function. With expert parallelism, the last operand contains the number of rows that this
// rank's experts received.
cpu_ops::Rows activeRowsOf(const OpCall &c)
{
    return c.kernel.k > 0 ? cpu_ops::Rows{c.read<std::int32_t>(c.readCount - 1)[c.kernel.k], c.kernel.n} : rowsOf(c);
}

void scale(const OpCall &c, const StepContext &)
{
    const std::int64_t elements = c.kernel.m * c.kernel.n;
    if (c.writes[0] != c.reads[0])
        std::memcpy(c.writes[0], c.reads[0], static_cast<std::size_t>(elements) * sizeof(float));
    cpu_ops::scale(elements, c.kernel.scale, c.write(0));
}

// A gated activation function such as SwiGLU; the model defines which one.
void gatedActivation(const OpCall &c, const StepContext &context)
{
    cpu_ops::gatedActivation(activeRowsOf(c), context.model.mlp.activation, c.read(0), c.write(0));
}
void gatedActivationBackward(const OpCall &c, const StepContext &context)
{
    cpu_ops::gatedActivationBackward(activeRowsOf(c), context.model.mlp.activation, c.read(0), c.write(0));
}
void activation(const OpCall &c, const StepContext &context)
{
    cpu_ops::activate(activeRowsOf(c), context.model.mlp.activation, c.read(0), c.write(0));
}
void activationBackward(const OpCall &c, const StepContext &context)
{
    cpu_ops::activateBackward(activeRowsOf(c), context.model.mlp.activation, c.read(0), c.write(0));
}

void add(const OpCall &c, const StepContext &)
{
    cpu_ops::add(c.kernel.m * c.kernel.n, c.read(0), c.read(1), c.write(0));
}

void zero(const OpCall &c, const StepContext &)
{
    cpu_ops::fillZero(c.kernel.m * c.kernel.n * sizeOf(c.kernel.type), c.write<std::byte>(0));
}

} // namespace

OpFunction elementwiseOp(OpKind kind)
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
    case OpKind::Zero:
        return zero;
    default:
        return nullptr;
    }
}

} // namespace slipway
