// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/model_spec.h"

#include <gtest/gtest.h>
#include <map>
#include <string_view>

#include "model/families.h"

namespace slipway {
namespace {

ModelSpec llama(int layers, int hidden, int heads, int kvHeads, int ffn, int vocab, bool tied)
{
    return {.layers = layers,
        .hidden = hidden,
        .attention = {.heads = heads, .kvHeads = kvHeads, .headDim = hidden / heads},
        .mlp = {.width = ffn},
        .vocab = vocab,
        .head = {.tied = tied}};
}

TEST(ParameterCount, EqualsTheFourOfThePaper)
{
    EXPECT_EQ(parameterCount(llama(9, 832, 13, 13, 2332, 32000, false)), 130'569'920);
    EXPECT_EQ(parameterCount(llama(15, 1536, 24, 24, 4147, 32000, false)), 526'550'016);
    EXPECT_EQ(parameterCount(llama(19, 1920, 30, 30, 5184, 32000, false)), 970'458'240);
    EXPECT_EQ(parameterCount(llama(24, 2496, 39, 39, 6739, 32000, false)), 1'969'027'008);
}

TEST(ParameterCount, EqualsTheLecturesFormulaForGpt)
{
    // N = hV + L(12 h^2 + 13 h) + 2h, positions not counted.
    const std::int64_t h = 768, v = 50257, l = 12;
    ModelSpec gpt = llama(12, 768, 12, 12, 3072, 50257, true);
    gpt.mlp = {.width = gpt.mlp.width, .gated = false, .activation = Activation::GeluErf};
    gpt.norm.kind = NormKind::LayerNorm;
    gpt.attention.qkvBias = gpt.attention.outBias = gpt.mlp.bias = gpt.norm.bias = true;
    EXPECT_EQ(parameterCount(gpt), h * v + l * (12 * h * h + 13 * h) + 2 * h);
    gpt.position = Position::Learned;
    gpt.embedding.positions = 1024;
    EXPECT_EQ(parameterCount(gpt), 124'439'808);
}

TEST(ParameterCount, LosesOneTableWhereTheHeadIsTied)
{
    const ModelSpec untied = llama(2, 64, 4, 2, 128, 1000, false);
    ModelSpec tied = untied;
    tied.head.tied = true;
    EXPECT_EQ(parameterCount(untied) - parameterCount(tied), 64'000);
    EXPECT_EQ(matmulParameterCount(untied), matmulParameterCount(tied));
}

TEST(ParameterCount, IsCountedByHandForATinyModel)
{
    // block: q 8x8, k and v 8x4 each, out 8x8, gate up down 8x12 each, two norms of 8: 64+64+64+288+16
    const ModelSpec model = llama(2, 8, 4, 2, 12, 10, false);
    EXPECT_EQ(blockParameterCount(model), 496);
    EXPECT_EQ(parameterCount(model), 80 + 2 * 496 + 8 + 80);
    EXPECT_EQ(matmulParameterCount(model), 2 * 480 + 80);
}

TEST(ActiveParameterCount, LeavesIdleExpertsOut)
{
    ModelSpec mixtral = llama(32, 4096, 32, 8, 14336, 32000, false);
    EXPECT_EQ(activeParameterCount(mixtral), parameterCount(mixtral));
    mixtral.experts.count = 8;
    mixtral.experts.perToken = 2;
    EXPECT_EQ(parameterCount(mixtral), 46'702'792'704);
    EXPECT_EQ(activeParameterCount(mixtral), 12'879'925'248);
}

TEST(ModelFlops, AreSixAMatrixParameterAndAttentionsTerm)
{
    const ModelSpec model = llama(2, 8, 4, 2, 12, 10, false);
    EXPECT_DOUBLE_EQ(modelFlopsPerToken(model, 16), 6.0 * 1040 + 12.0 * 2 * 8 * 16);
    EXPECT_DOUBLE_EQ(modelFlopsPerTokenCausal(model, 16), 6.0 * 1040 + 6.0 * 2 * 8 * 16);
}

TEST(FamilyNamed, IsTheOneWithTheLongestWord)
{
    const std::map<std::string_view, std::string_view> types{{"google/gemma-2b", "gemma"},
        {"google/gemma-2-2b", "gemma2"}, {"gemma-3-27b", "gemma3_text"}, {"phi-2", "phi"}, {"phi-4", "phi3"},
        {"allenai/olmo-7b", "olmo"}, {"allenai/olmo-2-1124-7b", "olmo2"}, {"qwen1.5-0.5b", "qwen2"},
        {"qwen1.5-moe-a2.7b", "qwen2_moe"}, {"Qwen/qwen3-30b-a3b-base", "qwen3_moe"}, {"qwen3-32b", "qwen3"}};
    for (const auto &[name, type] : types) {
        const ModelFamily *family = familyNamed(name);
        ASSERT_TRUE(family) << name;
        EXPECT_EQ(family->type, type) << name;
    }
    EXPECT_FALSE(familyNamed("adopt-1b"));
}

} // namespace
} // namespace slipway
