// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Each op against values computed by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_ops/activation.h"
#include "cpu_ops/cross_entropy.h"
#include "cpu_ops/embedding.h"
#include "cpu_ops/norm.h"
#include "cpu_ops/rope.h"
#include "cpu_ops/simd.h"

namespace slipway::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;

TEST(FastExp, IsWithinTwoUnitsInTheLastPlace)
{
    for (int i = 0; i < 132'825; ++i) { // to 87.5
        const double x = -86.5 + 0.00131 * i;
        const auto argument = static_cast<float>(x);
        const double exact = std::exp(static_cast<double>(argument));
        EXPECT_NEAR(static_cast<double>(cpu_ops::fastExp(argument)) / exact, 1.0, 2.5e-7) << x;
    }
    EXPECT_EQ(cpu_ops::fastExp(0.0f), 1.0f);
}

TEST(FastExp, StaysFiniteFarOutsideAndLetsNanThrough)
{
    EXPECT_LT(cpu_ops::fastExp(-1e30f), 1e-37f);
    EXPECT_GE(cpu_ops::fastExp(-1e30f), 0.0f);
    EXPECT_TRUE(std::isfinite(cpu_ops::fastExp(1e30f)));
    EXPECT_TRUE(std::isnan(cpu_ops::fastExp(std::nanf(""))));
}

TEST(CrossEntropy, OfTwoClassesByHand)
{
    // softmax of (0, ln 3) = (1/4, 3/4)
    std::vector<float> logits{0.0f, std::log(3.0f), 0.0f, std::log(3.0f)};
    const std::vector<std::int32_t> targets{0, 1};
    const double loss = cpu_ops::crossEntropy({2, 2}, targets.data(), 0.5f, logits.data());
    EXPECT_NEAR(loss, std::log(4.0) + std::log(4.0 / 3.0), 1e-6);
    EXPECT_THAT(logits, ElementsAre(FloatNear(-0.375f, 1e-6f), FloatNear(0.375f, 1e-6f), FloatNear(0.125f, 1e-6f),
                            FloatNear(-0.125f, 1e-6f)));
}

TEST(CrossEntropy, PassesOverWhatDoesNotCount)
{
    std::vector<float> logits{0.0f, std::log(3.0f), NAN, INFINITY};
    const std::vector<std::int32_t> targets{0, cpu_ops::kNotCounted};
    EXPECT_NEAR(cpu_ops::crossEntropy({2, 2}, targets.data(), 1.0f, logits.data()), std::log(4.0), 1e-6);
    EXPECT_THAT(logits, ElementsAre(FloatNear(-0.75f, 1e-6f), FloatNear(0.75f, 1e-6f), 0.0f, 0.0f));
}

TEST(CrossEntropy, HoldsLogitsThatOverflowAnExponential)
{
    std::vector<float> logits{1000.0f, 999.0f, -1000.0f};
    const std::vector<std::int32_t> targets{1};
    EXPECT_NEAR(
        cpu_ops::crossEntropy({1, 3}, targets.data(), 1.0f, logits.data()), 1.0 + std::log1p(std::exp(-1.0)), 1e-6);
    EXPECT_NEAR(logits[0] + logits[1] + logits[2], 0.0, 1e-6);
}

TEST(RmsNorm, ByHand)
{
    const std::vector<float> x{3, 4, 0, 0}, weight{1, 2, 3, 4};
    std::vector<float> y(4), rstd(1);
    cpu_ops::rmsNorm({1, 4}, x.data(), weight.data(), 0.0f, y.data(), rstd.data());
    EXPECT_FLOAT_EQ(rstd[0], 0.4f); // 1 / sqrt(25 / 4)
    EXPECT_THAT(y, ElementsAre(FloatEq(1.2f), FloatEq(3.2f), 0.0f, 0.0f));
}

TEST(RmsNorm, AddsBeforeItNorms)
{
    const std::vector<float> x{1, 4}, delta{2, 0}, weight{1, 1};
    std::vector<float> sum(2), y(2), rstd(1);
    cpu_ops::addRmsNorm({1, 2}, x.data(), delta.data(), weight.data(), 0.5f, sum.data(), y.data(), rstd.data());
    EXPECT_THAT(sum, ElementsAre(3.0f, 4.0f));
    EXPECT_FLOAT_EQ(rstd[0], 1.0f / std::sqrt(13.0f));
    EXPECT_FLOAT_EQ(y[1], 4.0f / std::sqrt(13.0f));
}

TEST(RmsNormBackward, AddsToTheResidualsGradientInPlaceAndToTheWeights)
{
    // x = (1, -1): rstd 1, h = (1, -1); dy = (2, 0): dx = dy - h mean(dy h) = (1, 1).
    const std::vector<float> x{1, -1}, dy{2, 0}, weight{1, 1}, rstd{1};
    std::vector<float> dx{10, 20}, dweight{5, 5};
    cpu_ops::rmsNormBackward({1, 2}, {.dy = dy.data(),
                                         .x = x.data(),
                                         .rstd = rstd.data(),
                                         .weight = weight.data(),
                                         .residual = dx.data(),
                                         .dx = dx.data(),
                                         .dweight = dweight.data(),
                                         .accumulate = true});
    EXPECT_THAT(dx, ElementsAre(FloatEq(11.0f), FloatEq(21.0f)));
    EXPECT_THAT(dweight, ElementsAre(FloatEq(7.0f), FloatEq(5.0f)));
    cpu_ops::rmsNormBackward({1, 2}, {.dy = dy.data(),
                                         .x = x.data(),
                                         .rstd = rstd.data(),
                                         .weight = weight.data(),
                                         .dx = dx.data(),
                                         .dweight = dweight.data()});
    EXPECT_THAT(dx, ElementsAre(FloatEq(1.0f), FloatEq(1.0f)));
    EXPECT_THAT(dweight, ElementsAre(FloatEq(2.0f), FloatEq(0.0f)));
}

TEST(SwiGlu, ByHandForwardAndBackward)
{
    const float sigmoid1 = 1.0f / (1.0f + std::exp(-1.0f));
    std::vector<float> gateUp{0, 1, 5, 3}, product(2); // gates 0 and 1, ups 5 and 3
    cpu_ops::gatedActivation({1, 2}, Activation::Silu, gateUp.data(), product.data());
    EXPECT_THAT(product, ElementsAre(0.0f, FloatNear(3.0f * sigmoid1, 1e-6f)));
    const std::vector<float> dproduct{1, 2};
    cpu_ops::gatedActivationBackward({1, 2}, Activation::Silu, dproduct.data(), gateUp.data());
    EXPECT_THAT(gateUp, ElementsAre(FloatNear(2.5f, 1e-6f), FloatNear(6.0f * sigmoid1 * (2.0f - sigmoid1), 1e-5f), 0.0f,
                            FloatNear(2.0f * sigmoid1, 1e-6f)));
}

TEST(SwiGlu, StaysFiniteForLargeGates)
{
    std::vector<float> gateUp{-1e4f, 1e4f, 1, 1}, product(2);
    cpu_ops::gatedActivation({1, 2}, Activation::Silu, gateUp.data(), product.data());
    EXPECT_THAT(product, ElementsAre(FloatNear(0.0f, 1e-30f), FloatEq(1e4f)));
}

TEST(Rope, TurnsHalvesOfAHeadByThePositionsAngle)
{
    const cpu_ops::QkvShape shape{.batch = 1, .seq = 2, .heads = 1, .kvHeads = 1, .headDim = 2};
    const cpu_ops::RopeTable table(2, 2, 10000.0);
    const std::vector<float> start{1, 0, 0, 1, 7, 8, 1, 0, 0, 1, 7, 8}; // q, k, v of two positions
    std::vector<float> qkv = start;
    cpu_ops::rope(shape, table, qkv.data(), cpu_ops::RopeDirection::Forward);
    const float c = std::cos(1.0f), s = std::sin(1.0f);
    EXPECT_THAT(qkv, ElementsAre(1, 0, 0, 1, 7, 8, FloatEq(c), FloatEq(s), FloatEq(-s), FloatEq(c), 7, 8));
    cpu_ops::rope(shape, table, qkv.data(), cpu_ops::RopeDirection::Inverse);
    for (std::size_t i = 0; i < start.size(); ++i)
        EXPECT_NEAR(qkv[i], start[i], 1e-6f);
}

TEST(Embedding, LooksUpRowsAndSumsTheGradientsOfATokenThatRepeats)
{
    const std::vector<std::int32_t> tokens{2, 0, 2};
    const std::vector<float> table{1, 2, 3, 4, 5, 6}, dx{1, 1, 10, 10, 100, 100};
    std::vector<float> x(6), dtable(6, 9.0f);
    cpu_ops::embedding({3, 2}, tokens.data(), table.data(), x.data());
    EXPECT_THAT(x, ElementsAre(5, 6, 1, 2, 5, 6));
    cpu_ops::embeddingBackward({3, 2}, tokens.data(), dx.data(), 3, dtable.data(), false);
    EXPECT_THAT(dtable, ElementsAre(10, 10, 0, 0, 101, 101));
    cpu_ops::embeddingBackward({3, 2}, tokens.data(), dx.data(), 3, dtable.data(), true);
    EXPECT_THAT(dtable, ElementsAre(20, 20, 0, 0, 202, 202));
}

} // namespace
} // namespace slipway::testing
