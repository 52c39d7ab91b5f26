// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/gemm.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

namespace slipway::aten_ops {
namespace {

void wideProduct(const at::Tensor &a, const at::Tensor &b, at::Tensor c, bool accumulate, WideProduct wide)
{
    switch (wide) {
    case WideProduct::Direct:
        if (accumulate)
            at::addmm_out(c, c, a, b, at::kFloat);
        else
            at::mm_out(c, a, b, at::kFloat);
        return;
    case WideProduct::Product:
        if (accumulate)
            c.add_(at::mm(a, b, at::kFloat));
        else
            at::mm_out(c, a, b, at::kFloat);
        return;
    case WideProduct::Narrow: {
        const at::Tensor product = at::mm(a, b);
        accumulate ? c.add_(product) : c.copy_(product);
        return;
    }
    case WideProduct::Upcast:
        if (accumulate)
            c.addmm_(a.to(at::kFloat), b.to(at::kFloat));
        else
            at::mm_out(c, a.to(at::kFloat), b.to(at::kFloat));
        return;
    }
}

// Only gradients are wider than their operands, and are added to themselves.
void product(const at::Tensor &a, const at::Tensor &b, at::Tensor c, const at::Tensor &added, WideProduct wide)
{
    if (c.scalar_type() != a.scalar_type())
        wideProduct(a, b, c, added.defined(), wide);
    else if (added.defined())
        at::addmm_out(c, added, a, b);
    else
        at::mm_out(c, a, b);
}

} // namespace

WideProduct findWideProduct(at::Device device)
{
    if (device.is_cpu())
        return WideProduct::Upcast;
    const at::Tensor operand = at::zeros({16, 16}, at::TensorOptions(at::kBFloat16).device(device));
    const at::Tensor sum = at::zeros({16, 16}, at::TensorOptions(at::kFloat).device(device));
    for (const WideProduct wide : {WideProduct::Direct, WideProduct::Product}) {
        try {
            wideProduct(operand, operand, sum, true, wide);
            return wide;
        } catch (const c10::Error &) { // not in this LibTorch: the next one
        }
    }
    return WideProduct::Narrow;
}

void gemm(
    GemmForm form, const at::Tensor &a, const at::Tensor &b, at::Tensor c, const at::Tensor &added, WideProduct wide)
{
    switch (form) {
    case GemmForm::Forward:
        return product(a, b.t(), c, added, wide);
    case GemmForm::InputGradient:
        return product(a, b, c, added, wide);
    case GemmForm::WeightGradient:
        return product(a.t(), b, c, added, wide);
    }
}

} // namespace slipway::aten_ops
