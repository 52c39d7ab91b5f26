// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The parts of a mixture of experts on the CPU: routing, rows on their way, grouped GEMMs; against LibTorch's autograd
// in fp64 and values by hand.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd.h"
#include "cpu_ops/gemm.h"
#include "cpu_ops/moe_router.h"
#include "cpu_ops/moe_rows.h"

namespace slipway::testing {
namespace {

using cpu_ops::Router;
using cpu_ops::RouterScore;
using ::testing::ElementsAre;

class RouterTest : public ::testing::TestWithParam<Router> {};

// As Transformers: scores, their top k, weights; load_balancing_loss_func; the mean of the squares of log sum exp.
TEST_P(RouterTest, WeightsLossesAndTheirGradientsMatchAutograd)
{
    at::manual_seed(1);
    const Router r = GetParam();
    const bool softmax = r.score == RouterScore::Softmax;
    const at::Tensor logits = randomFloats({r.tokens, r.experts}), logits64 = exact(logits), scores = logits.clone(),
                     weights = nans({r.tokens, r.topK}), logSums = nans({r.tokens}),
                     chosen = at::full({r.tokens, r.topK}, -1, at::kInt);
    cpu_ops::route(r, dataOf(scores),
        {.chosen = idsOf(chosen), .weights = dataOf(weights), .logSums = softmax ? dataOf(logSums) : nullptr});
    const at::Tensor scores64 = softmax ? at::softmax(logits64, 1) : at::sigmoid(logits64);
    const auto [best, ids] = at::topk(scores64, r.topK, 1);
    EXPECT_TRUE(ids.equal(chosen.to(at::kLong)));
    const at::Tensor weights64 = (r.normalised ? best / best.sum(1, true) : best) * static_cast<double>(r.scale);
    EXPECT_LT(distanceOf(weights, weights64), kNear);

    const at::Tensor dweights = randomFloats(weights.sizes());
    at::Tensor total = (weights64 * dweights.to(at::kDouble)).sum();
    const double balance = 0.3, zLoss = 0.2;
    const at::Tensor counts = nans({r.experts}), sums = nans({r.experts});
    cpu_ops::addExpertSums(r, dataOf(scores), idsOf(chosen), {.counts = dataOf(counts), .scores = dataOf(sums)});
    if (softmax) {
        const at::Tensor mask = at::one_hot(ids, r.experts).to(at::kDouble);
        const at::Tensor loss = (mask.mean(0) * scores64.mean(0).unsqueeze(0)).sum() * r.experts;
        EXPECT_NEAR(cpu_ops::loadBalancingLoss(r.experts, r.tokens, {.counts = dataOf(counts), .scores = dataOf(sums)}),
            loss.item<double>(), 1e-5 * loss.item<double>());
        const at::Tensor squares = at::logsumexp(logits64, {1}).square().sum();
        EXPECT_NEAR(
            cpu_ops::routerZLoss(r.tokens, dataOf(logSums)), squares.item<double>(), 1e-5 * squares.item<double>());
        total = total + balance * loss + zLoss * squares / r.tokens;
    }
    total.backward();
    const auto tokens = static_cast<double>(r.tokens);
    cpu_ops::routeBackward(r,
        {.chosen = idsOf(chosen),
            .weights = dataOf(weights),
            .dweights = dataOf(dweights),
            .counts = softmax ? dataOf(counts) : nullptr,
            .balance = static_cast<float>(balance * static_cast<double>(r.experts) / (tokens * tokens)),
            .logSums = softmax ? dataOf(logSums) : nullptr,
            .zLoss = static_cast<float>(zLoss / tokens)},
        dataOf(scores));
    EXPECT_LT(distanceOf(scores, logits64.grad()), kNear);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RouterTest,
    ::testing::Values(Router{.tokens = 1, .experts = 2, .topK = 1}, Router{.tokens = 70, .experts = 8, .topK = 2},
        Router{.tokens = 70, .experts = 8, .topK = 2, .normalised = true},
        Router{.tokens = 33, .experts = 61, .topK = 7, .normalised = true, .scale = 2.5f},
        Router{.tokens = 9, .experts = 4, .topK = 4, .scale = 0.5f},
        Router{.tokens = 40, .experts = 12, .topK = 3, .score = RouterScore::Sigmoid},
        Router{.tokens = 40, .experts = 12, .topK = 3, .score = RouterScore::Sigmoid, .normalised = true, .scale = 2}));

TEST(RouterChoice, TakesTheFirstOfEqualScores)
{
    std::vector<float> logits{1, 2, 2, 1, 2}, weights(3);
    std::vector<std::int32_t> chosen(3);
    cpu_ops::route(
        {.tokens = 1, .experts = 5, .topK = 3}, logits.data(), {.chosen = chosen.data(), .weights = weights.data()});
    EXPECT_THAT(chosen, ElementsAre(1, 2, 4));
}

TEST(ExpertSums, AddUpOverLayers)
{
    at::manual_seed(2);
    const Router r{.tokens = 200, .experts = 5, .topK = 2};
    const at::Tensor counts = nans({5}), sums = nans({5}), weights = nans({200, 2}),
                     chosen = at::zeros({200, 2}, at::kInt);
    at::Tensor exactSums = at::zeros({5}, at::kDouble), exactCounts = at::zeros({5}, at::kDouble);
    for (const bool later : {false, true}) {
        const at::Tensor scores = randomFloats({200, 5});
        cpu_ops::route(r, dataOf(scores), {.chosen = idsOf(chosen), .weights = dataOf(weights)});
        cpu_ops::addExpertSums(r, dataOf(scores), idsOf(chosen), {dataOf(counts), dataOf(sums), later});
        exactSums += scores.to(at::kDouble).sum(0);
        exactCounts += at::one_hot(chosen.to(at::kLong), 5).sum(0).sum(0).to(at::kDouble);
    }
    EXPECT_LT(distanceOf(sums, exactSums), 1e-6);
    EXPECT_TRUE(counts.equal(exactCounts.to(at::kFloat)));
}

TEST(GroupByExpert, KeepsTheOrderOfSlotsWithinAnExpert)
{
    const std::vector<std::int32_t> chosen{2, 0, 2, 1, 0, 2}; // three tokens, two slots each
    std::vector<std::int32_t> offsets(5), slots(6), places(6);
    cpu_ops::groupByExpert(4, 6, chosen.data(), 0, {offsets.data(), slots.data(), places.data()});
    EXPECT_THAT(offsets, ElementsAre(0, 2, 3, 6, 6));
    EXPECT_THAT(slots, ElementsAre(1, 4, 3, 0, 2, 5));
    EXPECT_THAT(places, ElementsAre(3, 0, 4, 2, 1, 5));
}

TEST(GroupByExpert, DropsWhatIsBeyondTheCapacity)
{
    const std::vector<std::int32_t> chosen{2, 0, 2, 1, 0, 2};
    std::vector<std::int32_t> offsets(4), slots(6, -7), places(6);
    cpu_ops::groupByExpert(3, 6, chosen.data(), 1, {offsets.data(), slots.data(), places.data()});
    EXPECT_THAT(offsets, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(slots, ElementsAre(1, 3, 0, -7, -7, -7));
    EXPECT_THAT(places, ElementsAre(2, 0, -1, 1, -1, -1));
}

struct RowsCase {
    std::int64_t tokens, width, experts, topK, capacity;
};

class ExpertRowsTest : public ::testing::TestWithParam<RowsCase> {};

// The rows of tokens, each multiplied by numbers of its row, combined again: what stands between is an expert's
// business.
TEST_P(ExpertRowsTest, PermuteAndCombineMatchAutograd)
{
    at::manual_seed(3);
    const RowsCase c = GetParam();
    const std::int64_t count = c.tokens * c.topK;
    const at::Tensor chosen = at::argsort(at::rand({c.tokens, c.experts}), std::int64_t{1}, false)
                                  .narrow(1, 0, c.topK)
                                  .to(at::kInt)
                                  .contiguous(),
                     offsets = at::zeros({c.experts + 1}, at::kInt), slots = at::full({count}, -1, at::kInt),
                     places = at::zeros({count}, at::kInt);
    cpu_ops::groupByExpert(c.experts, count, idsOf(chosen), c.capacity, {idsOf(offsets), idsOf(slots), idsOf(places)});
    const std::int64_t rows = offsets[c.experts].item<std::int64_t>();
    const at::Tensor kept = slots.narrow(0, 0, rows).to(at::kLong);
    const cpu_ops::Rows shape{c.tokens, c.width};

    const at::Tensor x = randomFloats({c.tokens, c.width}), added = randomFloats({c.tokens, c.width}),
                     weights = randomFloats({count}), factors = randomFloats({rows, c.width}),
                     permuted = nans({rows, c.width}), y = nans({c.tokens, c.width});
    cpu_ops::permute(shape, c.topK, rows, idsOf(slots), dataOf(x), dataOf(permuted));
    const at::Tensor out = permuted * factors;
    cpu_ops::combine(shape, c.topK, idsOf(places), dataOf(weights), dataOf(out), dataOf(added), dataOf(y));

    const at::Tensor x64 = exact(x), weights64 = exact(weights), tokens = kept.div(c.topK, "trunc");
    const at::Tensor out64 = x64.index_select(0, tokens) * factors.to(at::kDouble);
    const at::Tensor y64 =
        added.to(at::kDouble).index_add(0, tokens, out64 * weights64.index_select(0, kept).unsqueeze(1));
    EXPECT_LT(distanceOf(y, y64), kNear);

    const at::Tensor dy = randomFloats(y.sizes()), dweights = nans({count}), dx = nans(x.sizes());
    (y64 * dy.to(at::kDouble)).sum().backward();
    cpu_ops::combineBackward(shape, c.topK,
        {.places = idsOf(places),
            .weights = dataOf(weights),
            .rows = dataOf(out),
            .dy = dataOf(dy),
            .drows = dataOf(out),
            .dweights = dataOf(dweights)});
    EXPECT_LT(distanceOf(dweights, weights64.grad()), kNear);
    out.mul_(factors);
    cpu_ops::permuteBackward(shape, c.topK, idsOf(places), dataOf(out), dataOf(dx), false);
    EXPECT_LT(distanceOf(dx, x64.grad()), kNear);
    cpu_ops::permuteBackward(shape, c.topK, idsOf(places), dataOf(out), dataOf(dx), true);
    EXPECT_LT(distanceOf(dx, 2 * x64.grad()), kNear);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ExpertRowsTest,
    ::testing::Values(
        RowsCase{1, 1, 1, 1, 0}, RowsCase{1, 33, 8, 2, 0}, RowsCase{70, 35, 5, 3, 0}, RowsCase{40, 16, 4, 2, 10}));

TEST(GateRows, MatchAutograd)
{
    at::manual_seed(4);
    const std::int64_t rows = 37, width = 21;
    const at::Tensor gates = randomFloats({rows}), x = randomFloats({rows, width}), y = randomFloats({rows, width}),
                     dy = randomFloats({rows, width}), gates64 = exact(gates), x64 = exact(x);
    const at::Tensor y64 = y.to(at::kDouble) + at::sigmoid(gates64).unsqueeze(1) * x64;
    cpu_ops::addGatedRows({rows, width}, dataOf(gates), dataOf(x), dataOf(y));
    EXPECT_LT(distanceOf(y, y64), kNear);
    (y64 * dy.to(at::kDouble)).sum().backward();
    cpu_ops::gateRowsBackward({rows, width}, dataOf(dy), dataOf(x), dataOf(dy), dataOf(gates));
    EXPECT_LT(distanceOf(dy, x64.grad()), kNear);
    EXPECT_LT(distanceOf(gates, gates64.grad()), kNear);
}

class GroupedGemm : public ::testing::TestWithParam<std::tuple<std::int64_t, std::int64_t>> {};

TEST_P(GroupedGemm, MultipliesEveryExpertsRowsAndLeavesOutThoseWithoutAny)
{
    at::manual_seed(5);
    const auto [n, k] = GetParam();
    const std::vector<std::int32_t> offsets{0, 0, 1, 300, 300, 307, 307};
    const std::int64_t experts = std::ssize(offsets) - 1, rows = offsets.back();
    const at::Tensor x = randomFloats({rows, k}), w = randomFloats({experts, n, k}), dy = randomFloats({rows, n}),
                     y = nans({rows, n}), dx = nans({rows, k}), dw = nans({experts, n, k}),
                     start = randomFloats({experts, n, k});
    cpu_ops::groupedGemm({.form = GemmForm::Forward, .experts = experts, .offsets = offsets.data(), .n = n, .k = k},
        dataOf(x), dataOf(w), dataOf(y));
    cpu_ops::groupedGemm(
        {.form = GemmForm::InputGradient, .experts = experts, .offsets = offsets.data(), .n = k, .k = n}, dataOf(dy),
        dataOf(w), dataOf(dx));
    cpu_ops::GroupedGemmShape weights{
        .form = GemmForm::WeightGradient, .experts = experts, .offsets = offsets.data(), .m = n, .n = k};
    cpu_ops::groupedGemm(weights, dataOf(dy), dataOf(x), dataOf(dw));
    const at::Tensor added = start.clone();
    weights.accumulate = true;
    cpu_ops::groupedGemm(weights, dataOf(dy), dataOf(x), dataOf(added));
    for (std::int64_t e = 0; e < experts; ++e) {
        const std::int64_t first = offsets[static_cast<std::size_t>(e)],
                           count = offsets[static_cast<std::size_t>(e + 1)] - first;
        const at::Tensor ownX = x.narrow(0, first, count).to(at::kDouble),
                         ownDy = dy.narrow(0, first, count).to(at::kDouble), ownW = w[e].to(at::kDouble),
                         ownDw = at::matmul(ownDy.t(), ownX);
        // A sum of many products may cancel: its error is held against the sum of their sizes (Higham, Accuracy and
        // Stability of Numerical Algorithms, section 3.1).
        const double products = at::matmul(ownDy.abs().t(), ownX.abs()).norm().item<double>();
        const auto errorOf = [products](const at::Tensor &sum, const at::Tensor &exactSum) {
            return (sum.to(at::kDouble) - exactSum).norm().item<double>() / std::max(products, 1.0);
        };
        EXPECT_LE(distanceOf(y.narrow(0, first, count), at::matmul(ownX, ownW.t())), 1e-6) << e;
        EXPECT_LE(distanceOf(dx.narrow(0, first, count), at::matmul(ownDy, ownW)), 1e-6) << e;
        EXPECT_LE(errorOf(dw[e], ownDw), 1e-7) << e;
        EXPECT_LE(errorOf(added[e], start[e].to(at::kDouble) + ownDw), 1e-7) << e;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, GroupedGemm, ::testing::Values(std::tuple(1, 1), std::tuple(35, 70), std::tuple(300, 257)));

} // namespace
} // namespace slipway::testing
