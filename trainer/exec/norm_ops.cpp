// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/op_groups.h"

#include "cpu_ops/layer_norm.h"
#include "cpu_ops/norm.h"
#include "exec/op_operands.h"

namespace slipway {
namespace {

void rmsNorm(const OpCall &c, const StepContext &context)
{
    cpu_ops::rmsNorm(rowsOf(c), c.read(0), c.read(1), context.normEps, c.write(0), c.write(1), weightOffset(context));
}

void addRmsNorm(const OpCall &c, const StepContext &context)
{
    cpu_ops::addRmsNorm(rowsOf(c), c.read(0), c.read(1), c.read(2), context.normEps, c.write(0), c.write(1), c.write(2),
        weightOffset(context));
}

void rmsNormBackward(const OpCall &c, const StepContext &context)
{
    cpu_ops::rmsNormBackward(rowsOf(c), {.dy = c.read(0),
                                            .x = c.read(1),
                                            .rstd = c.read(2),
                                            .weight = c.read(3),
                                            .residual = c.readCount > 4 ? c.read(4) : nullptr,
                                            .dx = c.write(0),
                                            .dweight = c.write(1),
                                            .accumulate = c.accumulate,
                                            .weightOffset = weightOffset(context)});
}

// Weights and biases are operands only if the model has them.
void layerNorm(const OpCall &c, const StepContext &context)
{
    const NormModule &norm = context.model.norm;
    cpu_ops::layerNorm(rowsOf(c), {.x = c.read(0),
                                      .weight = norm.weight ? c.read(1) : nullptr,
                                      .bias = norm.bias ? c.read(operandAfterWeight(norm, 1)) : nullptr,
                                      .eps = context.normEps,
                                      .y = c.write(0),
                                      .mean = c.write(1),
                                      .rstd = c.write(2)});
}

void layerNormBackward(const OpCall &c, const StepContext &context)
{
    const NormModule &norm = context.model.norm;
    const std::size_t residual = operandAfterWeight(norm, 4);
    cpu_ops::layerNormBackward(rowsOf(c), {.dy = c.read(0),
                                              .x = c.read(1),
                                              .mean = c.read(2),
                                              .rstd = c.read(3),
                                              .weight = norm.weight ? c.read(4) : nullptr,
                                              .residual = c.readCount > residual ? c.read(residual) : nullptr,
                                              .dx = c.write(0),
                                              .dweight = norm.weight ? c.write(1) : nullptr,
                                              .dbias = norm.bias ? c.write(operandAfterWeight(norm, 1)) : nullptr,
                                              .accumulate = c.accumulate});
}

} // namespace

OpFunction normOp(OpKind kind)
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

} // namespace slipway
