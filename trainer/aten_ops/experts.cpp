// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/experts.h"

#include <ATen/ops/_softmax.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>

#include "aten_ops/fp32_copy.h"

namespace slipway::aten_ops {
namespace {

at::Tensor wideZeros(const at::Tensor &like) { return at::zeros(like.sizes(), like.options().dtype(at::kFloat)); }

std::int64_t slotsPerToken(const at::Tensor &slots, const at::Tensor &tokens) { return slots.size(0) / tokens.size(0); }

// Adds the rows of each token's slots to `sums` in the order of the slots, with a weight per slot if there are any.
void addRows(const at::Tensor &rows, const at::Tensor &places, const at::Tensor &weights, at::Tensor sums)
{
    const std::int64_t perToken = slotsPerToken(places, sums);
    for (std::int64_t rank = 0; rank < perToken; ++rank) {
        const auto ofRank = [&](const at::Tensor &slots) { return slots.view({-1, perToken}).select(1, rank); };
        const at::Tensor own = rows.index_select(0, ofRank(places).contiguous());
        weights.defined() ? sums.addcmul_(own, ofRank(weights).unsqueeze(1)) : sums.add_(own);
    }
}

} // namespace

// topk() leaves the order of equal scores open, a stable sort does not.
void route(const at::Tensor &logits, bool normalised, const Routing &result)
{
    const at::Tensor wide = logits.to(at::kFloat);
    at::Tensor logSums = result.logSums, weights = result.weights, scores = result.scores;
    if (logSums.defined())
        at::logsumexp_out(logSums, wide, {1});
    scores.copy_(at::_softmax(wide, 1, false));
    const auto [best, ids] = at::sort(scores, /*stable=*/true, /*dim=*/1, /*descending=*/true);
    const std::int64_t topK = weights.size(1);
    result.chosen.copy_(ids.narrow(1, 0, topK));
    weights.copy_(best.narrow(1, 0, topK));
    if (normalised)
        weights.div_(weights.sum({1}, true));
}

// Sorting the order once more inverts the permutation without writes to scattered places.
void groupByExpert(const at::Tensor &chosen, const ExpertRows &result)
{
    const auto [experts, order] = at::sort(chosen, /*stable=*/true, /*dim=*/0, /*descending=*/false);
    at::Tensor offsets = result.offsets;
    at::searchsorted_out(offsets, experts, at::arange(offsets.size(0), experts.options()), /*out_int32=*/true);
    result.slots.copy_(order);
    result.places.copy_(at::argsort(order, /*stable=*/true, /*dim=*/0, /*descending=*/false));
}

void routeBackward(const RoutingGradient &g, at::Tensor dlogits)
{
    const at::Tensor chosen = g.chosen.to(at::kLong);
    at::Tensor own = g.dweights;
    if (g.normalised) // of weights that were divided by their sum
        own = own.sub(own.mul(g.weights).sum({1}, true)).div_(at::gather(g.scores, 1, chosen).sum({1}, true));
    const at::Tensor dscores = wideZeros(g.scores).scatter_(1, chosen, own);
    if (g.counts.defined())
        dscores.add_(g.counts, g.balance);
    dscores.sub_(dscores.mul(g.scores).sum({1}, true));
    if (g.logSums.defined())
        dscores.add_(g.logSums.unsqueeze(1), 2 * g.zLoss);
    at::mul_out(dlogits, dscores, g.scores);
}

void countExperts(const at::Tensor &offsets, at::Tensor load, at::Tensor counts)
{
    const std::int64_t experts = load.size(0);
    const at::Tensor rows = offsets.narrow(0, 1, experts).sub(offsets.narrow(0, 0, experts));
    load.add_(rows);
    if (counts.defined())
        counts.add_(rows);
}

void receivedRows(const at::Tensor &allOffsets, std::int64_t rank, at::Tensor offsets)
{
    const std::int64_t ranks = allOffsets.size(0), experts = (allOffsets.size(1) - 1) / ranks, first = rank * experts;
    const at::Tensor rows = allOffsets.narrow(1, first + 1, experts).sub(allOffsets.narrow(1, first, experts));
    offsets.narrow(0, 0, 1).zero_();
    at::Tensor ends = offsets.narrow(0, 1, ranks * experts);
    at::cumsum_out(ends, rows.flatten(), 0, at::kInt);
}

void permute(const at::Tensor &x, const at::Tensor &slots, at::Tensor to)
{
    at::index_select_out(to, x, 0, slots.div(slotsPerToken(slots, x), "floor"));
}

void permuteBackward(const at::Tensor &drows, const at::Tensor &places, at::Tensor dx, bool accumulate)
{
    const at::Tensor sums = accumulate ? fp32Copy(dx) : wideZeros(dx);
    addRows(drows, places, {}, sums);
    dx.copy_(sums);
}

void combine(
    const at::Tensor &rows, const at::Tensor &places, const at::Tensor &weights, const at::Tensor &added, at::Tensor y)
{
    const at::Tensor sums = added.defined() ? fp32Copy(added) : wideZeros(y);
    addRows(rows, places, weights, sums);
    y.copy_(sums);
}

void combineBackward(const CombineGradient &g)
{
    const at::Tensor own = g.dy.index_select(0, g.slots.div(slotsPerToken(g.slots, g.dy), "floor"));
    at::Tensor dweights = g.dweights, rows = g.rows;
    at::index_select_out(dweights, fp32Copy(own).mul_(rows).sum({1}), 0, g.places);
    at::mul_out(rows, own, g.weights.index_select(0, g.slots).unsqueeze(1));
}

void addGatedRows(const at::Tensor &gates, const at::Tensor &x, at::Tensor y)
{
    y.addcmul_(x, gates.to(at::kFloat).sigmoid().unsqueeze(1));
}

void gateRowsBackward(const at::Tensor &dy, const at::Tensor &x, at::Tensor dx, at::Tensor gates)
{
    const at::Tensor gate = gates.to(at::kFloat).sigmoid();
    gates.copy_(fp32Copy(dy).mul_(x).sum({1}).mul_(gate).mul_(gate.neg().add_(1)));
    at::mul_out(dx, dy, gate.unsqueeze(1));
}

void groupedGemm(const GroupedGemm &p, Fp32GradientGemm gradientGemm)
{
    const bool weights = p.form == GemmForm::WeightGradient;
    const std::int64_t experts = weights ? p.c.size(0) : p.b.size(0);
    for (std::int64_t group = 0; group + 1 < std::ssize(p.offsets); ++group) {
        const std::int64_t first = p.offsets[static_cast<std::size_t>(group)],
                           rows = p.offsets[static_cast<std::size_t>(group + 1)] - first, expert = group % experts;
        const bool adds = p.accumulate || group >= experts; // later groups of an expert add to the first one
        if (rows == 0 && weights && !adds)
            p.c.select(0, expert).zero_();
        if (rows == 0)
            continue;
        const at::Tensor a = p.a.narrow(0, first, rows);
        if (weights) {
            const at::Tensor c = p.c.select(0, expert);
            gemm(p.form, a, p.b.narrow(0, first, rows), c, adds ? c : at::Tensor(), gradientGemm);
        } else {
            gemm(p.form, a, p.b.select(0, expert), p.c.narrow(0, first, rows), {}, gradientGemm);
        }
    }
}

} // namespace slipway::aten_ops
