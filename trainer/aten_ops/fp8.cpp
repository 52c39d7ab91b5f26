// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/fp8.h"

#include <ATen/ops/mm.h>

#include "fused_ops/fused_ops.h"

namespace slipway::aten_ops {

// Clamps the values first, because LibTorch's cast converts values that are too large to NaN.
void quantize(const at::Tensor &rows, bool transposed, at::Tensor factor, at::Tensor to)
{
    const double largest =
        static_cast<double>(to.scalar_type() == at::kFloat8_e5m2 ? fused_ops::kLargestE5m2 : fused_ops::kLargestE4m3);
    at::Tensor scaled = rows.to(at::kFloat);
    factor.copy_(scaled.abs().max().clamp_min_(static_cast<double>(fused_ops::kSmallestQuantized)).div_(largest));
    scaled = scaled.mul(factor.reciprocal()).clamp_(-largest, largest);
    to.copy_(transposed ? scaled.t() : scaled);
}

void fp8Gemm(const Fp8Gemm &p)
{
    at::Tensor sum = at::mm(p.a.to(at::kFloat), p.b.to(at::kFloat).t());
    sum.mul_(p.factorA).mul_(p.factorB);
    if (p.added.defined())
        sum.add_(p.added);
    at::Tensor c = p.c;
    c.copy_(sum);
}

} // namespace slipway::aten_ops
