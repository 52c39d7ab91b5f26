// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/norms.h"

#include <ATen/ops/add.h>
#include <ATen/ops/var_mean.h>

#include "aten_ops/elementwise.h"
#include "aten_ops/fp32_copy.h"

namespace slipway::aten_ops {
namespace {

// Queries or keys, with the rows that are normalized separately: [tokens, rows per token, width].
struct QkPart {
    at::Tensor heads; // a view of [tokens, heads, headDim]
    at::Tensor weight, dweight;
    at::Tensor raw, rstd; // [tokens, rows per token, width], [tokens, rows per token, 1]
    at::Tensor dots;      // as rstd
};

at::Tensor asRows(const at::Tensor &heads, bool perHead) { return perHead ? heads : heads.flatten(1).unsqueeze(1); }

template<typename Body>
void forEachPart(const QkNormWeights &w, const at::Tensor &qkv, const at::Tensor &qk, const at::Tensor &rstd,
    const QkNormGradient &g, const Body &body)
{
    const std::int64_t kvHeads = qkv.size(1) - qk.size(1), heads = qk.size(1) - kvHeads;
    const std::int64_t statistics = w.perHead ? heads : 1;
    const auto statisticsOf = [](const at::Tensor &all, std::int64_t first, std::int64_t count) {
        return all.defined() ? all.narrow(1, first, count).unsqueeze(2) : at::Tensor();
    };
    const std::int64_t rest = rstd.size(1) - statistics;
    body(QkPart{qkv.narrow(1, 0, heads), w.q, g.dqWeight, asRows(qk.narrow(1, 0, heads), w.perHead),
        statisticsOf(rstd, 0, statistics), statisticsOf(g.dots, 0, statistics)});
    body(QkPart{qkv.narrow(1, heads, kvHeads), w.k, g.dkWeight, asRows(qk.narrow(1, heads, kvHeads), w.perHead),
        statisticsOf(rstd, statistics, rest), statisticsOf(g.dots, statistics, rest)});
}

// Multiplies fp32 rows by the weights in place.
at::Tensor weighted(const at::Tensor &rows, const QkPart &part, const QkNormWeights &weights)
{
    if (part.weight.defined())
        at::Tensor(rows).mul_(part.weight.to(at::kFloat).add(weights.weightOffset));
    return rows;
}

} // namespace

void layerNorm(const LayerNorm &n)
{
    const auto [variance, mean] = at::var_mean(n.x.to(at::kFloat), at::IntArrayRef{1}, 0, true);
    const at::Tensor rstd = variance.add_(n.eps).rsqrt_();
    const at::Tensor normed = fp32Copy(n.x).sub_(mean).mul_(rstd);
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
    const at::Tensor normed = fp32Copy(g.x).sub_(g.mean.unsqueeze(1)).mul_(rstd), own = fp32Copy(g.dy);
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

void qkNormSquares(const at::Tensor &qkv, std::int64_t kvHeads, at::Tensor sums)
{
    const std::int64_t heads = qkv.size(1) - 2 * kvHeads;
    sums.select(1, 0).copy_(qkv.narrow(1, 0, heads).to(at::kFloat).square().sum({1, 2}));
    sums.select(1, 1).copy_(qkv.narrow(1, heads, kvHeads).to(at::kFloat).square().sum({1, 2}));
}

void qkNormDots(const QkNormWeights &weights, const at::Tensor &dqkv, const at::Tensor &qk, at::Tensor sums)
{
    forEachPart(weights, dqkv, qk, sums, {}, [&](const QkPart &part) {
        const at::Tensor products = weighted(fp32Copy(part.heads).view(part.raw.sizes()), part, weights);
        at::Tensor(part.rstd).copy_(products.mul_(part.raw).sum(2, true));
    });
}

void qkNorm(const QkNormWeights &weights, double eps, at::Tensor qkv, at::Tensor qk, at::Tensor rstd)
{
    qk.copy_(qkv.narrow(1, 0, qk.size(1)));
    forEachPart(weights, qkv, qk, rstd, {}, [&](const QkPart &part) {
        const at::Tensor mean = weights.ranks > 1 ? part.rstd.div(static_cast<double>(part.raw.size(2) * weights.ranks))
                                                  : part.raw.to(at::kFloat).square().mean(2, true);
        at::Tensor(part.rstd).copy_(at::Tensor(mean).add_(eps).rsqrt_());
        const at::Tensor normed = weighted(fp32Copy(part.raw).mul_(part.rstd), part, weights);
        at::Tensor(part.heads).copy_(normed.view(part.heads.sizes()));
    });
}

void qkNormBackward(const QkNormWeights &weights, const QkNormGradient &g)
{
    forEachPart(weights, g.dqkv, g.qk, g.rstd, g, [&](const QkPart &part) {
        const at::Tensor normed = fp32Copy(part.raw).mul_(part.rstd), own = fp32Copy(part.heads).view(part.raw.sizes());
        if (part.dweight.defined())
            addSums(own.mul(normed).flatten(0, 1), part.dweight, g.accumulate);
        weighted(own, part, weights);
        const at::Tensor slope =
            part.dots.defined() ? part.dots.mul(part.rstd).div_(static_cast<double>(part.raw.size(2) * weights.ranks))
                                : own.mul(normed).mean(2, true);
        own.sub_(normed.mul_(slope)).mul_(part.rstd);
        at::Tensor(part.heads).copy_(own.view(part.heads.sizes()));
    });
}

} // namespace slipway::aten_ops
