// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/rope_scaling.h"

#include <cmath>
#include <gtest/gtest.h>

namespace slipway {
namespace {

RopeFrequencies of(const Rope &rope, int headDim = 8, std::int64_t seqLen = 32)
{
    return ropeFrequencies(rope, headDim, seqLen).value();
}

TEST(RopeFrequencies, FallByAPowerOfTheBase)
{
    EXPECT_EQ(of({.base = 10000}).inverse, (std::vector<double>{1, 0.1, 0.01, 0.001}));
    EXPECT_EQ(of({.base = 10000}).attentionFactor, 1);
}

TEST(RopeFrequencies, OfAPartAreThoseOfANarrowerHead)
{
    EXPECT_EQ(of({.fraction = 0.5}).inverse, of({}, 4).inverse);
    EXPECT_EQ(rotatedDimensions({.fraction = 0.5}, 8), 4);
}

TEST(RopeFrequencies, AreDividedByALinearFactor)
{
    const RopeFrequencies scaled = of({.scaling = RopeScaling::Linear, .factor = 4});
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_DOUBLE_EQ(scaled.inverse[i], of({}).inverse[i] / 4);
}

// Wavelengths of 2 pi x (1, 10, 100, 1000) positions; 100 and 25 positions are the ends of the blend.
TEST(RopeFrequencies, OfLlama3SlowDownWhereTheyAreSlow)
{
    const RopeFrequencies scaled = of({.scaling = RopeScaling::Llama3, .factor = 8, .trainedPositions = 100});
    EXPECT_DOUBLE_EQ(scaled.inverse[0], 1);
    EXPECT_DOUBLE_EQ(scaled.inverse[2], 0.01 / 8);
    EXPECT_DOUBLE_EQ(scaled.inverse[3], 0.001 / 8);
    const double kept = (100 / (2 * M_PI * 10) - 1) / 3;
    EXPECT_DOUBLE_EQ(scaled.inverse[1], (1 - kept) * 0.1 / 8 + kept * 0.1);
}

// Pair 1 of 4 turns 32 times within 4096 positions, and pair 3 once: between them both kinds are blended.
TEST(RopeFrequencies, OfYarnBlendBetweenFastAndSlowPairs)
{
    const RopeFrequencies scaled = of({.scaling = RopeScaling::Yarn, .factor = 4, .trainedPositions = 4096});
    const double low = std::floor(8 * std::log(4096 / (32 * 2 * M_PI)) / (2 * std::log(10000.0)));
    const double high = std::ceil(8 * std::log(4096 / (2 * M_PI)) / (2 * std::log(10000.0)));
    EXPECT_EQ(low, 1);
    EXPECT_EQ(high, 3);
    EXPECT_DOUBLE_EQ(scaled.inverse[0], 1);
    EXPECT_DOUBLE_EQ(scaled.inverse[1], 0.1);
    EXPECT_DOUBLE_EQ(scaled.inverse[2], 0.01 / 4 / 2 + 0.01 / 2);
    EXPECT_DOUBLE_EQ(scaled.inverse[3], 0.001 / 4);
    EXPECT_DOUBLE_EQ(scaled.attentionFactor, 0.1 * std::log(4.0) + 1);
}

TEST(RopeFrequencies, OfLongRopeDependOnTheLengthOfTheSequence)
{
    const Rope rope{.scaling = RopeScaling::Longrope,
        .factor = 32,
        .trainedPositions = 16,
        .shortFactors = {1, 1, 1, 2},
        .longFactors = {1, 2, 4, 8}};
    EXPECT_DOUBLE_EQ(of(rope, 8, 16).inverse[3], 0.001 / 2);
    EXPECT_DOUBLE_EQ(of(rope, 8, 17).inverse[3], 0.001 / 8);
    EXPECT_DOUBLE_EQ(of(rope).attentionFactor, std::sqrt(1 + std::log(32.0) / std::log(16.0)));
    EXPECT_FALSE(ropeFrequencies(rope, 16, 16)) << "factors for 4 pairs, and 8 pairs";
}

TEST(RopeFrequencies, ThatGrowWithTheSequenceAreRefused)
{
    const auto refused = ropeFrequencies({.scaling = RopeScaling::Dynamic, .factor = 2, .trainedPositions = 16}, 8, 32);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("dynamic"), std::string::npos);
}

} // namespace
} // namespace slipway
