// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/elementwise.h"

#include <ATen/ops/_index_put_impl.h>
#include <ATen/ops/add.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/sum.h>

namespace slipway::aten_ops {

void embedding(const at::Tensor &tokens, const at::Tensor &table, at::Tensor x)
{
    at::index_select_out(x, table, 0, tokens);
}

// index_put_ sorts the ids on a GPU, so that a step repeats bit for bit; index_add_ would let threads race. Ids were
// looked at before the step: not once more here, by six kernels.
void embeddingBackward(const at::Tensor &tokens, const at::Tensor &dx, at::Tensor dtable, bool accumulate)
{
    if (!accumulate)
        dtable.zero_();
    constexpr bool kAdds = true, kUnchecked = true;
    at::_index_put_impl_(dtable, {tokens.to(at::kLong)}, dx.to(at::kFloat), kAdds, kUnchecked);
}

void rmsNorm(const at::Tensor &x, const at::Tensor &weight, double eps, at::Tensor y, at::Tensor rstd)
{
    at::linalg_vector_norm_out(rstd, x, 2, {{1}}, false, at::kFloat);
    rstd.square_().div_(x.size(1)).add_(eps).rsqrt_();
    at::mul_out(y, x, rstd.unsqueeze(1));
    y.mul_(weight);
}

// With xhat = x rstd and g = dy weight: dx = rstd (g - xhat mean(g xhat)), dweight = sum over rows of dy xhat.
void rmsNormBackward(const RmsNormGradient &g)
{
    const at::Tensor rstd = g.rstd.unsqueeze(1), weight = g.weight.to(at::kFloat);
    at::Tensor normed = g.x.mul(rstd);
    at::Tensor own = g.dy.mul(normed);
    at::Tensor dweight = g.dweight;
    if (g.accumulate)
        dweight.add_(own.sum(0));
    else
        at::sum_out(dweight, own, 0);
    const at::Tensor mean = at::mv(own, weight).div_(g.x.size(1)).unsqueeze(1);
    at::mul_out(own, g.dy, weight);
    own.sub_(normed.mul_(mean)).mul_(rstd);
    at::Tensor dx = g.dx;
    if (g.residual)
        at::add_out(dx, *g.residual, own);
    else
        dx.copy_(own);
}

void rope(at::Tensor queriesAndKeys, const at::Tensor &cosines, const at::Tensor &sines, bool back)
{
    const std::int64_t half = queriesAndKeys.size(3) / 2;
    at::Tensor low = queriesAndKeys.narrow(3, 0, half), high = queriesAndKeys.narrow(3, half, half);
    const at::Tensor c = cosines.unsqueeze(1), s = sines.unsqueeze(1);
    const at::Tensor turnedLow = low.mul(c).addcmul_(high, s, back ? 1 : -1);
    const at::Tensor turnedHigh = high.mul(c).addcmul_(low, s, back ? -1 : 1);
    low.copy_(turnedLow);
    high.copy_(turnedHigh);
}

void swiGlu(const at::Tensor &gateUp, at::Tensor product)
{
    const std::int64_t width = product.size(1);
    at::silu_out(product, gateUp.narrow(1, 0, width));
    product.mul_(gateUp.narrow(1, width, width));
}

void swiGluBackward(const at::Tensor &dproduct, at::Tensor gateUp)
{
    const std::int64_t width = dproduct.size(1);
    at::Tensor gate = gateUp.narrow(1, 0, width), up = gateUp.narrow(1, width, width);
    const at::Tensor dup = at::silu(gate).mul_(dproduct);
    const at::Tensor activated = dproduct.mul(up);
    at::silu_backward_out(gate, activated, gate);
    up.copy_(dup);
}

} // namespace slipway::aten_ops
