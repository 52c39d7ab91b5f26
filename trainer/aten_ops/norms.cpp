// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/norms.h"

#include <ATen/ops/add.h>
#include <ATen/ops/var_mean.h>

#include "aten_ops/elementwise.h"

namespace slipway::aten_ops {
namespace {

// A copy in fp32, even if the input is already fp32.
at::Tensor wideCopy(const at::Tensor &x) { return x.to(at::kFloat, /*non_blocking=*/false, /*copy=*/true); }

// Queries or keys, with the rows that are normalized separately: [tokens, rows per token, width].
struct QkPart {
    at::Tensor heads; // a view of [tokens, heads, headDim]
    at::Tensor weight, dweight;
    at::Tensor raw, rstd; // [tokens, rows per token, width], [tokens, rows per token, 1]
};

at::Tensor asRows(const at::Tensor &heads, bool perHead) { return perHead ? heads : heads.flatten(1).unsqueeze(1); }

template<typename Body>
void forEachPart(const QkNormWeights &w, const at::Tensor &qkv, const at::Tensor &qk, const at::Tensor &rstd,
    const QkNormGradient &g, const Body &body)
{
    const std::int64_t kvHeads = qkv.size(1) - qk.size(1), heads = qk.size(1) - kvHeads;
    const std::int64_t statistics = w.perHead ? heads : 1;
    body(QkPart{qkv.narrow(1, 0, heads), w.q, g.dqWeight, asRows(qk.narrow(1, 0, heads), w.perHead),
        rstd.narrow(1, 0, statistics).unsqueeze(2)});
    body(QkPart{qkv.narrow(1, heads, kvHeads), w.k, g.dkWeight, asRows(qk.narrow(1, heads, kvHeads), w.perHead),
        rstd.narrow(1, statistics, rstd.size(1) - statistics).unsqueeze(2)});
}

} // namespace

void layerNorm(const LayerNorm &n)
{
    const auto [variance, mean] = at::var_mean(n.x.to(at::kFloat), {{1}}, 0, true);
    const at::Tensor rstd = variance.add_(n.eps).rsqrt_();
    const at::Tensor normed = wideCopy(n.x).sub_(mean).mul_(rstd);
    if (n.weight.defined())
        normed.mul_(n.weight);
    if (n.bias.defined())
        normed.add_(n.bias);
    at::Tensor(n.y).copy_(normed);
    at::Tensor(n.mean).copy_(mean.squeeze(1));
    at::Tensor(n.rstd).copy_(rstd.squeeze(1));
}

// With h = (x - mean) rstd and g = dy weight: dx = rstd (g - mean(g) - h mean(g h)).
void layerNormBackward(const LayerNormGradient &g)
{
    const at::Tensor rstd = g.rstd.unsqueeze(1);
    const at::Tensor normed = wideCopy(g.x).sub_(g.mean.unsqueeze(1)).mul_(rstd), own = wideCopy(g.dy);
    if (g.dbias.defined())
        addSums(own, g.dbias, g.accumulate);
    if (g.dweight.defined())
        addSums(own.mul(normed), g.dweight, g.accumulate);
    if (g.weight.defined())
        own.mul_(g.weight);
    const at::Tensor mean = own.mean(1, true), slope = own.mul(normed).mean(1, true);
    own.sub_(mean).sub_(normed.mul_(slope)).mul_(rstd);
    at::Tensor dx = g.dx;
    if (g.residual)
        at::add_out(dx, *g.residual, own);
    else
        dx.copy_(own);
}

void qkNorm(const QkNormWeights &weights, double eps, at::Tensor qkv, at::Tensor qk, at::Tensor rstd)
{
    qk.copy_(qkv.narrow(1, 0, qk.size(1)));
    forEachPart(weights, qkv, qk, rstd, {}, [&](const QkPart &part) {
        at::Tensor(part.rstd).copy_(part.raw.to(at::kFloat).square().mean(2, true).add_(eps).rsqrt_());
        const at::Tensor normed = wideCopy(part.raw).mul_(part.rstd);
        if (part.weight.defined())
            normed.mul_(part.weight.to(at::kFloat).add(weights.weightOffset));
        at::Tensor(part.heads).copy_(normed.view(part.heads.sizes()));
    });
}

void qkNormBackward(const QkNormWeights &weights, const QkNormGradient &g)
{
    forEachPart(weights, g.dqkv, g.qk, g.rstd, g, [&](const QkPart &part) {
        const at::Tensor normed = wideCopy(part.raw).mul_(part.rstd), own = wideCopy(part.heads).view(part.raw.sizes());
        if (part.dweight.defined())
            addSums(own.mul(normed).flatten(0, 1), part.dweight, g.accumulate);
        if (part.weight.defined())
            own.mul_(part.weight.to(at::kFloat).add(weights.weightOffset));
        const at::Tensor slope = own.mul(normed).mean(2, true);
        own.sub_(normed.mul_(slope)).mul_(part.rstd);
        at::Tensor(part.heads).copy_(own.view(part.heads.sizes()));
    });
}

} // namespace slipway::aten_ops
