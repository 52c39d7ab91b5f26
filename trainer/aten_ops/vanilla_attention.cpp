// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/attention.h"

#include <limits>

#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/matmul.h>

#include "aten_ops/head_views.h"

namespace slipway::aten_ops {
namespace {

// The rows of all query heads that share a key-value head as one matrix, so that GEMMs with it sum over these heads.
at::Tensor gathered(const at::Tensor &byKeyHead) { return byKeyHead.flatten(2, 3); }

// [batch, heads, seq, seq] as [batch, kvHeads, query heads per key-value head x seq, seq].
at::Tensor gatheredScores(const at::Tensor &scores, std::int64_t kvHeads)
{
    return scores.view({scores.size(0), kvHeads, -1, scores.size(3)});
}

at::Tensor scaledScores(const HeadViews &h, const AttentionOptions &options)
{
    return at::matmul(gathered(h.q), h.k.transpose(2, 3)).mul_(scoreScale(h.q.size(4), options));
}

} // namespace

void vanillaAttention(const at::Tensor &qkv, at::Tensor probabilities, at::Tensor out, const AttentionOptions &options)
{
    const HeadViews h = headViews(qkv, out.size(2));
    const std::int64_t seq = qkv.size(1), kvHeads = h.k.size(1);
    const ScoreShape places{seq, seq, 0};
    const at::Tensor scores = scaledScores(h, options);
    changeScores(scores.unflatten(2, {-1, seq}), places, options, false);
    at::_softmax_out(probabilities,
        scores.view(probabilities.sizes())
            .masked_fill_(maskedKeys(places, options, qkv), -std::numeric_limits<double>::infinity()),
        -1, false);
    byKey(out, kvHeads).copy_(at::matmul(gatheredScores(probabilities, kvHeads), h.v).unflatten(2, {-1, seq}));
}

void vanillaAttentionBackward(const VanillaGradient &g)
{
    const HeadViews h = headViews(g.qkv, g.dout.size(2)), to = headViews(g.dqkv, g.dout.size(2));
    const std::int64_t seq = g.qkv.size(1), kvHeads = h.k.size(1);
    const at::Tensor dout = gathered(byKey(g.dout, kvHeads)), p = gatheredScores(g.probabilities, kvHeads);
    to.v.copy_(at::matmul(p.transpose(2, 3), dout));
    at::Tensor dscores = g.dscores;
    const at::Tensor dprobabilities = at::matmul(dout, h.v.transpose(2, 3)).view(dscores.sizes());
    at::_softmax_backward_data_out(dscores, dprobabilities, g.probabilities, -1, g.probabilities.scalar_type());
    const at::Tensor ds = gatheredScores(dscores.mul_(scoreScale(g.qkv.size(3), g.options)), kvHeads);
    if (g.options.softCap != 0) {
        const at::Tensor scores = scaledScores(h, g.options).unflatten(2, {-1, seq});
        ds.unflatten(2, {-1, seq}).mul_(changeScores(scores, {seq, seq, 0}, g.options, true));
    }
    to.q.copy_(at::matmul(ds, h.k).unflatten(2, {-1, seq}));
    to.k.copy_(at::matmul(ds.transpose(2, 3), gathered(h.q)));
}

} // namespace slipway::aten_ops
