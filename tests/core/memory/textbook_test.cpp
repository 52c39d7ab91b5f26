// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/textbook.h"

#include <gtest/gtest.h>

namespace slipway {
namespace {

ModelSpec model()
{
    return {.layers = 2,
        .hidden = 8,
        .attention = {.heads = 4, .kvHeads = 4, .headDim = 2},
        .mlp = {.width = 32, .gated = false},
        .vocab = 10};
}

// N = 8 x 10 + 2 (12 x 64 + 13 x 8) + 16 = 1840 parameters, of which 1536 are in the matrices of layers.
TEST(TextbookMemory, CountsSixteenBytesOfAParameterThatIsTrained)
{
    const TextbookMemory t = textbookMemory({}, model());
    EXPECT_EQ(t.parameters, 1840);
    EXPECT_EQ(t.weights, 2 * 1840);
    EXPECT_EQ(t.gradients, 2 * 1840);
    EXPECT_EQ(t.optimizer, 12 * 1840);
    EXPECT_EQ(t.states, 16 * 1840);
}

TEST(TextbookMemory, CountsOfFrozenWeightsOnlyWhatIsStored)
{
    RunConfig config;
    config.loraRank = 2;
    config.loraTargets = LoraTargets::QueryValue; // 2 x ((8 + 8) + (8 + 8)) weights in each of 2 layers
    constexpr Bytes kAdapters = 128;
    const TextbookMemory whole = textbookMemory(config, model());
    EXPECT_EQ(whole.weights, 2 * 1840 + 2 * kAdapters);
    EXPECT_EQ(whole.gradients, 2 * kAdapters);
    EXPECT_EQ(whole.optimizer, 12 * kAdapters);
    config.frozenWeights = FrozenWeights::Nf4;
    EXPECT_EQ(textbookMemory(config, model()).weights, 2 * (1840 - 1536) + 1536 / 2 + 2 * kAdapters);
    config.frozenWeights = FrozenWeights::Int8;
    EXPECT_EQ(textbookMemory(config, model()).weights, 2 * (1840 - 1536) + 1536 + 2 * kAdapters);
    EXPECT_LT(whole.states, textbookMemory({}, model()).states);
}

TEST(TextbookMemory, ShardsFrozenWeightsAsTheStrategyDoes)
{
    RunConfig config;
    config.loraRank = 2;
    config.loraTargets = LoraTargets::QueryValue;
    config.parallel = {.kind = ParallelKind::Zero1, .gpus = 4};
    EXPECT_EQ(textbookMemory(config, model()).weights, 2 * 1840 + 2 * 128);
    EXPECT_EQ(textbookMemory(config, model()).optimizer, 12 * 128 / 4);
    config.parallel.kind = ParallelKind::FsdpFull;
    EXPECT_EQ(textbookMemory(config, model()).weights, (2 * 1840 + 2 * 128) / 4);
}

} // namespace
} // namespace slipway
