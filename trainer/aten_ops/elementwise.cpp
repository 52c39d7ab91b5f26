// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/elementwise.h"

#include <ATen/ops/_index_put_impl.h>
#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>

namespace slipway::aten_ops {
namespace {

// The factor of a norm: offset + weight, in fp32 because Gemma adds 1 to the weight.
at::Tensor offsetBy(const at::Tensor &weight, double offset)
{
    return offset == 0 ? weight : weight.to(at::kFloat).add(offset);
}

// The local row of each id in this rank's shard of the table; an id of another rank gets an arbitrary valid row.
struct ShardRows {
    ShardRows(const at::Tensor &tokens, VocabularyShard shard)
        : rows(tokens.sub(shard.first)),
          elsewhere(rows.lt(0).logical_or_(rows.ge(shard.count)))
    {
        rows.clamp_(0, shard.count - 1);
    }
    at::Tensor rows, elsewhere;
};

at::Tensor positionsOfRows(const at::Tensor &rows, std::int64_t firstToken, std::int64_t seq)
{
    return at::arange(firstToken, firstToken + rows.size(0), rows.options().dtype(at::kLong)).remainder_(seq);
}

} // namespace

void embedding(const at::Tensor &tokens, const at::Tensor &table, at::Tensor x)
{
    at::index_select_out(x, table, 0, tokens);
}

// index_put_ sorts the ids on a GPU, so that a step is bitwise reproducible; with index_add_, threads would race. The
// ids were checked before the step, so LibTorch's own check, which launches six kernels, is skipped.
void embeddingBackward(const at::Tensor &tokens, const at::Tensor &dx, at::Tensor dtable, bool accumulate)
{
    if (!accumulate)
        dtable.zero_();
    constexpr bool kAdds = true, kUnchecked = true;
    at::_index_put_impl_(dtable, {tokens.to(at::kLong)}, dx.to(at::kFloat), kAdds, kUnchecked);
}

void vocabParallelEmbedding(const at::Tensor &tokens, VocabularyShard shard, const at::Tensor &table, at::Tensor x)
{
    if (shard.count == 0) {
        x.zero_();
        return;
    }
    const ShardRows ids(tokens, shard);
    at::index_select_out(x, table, 0, ids.rows);
    x.masked_fill_(ids.elsewhere.unsqueeze(1), 0);
}

// The gradients for ids of other ranks are set to 0.
void vocabParallelEmbeddingBackward(
    const at::Tensor &tokens, VocabularyShard shard, const at::Tensor &dx, at::Tensor dtable, bool accumulate)
{
    if (shard.count == 0) {
        if (!accumulate)
            dtable.zero_();
        return;
    }
    const ShardRows ids(tokens, shard);
    embeddingBackward(
        ids.rows, dx.to(at::kFloat).masked_fill(ids.elsewhere.unsqueeze(1), 0), std::move(dtable), accumulate);
}

void addPositionsOfRows(const at::Tensor &table, std::int64_t firstToken, std::int64_t seq, at::Tensor x)
{
    x.add_(table.index_select(0, positionsOfRows(x, firstToken, seq)));
}

void positionsGradientOfRows(
    const at::Tensor &dx, std::int64_t firstToken, std::int64_t seq, at::Tensor dtable, bool accumulate)
{
    embeddingBackward(positionsOfRows(dx, firstToken, seq), dx, std::move(dtable), accumulate);
}

void addPositions(const at::Tensor &table, at::Tensor x) { x.add_(table.narrow(0, 0, x.size(1))); }

void positionsGradient(const at::Tensor &dx, at::Tensor dtable, bool accumulate)
{
    at::Tensor seen = dtable.narrow(0, 0, dx.size(1));
    if (!accumulate)
        dtable.narrow(0, dx.size(1), dtable.size(0) - dx.size(1)).zero_();
    addSums(dx, seen, accumulate);
}

void addSums(const at::Tensor &rows, at::Tensor sums, bool accumulate)
{
    if (accumulate)
        sums.add_(rows.sum({0}, false, at::kFloat));
    else
        at::sum_out(sums, rows, {0}, false, at::kFloat);
}

void addBias(const at::Tensor &bias, at::Tensor y) { y.add_(bias); }

void biasGradient(const at::Tensor &dy, at::Tensor dbias, bool accumulate)
{
    addSums(dy, std::move(dbias), accumulate);
}

void scale(double factor, at::Tensor x) { x.mul_(factor); }

void rmsNorm(
    const at::Tensor &x, const at::Tensor &weight, double eps, at::Tensor y, at::Tensor rstd, double weightOffset)
{
    at::linalg_vector_norm_out(rstd, x, 2, at::IntArrayRef{1}, false, at::kFloat);
    rstd.square_().div_(x.size(1)).add_(eps).rsqrt_();
    at::mul_out(y, x, rstd.unsqueeze(1));
    if (weight.defined())
        y.mul_(offsetBy(weight, weightOffset));
}

// With xhat = x rstd and g = dy weight: dx = rstd (g - xhat mean(g xhat)), dweight = sum over rows of dy xhat.
void rmsNormBackward(const RmsNormGradient &g)
{
    const bool weighted = g.weight.defined();
    const at::Tensor rstd = g.rstd.unsqueeze(1);
    const at::Tensor weight =
        weighted ? offsetBy(g.weight.to(at::kFloat), g.weightOffset) : at::ones({g.x.size(1)}, rstd.options());
    at::Tensor normed = g.x.mul(rstd);
    at::Tensor own = g.dy.mul(normed);
    if (g.dweight.defined())
        addSums(own, g.dweight, g.accumulate);
    const at::Tensor mean = at::mv(own, weight).div_(g.x.size(1)).unsqueeze(1);
    at::mul_out(own, g.dy, weight);
    own.sub_(normed.mul_(mean)).mul_(rstd);
    at::Tensor dx = g.dx;
    if (g.residual)
        at::add_out(dx, *g.residual, own);
    else
        dx.copy_(own);
}

void rope(at::Tensor queriesAndKeys, const at::Tensor &cosines, const at::Tensor &sines, bool inverse)
{
    const std::int64_t half = cosines.size(-1);
    at::Tensor low = queriesAndKeys.narrow(3, 0, half), high = queriesAndKeys.narrow(3, half, half);
    const at::Tensor c = cosines.unsqueeze(-2), s = sines.unsqueeze(-2);
    const at::Tensor rotatedLow = low.mul(c).addcmul_(high, s, inverse ? 1 : -1);
    const at::Tensor rotatedHigh = high.mul(c).addcmul_(low, s, inverse ? -1 : 1);
    low.copy_(rotatedLow);
    high.copy_(rotatedHigh);
}

} // namespace slipway::aten_ops
