// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <limits>

#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/matmul.h>

#include "aten_ops/head_views.h"
#include "aten_ops/split_keys.h"

namespace slipway::aten_ops {
namespace {

// The queries of one of this rank's chunks, and all keys in the order of their positions.
struct Half {
    Half(
        const SplitSequence &sequence, int number, const at::Tensor &qkv, std::int64_t heads, const at::Tensor &inOrder)
        : length(qkv.size(1) / 2),
          first(number * length),
          q(byKey(rowsOf(qkv.narrow(2, 0, heads)), inOrder.size(2) / 2).flatten(2, 3)),
          k(keysOf(inOrder).transpose(1, 2)),
          v(valuesOf(inOrder).transpose(1, 2)),
          places{length, inOrder.size(1), sequence.shard.position(first, qkv.size(1))}
    {
    }
    [[nodiscard]] at::Tensor rowsOf(const at::Tensor &tokens) const { return tokens.narrow(1, first, length); }
    [[nodiscard]] at::Tensor scoreRowsOf(const at::Tensor &scores) const { return scores.narrow(2, first, length); }
    // [batch, kvHeads, heads / kvHeads, queries, keys]
    [[nodiscard]] at::Tensor scores(const AttentionOptions &options) const
    {
        return at::matmul(q, k.transpose(2, 3)).mul_(scoreScale(q.size(3), options)).unflatten(2, {-1, length});
    }

    std::int64_t length, first;
    at::Tensor q;    // [batch, kvHeads, heads / kvHeads x queries, headDim]
    at::Tensor k, v; // [batch, kvHeads, keys, headDim]
    ScoreShape places;
};

at::Tensor allInOrder(const SplitSequence &sequence, const at::Tensor &keys)
{
    return keysInOrder(sequence, keys, 0, sequence.shard.chunksOfAll());
}

} // namespace

void splitVanillaAttention(const SplitSequence &sequence, const at::Tensor &qkv, const at::Tensor &keys,
    const at::Tensor &probabilities, const at::Tensor &out, const AttentionOptions &options)
{
    const at::Tensor inOrder = allInOrder(sequence, keys);
    for (const int number : {0, 1}) {
        const Half half(sequence, number, qkv, out.size(2), inOrder);
        const at::Tensor scores = half.scores(options);
        changeScores(scores, half.places, options, false);
        const at::Tensor p = at::_softmax(
            scores.masked_fill_(maskedKeys(half.places, options, qkv), -std::numeric_limits<double>::infinity()), -1,
            false);
        half.scoreRowsOf(probabilities).copy_(p.flatten(1, 2));
        byKey(half.rowsOf(out), half.k.size(1))
            .copy_(at::matmul(p.flatten(2, 3), half.v).unflatten(2, {-1, half.length}));
    }
}

void splitVanillaAttentionBackward(const SplitSequence &sequence, const SplitVanillaGradient &g)
{
    const at::Tensor inOrder = allInOrder(sequence, g.keys);
    const std::int64_t heads = g.dout.size(2);
    g.dkeys.zero_();
    for (const int number : {0, 1}) {
        const Half half(sequence, number, g.qkv, heads, inOrder);
        const std::int64_t kvHeads = half.k.size(1);
        const at::Tensor dout = byKey(half.rowsOf(g.dout), kvHeads).flatten(2, 3),
                         p = half.scoreRowsOf(g.probabilities).unflatten(1, {kvHeads, -1}).flatten(2, 3);
        const at::Tensor dscores =
            at::_softmax_backward_data(at::matmul(dout, half.v.transpose(2, 3)), p, -1, p.scalar_type())
                .mul_(scoreScale(half.q.size(3), g.options));
        if (g.options.softCap != 0)
            dscores.unflatten(2, {-1, half.length})
                .mul_(changeScores(half.scores(g.options), half.places, g.options, true));
        byKey(half.rowsOf(g.dqkv.narrow(2, 0, heads)), kvHeads)
            .copy_(at::matmul(dscores, half.k).unflatten(2, {-1, half.length}));
        addKeys(sequence, at::matmul(dscores.transpose(2, 3), half.q).transpose(1, 2),
            at::matmul(p.transpose(2, 3), dout).transpose(1, 2), 0, g.dkeys);
    }
}

} // namespace slipway::aten_ops
