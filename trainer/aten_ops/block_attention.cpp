// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/block_attention.h"

#include <algorithm>
#include <limits>

#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include "aten_ops/head_views.h"

namespace slipway::aten_ops {
namespace {

constexpr std::int64_t kBlockRows = 256;

// A block of query rows, and the range of keys that at least one of them attends to.
struct Block {
    Block(std::int64_t firstRow, std::int64_t firstQuery, std::int64_t queries, std::int64_t keyCount,
        const AttentionOptions &options)
        : start(firstRow),
          rows(std::min(kBlockRows, queries - firstRow)),
          position(firstQuery + firstRow),
          firstKey(options.window > 0 ? std::max<std::int64_t>(0, position - options.window + 1) : 0),
          keys(std::min(position + rows, keyCount) - firstKey)
    {
    }
    [[nodiscard]] ScoreShape places() const { return {rows, keys, position - firstKey}; }
    [[nodiscard]] at::Tensor rowsOf(const at::Tensor &heads) const { return heads.narrow(3, start, rows); }
    [[nodiscard]] at::Tensor keysOf(const at::Tensor &heads) const { return heads.narrow(2, firstKey, keys); }

    std::int64_t start, rows, position, firstKey, keys;
};

struct BlockScores {
    at::Tensor scores, capSlope; // [batch, kvHeads, group, rows, keys]
};

BlockScores blockScores(
    const at::Tensor &q, const at::Tensor &k, const Block &block, const AttentionOptions &options, bool slopeWanted)
{
    const at::Tensor scores =
        at::matmul(q, block.keysOf(k).transpose(2, 3).unsqueeze(2)).mul_(scoreScale(q.size(4), options));
    const at::Tensor slope = changeScores(scores, block.places(), options, slopeWanted);
    scores.masked_fill_(maskedKeys(block.places(), options, q), -std::numeric_limits<double>::infinity());
    return {scores, slope};
}

// Keys or values as [batch, kvHeads, keys, headDim].
at::Tensor keyHeads(const at::Tensor &keys) { return keys.transpose(1, 2); }

} // namespace

void blocksForward(const HeadOperands &in, std::int64_t firstQuery, const at::Tensor &out, const at::Tensor &lse,
    const AttentionOptions &options)
{
    const std::int64_t kvHeads = in.k.size(2);
    const at::Tensor q = byKey(in.q, kvHeads), k = keyHeads(in.k).to(at::kFloat), v = keyHeads(in.v).to(at::kFloat);
    const at::Tensor to = byKey(out, kvHeads), toLse = lse.unflatten(1, {kvHeads, q.size(2)});
    for (std::int64_t start = 0; start < in.q.size(1); start += kBlockRows) {
        const Block block(start, firstQuery, in.q.size(1), in.k.size(1), options);
        const at::Tensor scores = blockScores(block.rowsOf(q).to(at::kFloat), k, block, options, false).scores;
        const at::Tensor logSum = at::logsumexp(scores, {-1});
        scores.sub_(logSum.unsqueeze(4)).exp_();
        block.rowsOf(toLse).copy_(logSum);
        block.rowsOf(to).copy_(at::matmul(scores, block.keysOf(v).unsqueeze(2)));
    }
}

// Dao 2023, section 3.1.2: with delta = rowsum(dout out), dscores = p (dp - delta).
void blocksBackward(
    const BackwardInput &in, std::int64_t firstQuery, const HeadGradients &to, const AttentionOptions &options)
{
    const std::int64_t kvHeads = in.k.size(2);
    const at::Tensor queries = byKey(in.q, kvHeads), toQ = byKey(to.q, kvHeads), k = keyHeads(in.k).to(at::kFloat),
                     v = keyHeads(in.v).to(at::kFloat);
    const at::Tensor lse = in.lse.unflatten(1, {kvHeads, queries.size(2)}), out = byKey(in.out, kvHeads),
                     dout = byKey(in.dout, kvHeads);
    at::Tensor dk = at::zeros(k.sizes(), k.options()), dv = at::zeros(v.sizes(), v.options());
    for (std::int64_t start = 0; start < in.q.size(1); start += kBlockRows) {
        const Block block(start, firstQuery, in.q.size(1), in.k.size(1), options);
        const at::Tensor q = block.rowsOf(queries).to(at::kFloat), dy = block.rowsOf(dout).to(at::kFloat);
        const auto [p, capSlope] = blockScores(q, k, block, options, true);
        p.sub_(block.rowsOf(lse).unsqueeze(4)).exp_();
        const at::Tensor delta = dy.mul(block.rowsOf(out).to(at::kFloat)).sum(4, true);
        at::Tensor dscores = at::matmul(dy, block.keysOf(v).transpose(2, 3).unsqueeze(2))
                                 .sub_(delta)
                                 .mul_(p)
                                 .mul_(scoreScale(q.size(4), options));
        if (capSlope.defined())
            dscores.mul_(capSlope);
        block.rowsOf(toQ).copy_(at::matmul(dscores, block.keysOf(k).unsqueeze(2)));
        block.keysOf(dv).add_(at::matmul(p.transpose(3, 4), dy).sum(2));
        block.keysOf(dk).add_(at::matmul(dscores.transpose(3, 4), q).sum(2));
    }
    keyHeads(to.k).copy_(dk);
    keyHeads(to.v).copy_(dv);
}

} // namespace slipway::aten_ops
