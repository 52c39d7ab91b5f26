// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A mixture of experts by LibTorch's ops, against our own on the CPU: indices are the same, values agree in fp32, and
// in bf16 up to its rounding.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aten_ops/experts.h"
#include "autograd.h"
#include "cpu_ops/gemm.h"
#include "cpu_ops/moe_router.h"
#include "cpu_ops/moe_rows.h"

namespace slipway::testing {
namespace {

at::Tensor ids(at::IntArrayRef sizes) { return at::full(sizes, -7, at::kInt); }

// The tolerance of values that are computed in fp32 and stored in the type.
double nearOf(at::ScalarType type) { return type == at::kFloat ? 1e-6 : 4e-3; }

struct ExpertsCase {
    std::int64_t tokens, experts, topK;
    bool normalised;
    at::ScalarType type;
};

class AtenExperts : public ::testing::TestWithParam<ExpertsCase> {
protected:
    void SetUp() override { at::manual_seed(7); }

    const std::int64_t m_tokens = GetParam().tokens, m_experts = GetParam().experts, m_topK = GetParam().topK,
                       m_slots = m_tokens * m_topK;
    const at::ScalarType m_type = GetParam().type;
    const cpu_ops::Router m_router{
        .tokens = m_tokens, .experts = m_experts, .topK = m_topK, .normalised = GetParam().normalised};
    // Values that both types represent.
    at::Tensor random(at::IntArrayRef sizes) const { return randomFloats(sizes).to(m_type); }
};

TEST_P(AtenExperts, RouteAndItsGradientAreThoseOfOurOwnOps)
{
    const at::Tensor logits = random({m_tokens, m_experts}), scores = nans({m_tokens, m_experts}),
                     weights = nans({m_tokens, m_topK}), logSums = nans({m_tokens}), chosen = ids({m_tokens, m_topK});
    const at::Tensor ownScores = logits.to(at::kFloat).clone(), ownWeights = nans({m_tokens, m_topK}),
                     ownLogSums = nans({m_tokens}), ownChosen = ids({m_tokens, m_topK});
    aten_ops::route(
        logits, m_router.normalised, {.scores = scores, .weights = weights, .chosen = chosen, .logSums = logSums});
    cpu_ops::route(m_router, dataOf(ownScores),
        {.chosen = idsOf(ownChosen), .weights = dataOf(ownWeights), .logSums = dataOf(ownLogSums)});
    EXPECT_TRUE(chosen.equal(ownChosen));
    EXPECT_LT(distanceOf(scores, ownScores), 1e-6);
    EXPECT_LT(distanceOf(weights, ownWeights), 1e-6);
    EXPECT_LT(distanceOf(logSums, ownLogSums), 1e-6);

    const at::Tensor dweights = randomFloats({m_tokens, m_topK}), counts = randomFloats({m_experts}).abs();
    for (const bool losses : {false, true}) {
        const at::Tensor dlogits = at::full({m_tokens, m_experts}, NAN, m_type), own = ownScores.clone();
        aten_ops::routeBackward({.scores = scores,
                                    .weights = weights,
                                    .dweights = dweights,
                                    .chosen = chosen,
                                    .normalised = m_router.normalised,
                                    .counts = losses ? counts : at::Tensor(),
                                    .balance = 0.3,
                                    .logSums = losses ? logSums : at::Tensor(),
                                    .zLoss = 0.2},
            dlogits);
        cpu_ops::routeBackward(m_router,
            {.chosen = idsOf(ownChosen),
                .weights = dataOf(ownWeights),
                .dweights = dataOf(dweights),
                .counts = losses ? dataOf(counts) : nullptr,
                .balance = 0.3f,
                .logSums = losses ? dataOf(ownLogSums) : nullptr,
                .zLoss = 0.2f},
            dataOf(own));
        // With one expert per token and normalised weights, the gradient without losses is 0 up to rounding.
        const double size = std::max(own.norm().item<double>(), 1e-2);
        EXPECT_LT((dlogits.to(at::kFloat) - own).norm().item<double>() / size, nearOf(m_type)) << losses;
    }
}

TEST_P(AtenExperts, RowsGoToTheirExpertsAndBackAsWithOurOwnOps)
{
    const std::int64_t width = 35;
    const cpu_ops::Rows shape{m_tokens, width};
    const at::Tensor chosen = at::argsort(at::rand({m_tokens, m_experts}), std::int64_t{1}, false)
                                  .narrow(1, 0, m_topK)
                                  .to(at::kInt)
                                  .flatten();
    const at::Tensor offsets = ids({m_experts + 1}), slots = ids({m_slots}), places = ids({m_slots}),
                     ownOffsets = ids({m_experts + 1}), ownSlots = ids({m_slots}), ownPlaces = ids({m_slots});
    aten_ops::groupByExpert(chosen, {.offsets = offsets, .slots = slots, .places = places});
    cpu_ops::groupByExpert(
        m_experts, m_slots, idsOf(chosen), 0, {idsOf(ownOffsets), idsOf(ownSlots), idsOf(ownPlaces)});
    EXPECT_TRUE(offsets.equal(ownOffsets));
    EXPECT_TRUE(slots.equal(ownSlots));
    EXPECT_TRUE(places.equal(ownPlaces));

    const auto empty = [&](std::int64_t rows) { return at::full({rows, width}, NAN, m_type); };
    const at::Tensor x = random({m_tokens, width}), wideX = x.to(at::kFloat), permuted = empty(m_slots),
                     own = nans({m_slots, width});
    aten_ops::permute(x, slots, permuted);
    cpu_ops::permute(shape, m_topK, m_slots, idsOf(slots), dataOf(wideX), dataOf(own));
    EXPECT_TRUE(permuted.to(at::kFloat).equal(own)) << "rows are copied";

    const at::Tensor weights = randomFloats({m_slots}), rows = random({m_slots, width}),
                     added = random({m_tokens, width});
    for (const bool adds : {false, true}) {
        const at::Tensor y = empty(m_tokens), ownY = nans({m_tokens, width}), wide = rows.to(at::kFloat),
                         wideAdded = added.to(at::kFloat);
        aten_ops::combine(rows, places, weights, adds ? added : at::Tensor(), y);
        cpu_ops::combine(shape, m_topK, idsOf(places), dataOf(weights), dataOf(wide),
            adds ? dataOf(wideAdded) : nullptr, dataOf(ownY));
        EXPECT_LT(distanceOf(y.to(at::kFloat), ownY), nearOf(m_type)) << adds;

        const at::Tensor dx = added.clone(), ownDx = added.to(at::kFloat).clone();
        aten_ops::permuteBackward(rows, places, dx, adds);
        cpu_ops::permuteBackward(shape, m_topK, idsOf(places), dataOf(wide), dataOf(ownDx), adds);
        EXPECT_LT(distanceOf(dx.to(at::kFloat), ownDx), nearOf(m_type)) << adds;
    }

    const at::Tensor dy = random({m_tokens, width}), wideDy = dy.to(at::kFloat), drows = rows.clone(),
                     ownRows = rows.to(at::kFloat).clone(), dweights = nans({m_slots}), ownDweights = nans({m_slots});
    aten_ops::combineBackward(
        {.slots = slots, .places = places, .weights = weights, .dy = dy, .rows = drows, .dweights = dweights});
    cpu_ops::combineBackward(shape, m_topK,
        {.places = idsOf(places),
            .weights = dataOf(weights),
            .rows = dataOf(ownRows),
            .dy = dataOf(wideDy),
            .drows = dataOf(ownRows),
            .dweights = dataOf(ownDweights)});
    EXPECT_LT(distanceOf(dweights, ownDweights), 1e-6);
    EXPECT_LT(distanceOf(drows.to(at::kFloat), ownRows), nearOf(m_type));
}

TEST_P(AtenExperts, GateRowsAndTheirGradientAreThoseOfOurOwnOps)
{
    const std::int64_t width = 21;
    const at::Tensor gates = random({m_tokens}), x = random({m_tokens, width}), y = random({m_tokens, width}),
                     dy = random({m_tokens, width}), dx = at::full({m_tokens, width}, NAN, m_type);
    const auto wide = [](const at::Tensor &tensor) { return tensor.to(at::kFloat).clone(); };
    const at::Tensor ownGates = wide(gates), ownX = wide(x), ownY = wide(y), ownDy = wide(dy), ownDx = wide(dx);
    aten_ops::addGatedRows(gates, x, y);
    cpu_ops::addGatedRows({m_tokens, width}, dataOf(ownGates), dataOf(ownX), dataOf(ownY));
    EXPECT_LT(distanceOf(y.to(at::kFloat), ownY), nearOf(m_type));
    aten_ops::gateRowsBackward(dy, x, dx, gates);
    cpu_ops::gateRowsBackward({m_tokens, width}, dataOf(ownDy), dataOf(ownX), dataOf(ownDx), dataOf(ownGates));
    EXPECT_LT(distanceOf(dx.to(at::kFloat), ownDx), nearOf(m_type));
    EXPECT_LT(distanceOf(gates.to(at::kFloat), ownGates), nearOf(m_type));
}

INSTANTIATE_TEST_SUITE_P(Sizes, AtenExperts,
    ::testing::Values(ExpertsCase{1, 2, 1, false, at::kFloat}, ExpertsCase{70, 8, 2, true, at::kFloat},
        ExpertsCase{33, 61, 7, false, at::kFloat}, ExpertsCase{9, 4, 4, true, at::kFloat},
        ExpertsCase{70, 8, 2, true, at::kBFloat16}, ExpertsCase{33, 61, 7, false, at::kBFloat16},
        ExpertsCase{20, 4, 1, true, at::kBFloat16}));

TEST(AtenRoute, TakesTheFirstOfEqualScores)
{
    const at::Tensor logits = at::tensor({1.0f, 2.0f, 2.0f, 1.0f, 2.0f}).view({1, 5}), weights = nans({1, 3}),
                     chosen = ids({1, 3});
    aten_ops::route(logits, false, {.scores = logits, .weights = weights, .chosen = chosen, .logSums = {}});
    EXPECT_TRUE(chosen.equal(at::tensor({1, 2, 4}, at::kInt).view({1, 3})));
}

// What comes from a diverged model must not lead outside the tables.
TEST(AtenRoute, ChoosesExpertsThatExistAlsoAmongNan)
{
    const at::Tensor logits = at::full({3, 5}, NAN), weights = nans({3, 2}), chosen = ids({3, 2});
    aten_ops::route(logits, true, {.scores = logits, .weights = weights, .chosen = chosen, .logSums = {}});
    EXPECT_GE(chosen.min().item<int>(), 0);
    EXPECT_LT(chosen.max().item<int>(), 5);
}

TEST(AtenCountExperts, AddsTheRowsOfEachExpert)
{
    const at::Tensor offsets = at::tensor({0, 2, 2, 7}, at::kInt), load = at::tensor({10, 20, 30}, at::kLong),
                     counts = at::zeros({3});
    aten_ops::countExperts(offsets, load, counts);
    EXPECT_TRUE(load.equal(at::tensor({12, 20, 35}, at::kLong)));
    EXPECT_TRUE(counts.equal(at::tensor({2.0f, 0.0f, 5.0f})));
}

// Two ranks with two experts each. The second rank's experts get 1 and 2 rows of rank 0, then 4 and 0 of rank 1.
TEST(AtenReceivedRows, AreThoseOfEachRankForTheExpertsHere)
{
    const at::Tensor all = at::tensor({0, 3, 5, 6, 8, 0, 1, 2, 6, 6}, at::kInt).view({2, 5}), offsets = ids({5});
    aten_ops::receivedRows(all, 1, offsets);
    EXPECT_TRUE(offsets.equal(at::tensor({0, 1, 3, 7, 7}, at::kInt)));
    aten_ops::receivedRows(all, 0, offsets);
    EXPECT_TRUE(offsets.equal(at::tensor({0, 3, 5, 6, 7}, at::kInt)));
}

class AtenGroupedGemm : public ::testing::TestWithParam<at::ScalarType> {};

// Two ranks sent rows for three experts; one expert has none of either.
TEST_P(AtenGroupedGemm, MultipliesTheRowsOfEachRankWithTheirExpertsWeights)
{
    at::manual_seed(5);
    const std::vector<std::int32_t> offsets{0, 0, 5, 5, 9, 20, 20};
    const std::int64_t experts = 3, n = 24, k = 40, rows = offsets.back();
    const auto random = [](at::IntArrayRef sizes) { return randomFloats(sizes).to(GetParam()); };
    const at::Tensor x = random({rows, k}), w = random({experts, n, k}), dy = random({rows, n}),
                     y = at::full({rows, n}, NAN, GetParam()), dx = at::full({rows, k}, NAN, GetParam()),
                     dw = nans({experts, n, k}), start = randomFloats({experts, n, k}), added = start.clone();
    const auto run = [&](GemmForm form, const at::Tensor &a, const at::Tensor &b, const at::Tensor &c,
                         bool accumulate) {
        aten_ops::groupedGemm({.form = form, .offsets = offsets, .a = a, .b = b, .c = c, .accumulate = accumulate},
            aten_ops::Fp32GradientGemm::Upcast);
    };
    run(GemmForm::Forward, x, w, y, false);
    run(GemmForm::InputGradient, dy, w, dx, false);
    run(GemmForm::WeightGradient, dy, x, dw, false);
    run(GemmForm::WeightGradient, dy, x, added, true);

    at::Tensor exactDw = at::zeros({experts, n, k}, at::kDouble);
    for (std::int64_t group = 0; group < 2 * experts; ++group) {
        const std::int64_t first = offsets[static_cast<std::size_t>(group)],
                           count = offsets[static_cast<std::size_t>(group + 1)] - first;
        const at::Tensor ownX = x.narrow(0, first, count).to(at::kDouble),
                         ownDy = dy.narrow(0, first, count).to(at::kDouble), ownW = w[group % experts].to(at::kDouble);
        EXPECT_LE(distanceOf(y.narrow(0, first, count).to(at::kFloat), at::matmul(ownX, ownW.t())), nearOf(GetParam()));
        EXPECT_LE(distanceOf(dx.narrow(0, first, count).to(at::kFloat), at::matmul(ownDy, ownW)), nearOf(GetParam()));
        exactDw[group % experts] += at::matmul(ownDy.t(), ownX);
    }
    EXPECT_LT(distanceOf(dw, exactDw), 1e-6);
    EXPECT_EQ(dw[2].count_nonzero().item<std::int64_t>(), 0) << "an expert without rows";
    EXPECT_LT(distanceOf(added, start.to(at::kDouble) + exactDw), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Types, AtenGroupedGemm, ::testing::Values(at::kFloat, at::kBFloat16),
    [](const auto &test) { return test.param == at::kFloat ? "fp32" : "bf16"; });

} // namespace
} // namespace slipway::testing
