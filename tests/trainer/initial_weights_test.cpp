// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(Philox, GivesTheKnownAnswersOfItsAuthors)
{
    // Random123's kat_vectors, philox4x32 with 10 rounds.
    EXPECT_THAT(philox(0, 0, 0).words, ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
    constexpr std::uint64_t kOnes = ~std::uint64_t{0};
    EXPECT_THAT(philox(kOnes, kOnes, kOnes).words, ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
}

std::vector<float> initialized(std::string name, std::vector<std::int64_t> shape, int layers, std::uint64_t seed,
    WeightInit init = WeightInit::Normal)
{
    WeightView view{.name = std::move(name), .shape = std::move(shape), .init = init};
    view.slice = wholeSlice(view.shape);
    view.count = view.elements();
    std::vector<float> values(static_cast<std::size_t>(view.elements()));
    view.master = values.data();
    initializeWeights({&view, 1}, layers, seed);
    return values;
}

double deviation(const std::vector<float> &values)
{
    double sum = 0;
    for (const float value : values)
        sum += static_cast<double>(value) * static_cast<double>(value);
    return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST(InitialWeights, AreNormalAndSmallerOntoTheResidualStream)
{
    constexpr auto kOntoResidual = WeightInit::NormalOntoResidual;
    EXPECT_NEAR(deviation(initialized("model.layers.0.mlp.up_proj.weight", {300, 301}, 8, 1)), 0.02, 2e-4);
    EXPECT_NEAR(
        deviation(initialized("model.layers.0.mlp.down_proj.weight", {300, 301}, 8, 1, kOntoResidual)), 0.005, 5e-5);
    EXPECT_NEAR(
        deviation(initialized("model.layers.0.self_attn.o_proj.weight", {300, 301}, 8, 1, kOntoResidual)), 0.005, 5e-5);
    EXPECT_THAT(initialized("model.norm.weight", {7}, 8, 1, WeightInit::Ones), Each(1.0f));
    EXPECT_THAT(initialized("model.norm.bias", {7}, 8, 1, WeightInit::Zeros), Each(0.0f));
}

TEST(InitialWeights, DependOnSeedAndNameButNotOnTheRestOfTheShape)
{
    const std::vector<float> first = initialized("a", {5, 7}, 1, 1);
    EXPECT_EQ(initialized("a", {5, 7}, 1, 1), first);
    EXPECT_NE(initialized("a", {5, 7}, 1, 2), first);
    EXPECT_NE(initialized("b", {5, 7}, 1, 1), first);
    const std::vector<float> more = initialized("a", {6, 7}, 1, 1);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), more.begin()));
}

} // namespace
} // namespace slipway::testing
