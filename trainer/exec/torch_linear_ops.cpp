// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/torch_op_groups.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "aten_ops/elementwise.h"
#include "aten_ops/fp8.h"
#include "exec/torch_operands.h"

namespace slipway::torch_ops {
namespace {

fused_ops::Float operandType(const OpCall &c)
{
    if (c.kernel.type == DType::Fp8)
        return c.kernel.form == GemmForm::Forward ? fused_ops::Float::E4m3 : fused_ops::Float::E5m2;
    return typeOf(c);
}

// Operands are row-major without gaps. fp8 operands follow their scales in memory, and k is the last dimension of both.
fused_ops::Gemm gemmOf(const OpCall &c)
{
    const Kernel &k = c.kernel;
    const bool fp8 = k.type == DType::Fp8, weights = k.form == GemmForm::WeightGradient,
               forward = k.form == GemmForm::Forward || fp8;
    const auto factor = [fp8](const std::byte *operand) {
        return fp8 ? reinterpret_cast<const float *>(operand - kQuantizedOffset) : nullptr;
    };
    return {.m = k.m,
        .n = k.n,
        .k = k.k,
        .transposedA = weights && !fp8,
        .transposedB = forward,
        .type = operandType(c),
        .result = weights ? fused_ops::Float::Fp32
                  : fp8   ? fused_ops::Float::Bf16
                          : typeOf(c),
        .a = {c.reads[0], weights && !fp8 ? k.m : k.k},
        .b = {c.reads[1], forward ? k.k : k.n},
        .factorA = factor(c.reads[0]),
        .factorB = factor(c.reads[1]),
        .c = c.writes[0],
        .added = addendOf(c)};
}

// Only for bf16; fp32 is used for checks.
fused_ops::Workspace workspaceOf(const OpCall &c, const TorchContext &t)
{
    return {.data = c.writes[1], .bytes = c.writes[1] ? t.workspaceBytes : 0};
}

at::ScalarType fp8Type(bool e5m2) { return e5m2 ? at::kFloat8_e5m2 : at::kFloat8_e4m3fn; }

void quantize(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n] = std::pair(c.kernel.m, c.kernel.n);
    const std::array<std::int64_t, 2> sizes =
        c.kernel.transposed ? std::array{n, m} : std::array<std::int64_t, 2>{m, n};
    aten_ops::quantize(o.read(0, {m, n}), c.kernel.transposed, o.write(0, {}, at::kFloat),
        tensorAt(c.writes[0] + kQuantizedOffset, sizes, fp8Type(c.kernel.e5m2), t.device));
}

void fp8Gemm(const OpCall &c, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n, k] = std::tuple(c.kernel.m, c.kernel.n, c.kernel.k);
    const bool weights = c.kernel.form == GemmForm::WeightGradient;
    const at::Tensor result = o.write(0, {m, n}, weights ? at::kFloat : at::kBFloat16);
    const auto factor = [&](std::size_t i) {
        return tensorAt(c.reads[i] - kQuantizedOffset, {}, at::kFloat, t.device);
    };
    aten_ops::fp8Gemm({.a = o.read(0, {m, k}, fp8Type(c.kernel.form != GemmForm::Forward)),
        .b = o.read(1, {n, k}, fp8Type(false)),
        .factorA = factor(0),
        .factorB = factor(1),
        .added = o.addend(result),
        .c = result});
}

// Tensor-parallel ranks compute the router's logits of all tokens, and must choose the same experts. LibTorch's choice
// of an algorithm depends on the shape, while the GEMM library times algorithms on each rank, and another one may round
// differently. Another GEMM of this width would not be wrong either way.
bool isOfRouter(const OpCall &c, const StepContext &step)
{
    return step.model.experts.count > 0 && c.kernel.form == GemmForm::Forward && c.kernel.n == step.model.experts.count;
}

void oneGemm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Operands o(c, t);
    const auto [m, n, k] = std::tuple(c.kernel.m, c.kernel.n, c.kernel.k);
    const bool weights = c.kernel.form == GemmForm::WeightGradient, forward = c.kernel.form == GemmForm::Forward;
    if (t.gemmLibrary && !isOfRouter(c, step) && t.gemmLibrary->multiply(gemmOf(c), t.queue, workspaceOf(c, t)))
        return;
    if (c.kernel.type == DType::Fp8)
        return fp8Gemm(c, t);
    const at::Tensor a = weights ? o.read(0, {k, m}) : o.read(0, {m, k}),
                     b = forward ? o.read(1, {n, k}) : o.read(1, {k, n});
    const at::Tensor result = o.write(0, {m, n}, weights ? at::kFloat : o.type());
    aten_ops::gemm(c.kernel.form, a, b, result, o.addend(result), fp32GradientGemm(t));
}

// Batched matrices are multiplied one by one.
void gemm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const auto [m, n, k] = std::tuple(c.kernel.m, c.kernel.n, c.kernel.k);
    const Bytes in = sizeOf(c.kernel.type), out = c.kernel.form == GemmForm::WeightGradient ? 4 : in;
    OpCall one = c;
    for (std::int64_t i = 0; i < std::max(1, c.kernel.batch); ++i) {
        one.reads[0] = c.reads[0] + i * m * k * in;
        one.reads[1] = c.reads[1] + i * k * n * in;
        one.writes[0] = c.writes[0] + i * m * n * out;
        if (c.kernel.residual)
            one.reads[2] = c.reads[2] + i * m * n * out;
        oneGemm(one, step, t);
    }
}

void addBias(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::addBias(o.read(1, {c.kernel.n}), o.write(0, {c.kernel.m, c.kernel.n}));
}

void biasBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::biasGradient(o.read(0, {c.kernel.m, c.kernel.n}), o.write(0, {c.kernel.n}, at::kFloat), c.accumulate);
}

} // namespace

aten_ops::Fp32GradientGemm fp32GradientGemm(const TorchContext &t)
{
    if (!t.gradientGemm)
        t.gradientGemm = aten_ops::findFp32GradientGemm(t.device);
    return *t.gradientGemm;
}

TorchOpFunction linearOp(OpKind kind)
{
    switch (kind) {
    case OpKind::Quantize:
        return quantize;
    case OpKind::Gemm:
        return gemm;
    case OpKind::AddBias:
        return addBias;
    case OpKind::BiasBackward:
        return biasBackward;
    default:
        return nullptr;
    }
}

} // namespace slipway::torch_ops
