// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Activation functions and partial, scaled RoPE against LibTorch's autograd in fp64.
#include <cmath>

#include <gtest/gtest.h>

#include "cpu_ops/activation.h"
#include "exact_ops.h"

namespace slipway::testing {
namespace {

class Activations : public ::testing::TestWithParam<Activation> {
protected:
    void SetUp() override { at::manual_seed(1); }
};

TEST_P(Activations, MatchAutogradAloneAndGated)
{
    for (const auto &[rows, width] : {std::pair(1, 1), std::pair(3, 35), std::pair(70, 256)}) {
        const at::Tensor gateUp = randomFloats({rows, 2 * width}).mul_(3), dy = randomFloats({rows, width}),
                         product = nans({rows, width});
        const at::Tensor gateUp64 = exact(gateUp);
        const at::Tensor product64 =
            exactActivation(GetParam(), gateUp64.narrow(1, 0, width)) * gateUp64.narrow(1, width, width);
        cpu_ops::gatedActivation({rows, width}, GetParam(), dataOf(gateUp), dataOf(product));
        EXPECT_LE(distanceOf(product, product64), 1e-6);
        (product64 * dy.to(at::kDouble)).sum().backward();
        cpu_ops::gatedActivationBackward({rows, width}, GetParam(), dataOf(dy), dataOf(gateUp));
        EXPECT_LE(distanceOf(gateUp, gateUp64.grad()), 1e-6);

        const at::Tensor x = randomFloats({rows, width}).mul_(3), x64 = exact(x), y = nans({rows, width});
        const at::Tensor y64 = exactActivation(GetParam(), x64);
        cpu_ops::activate({rows, width}, GetParam(), dataOf(x), dataOf(y));
        EXPECT_LE(distanceOf(y, y64), 1e-6);
        (y64 * dy.to(at::kDouble)).sum().backward();
        cpu_ops::activateBackward({rows, width}, GetParam(), dataOf(dy), dataOf(x));
        EXPECT_LE(distanceOf(x, x64.grad()), 1e-6);
    }
}

// Each value by itself, and its slope: not only where the numbers are large.
TEST_P(Activations, AreExactPointByPointFarIntoBothTails)
{
    const at::Tensor x = at::linspace(-9, 9, 36'001, at::kFloat), x64 = exact(x), y = nans(x.sizes());
    const at::Tensor y64 = exactActivation(GetParam(), x64);
    cpu_ops::activate({1, x.numel()}, GetParam(), dataOf(x), dataOf(y));
    EXPECT_LT(((y.to(at::kDouble) - y64) / y64.abs().clamp_min(1)).abs().max().item<double>(), 1e-6);
    y64.sum().backward();
    cpu_ops::activateBackward({1, x.numel()}, GetParam(), dataOf(at::ones_like(x)), dataOf(x));
    EXPECT_LT((x.to(at::kDouble) - x64.grad()).abs().max().item<double>(), 2e-6);
}

TEST_P(Activations, StayFiniteForLargeNumbersAndLetNanThrough)
{
    const at::Tensor x = at::tensor({-1e4f, 1e4f, std::nanf("")}), y = nans({3});
    cpu_ops::activate({1, 3}, GetParam(), dataOf(x), dataOf(y));
    const at::Tensor y64 = exactActivation(GetParam(), x.to(at::kDouble));
    EXPECT_LT((y - y64).narrow(0, 0, 2).abs().max().item<double>(), 1e-3);
    cpu_ops::activateBackward({1, 3}, GetParam(), dataOf(at::ones({3})), dataOf(x));
    EXPECT_TRUE(x.narrow(0, 0, 2).isfinite().all().item<bool>());
    if (GetParam() != Activation::Relu && GetParam() != Activation::Relu2) {
        EXPECT_TRUE(std::isnan(y[2].item<float>()) && std::isnan(x[2].item<float>()));
    }
}

INSTANTIATE_TEST_SUITE_P(, Activations,
    ::testing::Values(Activation::Silu, Activation::GeluTanh, Activation::GeluErf, Activation::Relu, Activation::Relu2,
        Activation::QuickGelu),
    [](const auto &test) { return std::string(enumName(test.param)); });

struct RopeCase {
    std::int64_t headDim, rotated;
    double attentionFactor;
    std::vector<std::int64_t> documents;
};

class PartialRope : public ::testing::TestWithParam<RopeCase> {};

// As Transformers' apply_rotary_pos_emb with cosines and sines of `rotated` dimensions, what is behind them appended.
TEST_P(PartialRope, TurnsTheFirstDimensionsOfEveryHeadAndBack)
{
    at::manual_seed(2);
    const RopeCase &c = GetParam();
    const std::int64_t batch = 2, seq = 37, heads = 3, kvHeads = 1, half = c.rotated / 2;
    const std::vector<std::int32_t> starts = documentStartsAt(batch, seq, c.documents);
    const cpu_ops::QkvShape shape{.batch = batch,
        .seq = seq,
        .heads = heads,
        .kvHeads = kvHeads,
        .headDim = c.headDim,
        .documentStarts = c.documents.empty() ? nullptr : starts.data()};
    cpu_ops::RopeSpec spec{.rotatedDims = c.rotated, .attentionFactor = c.attentionFactor};
    for (std::int64_t i = 0; i < half; ++i)
        spec.inverseFrequencies.push_back(1.0 / (1.0 + static_cast<double>(i * i)));

    const at::Tensor raw = randomFloats({batch * seq, heads + 2 * kvHeads, c.headDim}), raw64 = exact(raw);
    const at::Tensor places = (at::arange(seq).repeat({batch}) - at::tensor(starts)).to(at::kFloat);
    const at::Tensor frequencies = at::tensor(spec.inverseFrequencies).to(at::kFloat);
    const at::Tensor angles = at::outer(places, frequencies).to(at::kDouble).repeat({1, 2}).unsqueeze(1);
    const at::Tensor turning = raw64.narrow(1, 0, heads + kvHeads), x = turning.narrow(2, 0, c.rotated);
    const at::Tensor across = at::cat({-x.narrow(2, half, half), x.narrow(2, 0, half)}, 2);
    const at::Tensor turned = (x * angles.cos() + across * angles.sin()) * c.attentionFactor;
    const at::Tensor expected = at::cat({at::cat({turned, turning.narrow(2, c.rotated, c.headDim - c.rotated)}, 2),
                                            raw64.narrow(1, heads + kvHeads, kvHeads)},
        1);

    const cpu_ops::RopeTable table(seq, spec);
    const at::Tensor qkv = raw.clone(), d = randomFloats(raw.sizes()), dqkv = d.clone();
    cpu_ops::rope(shape, table, dataOf(qkv), cpu_ops::RopeDirection::Forward);
    EXPECT_LT(distanceOf(qkv, expected), 1e-6);
    (expected * d.to(at::kDouble)).sum().backward();
    cpu_ops::rope(shape, table, dataOf(dqkv), cpu_ops::RopeDirection::Inverse);
    EXPECT_LT(distanceOf(dqkv, raw64.grad()), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Sizes, PartialRope,
    ::testing::Values(RopeCase{8, 8, 1, {}}, RopeCase{64, 16, 1, {}}, RopeCase{20, 10, 1.25, {}},
        RopeCase{12, 2, 1, {5, 6, 30}}, RopeCase{6, 0, 1, {}}));

TEST(RopeTable, RefusesFrequenciesThatDoNotFitItsDimensions)
{
    EXPECT_THROW(cpu_ops::RopeTable(4, {.inverseFrequencies = {1.0}, .rotatedDims = 4}), std::logic_error);
}

} // namespace
} // namespace slipway::testing
