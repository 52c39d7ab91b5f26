// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/gemm.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

namespace slipway::aten_ops {
namespace {

void fp32GradientGemm(
    const at::Tensor &a, const at::Tensor &b, at::Tensor c, bool accumulate, Fp32GradientGemm gradientGemm)
{
    switch (gradientGemm) {
    case Fp32GradientGemm::Direct:
        if (accumulate)
            at::addmm_out(c, c, a, b, at::kFloat);
        else
            at::mm_out(c, a, b, at::kFloat);
        return;
    case Fp32GradientGemm::Fp32Result:
        if (accumulate)
            c.add_(at::mm(a, b, at::kFloat));
        else
            at::mm_out(c, a, b, at::kFloat);
        return;
    case Fp32GradientGemm::Bf16Result: {
        const at::Tensor product = at::mm(a, b);
        accumulate ? c.add_(product) : c.copy_(product);
        return;
    }
    case Fp32GradientGemm::Upcast:
        if (accumulate)
            c.addmm_(a.to(at::kFloat), b.to(at::kFloat));
        else
            at::mm_out(c, a.to(at::kFloat), b.to(at::kFloat));
        return;
    }
}

// Only gradients have a wider type than the operands; they are accumulated in place.
void multiply(
    const at::Tensor &a, const at::Tensor &b, at::Tensor c, const at::Tensor &added, Fp32GradientGemm gradientGemm)
{
    if (c.scalar_type() != a.scalar_type())
        fp32GradientGemm(a, b, c, added.defined(), gradientGemm);
    else if (added.defined())
        at::addmm_out(c, added, a, b);
    else
        at::mm_out(c, a, b);
}

} // namespace

Fp32GradientGemm findFp32GradientGemm(at::Device device)
{
    if (device.is_cpu())
        return Fp32GradientGemm::Upcast;
    const at::Tensor operand = at::zeros({16, 16}, at::TensorOptions(at::kBFloat16).device(device));
    const at::Tensor sum = at::zeros({16, 16}, at::TensorOptions(at::kFloat).device(device));
    for (const Fp32GradientGemm gradientGemm : {Fp32GradientGemm::Direct, Fp32GradientGemm::Fp32Result}) {
        try {
            fp32GradientGemm(operand, operand, sum, true, gradientGemm);
            return gradientGemm;
        } catch (const c10::Error &) { // this LibTorch does not support it; try the next one
        }
    }
    return Fp32GradientGemm::Bf16Result;
}

void gemm(GemmForm form, const at::Tensor &a, const at::Tensor &b, at::Tensor c, const at::Tensor &added,
    Fp32GradientGemm gradientGemm)
{
    switch (form) {
    case GemmForm::Forward:
        return multiply(a, b.t(), c, added, gradientGemm);
    case GemmForm::InputGradient:
        return multiply(a, b, c, added, gradientGemm);
    case GemmForm::WeightGradient:
        return multiply(a.t(), b, c, added, gradientGemm);
    }
}

} // namespace slipway::aten_ops
