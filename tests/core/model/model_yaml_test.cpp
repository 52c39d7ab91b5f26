// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/model_yaml.h"

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace slipway {
namespace {

class ModelFile : public ::testing::Test {
protected:
    ModelSpec read(const std::string &text)
    {
        writeText(m_folder.path() / "mine.yaml", text);
        const Result<ModelSpec> model = readModelYaml(m_folder.path() / "mine.yaml");
        EXPECT_TRUE(model) << model.error().message();
        return model ? *model : ModelSpec{};
    }
    TemporaryDirectory m_folder;
};

const std::string kShape = "layers: 2\nhidden: 64\nheads: 4\nffn: 96\nvocab: 100\n";

TEST_F(ModelFile, ThatGivesAShapeAloneIsAPlainLlama)
{
    const ModelSpec expected{.name = "mine",
        .layers = 2,
        .hidden = 64,
        .attention = {.heads = 4, .kvHeads = 4, .headDim = 16},
        .mlp = {.width = 96},
        .vocab = 100};
    EXPECT_EQ(read(kShape), expected);
}

TEST_F(ModelFile, SaysEachOfItsTraitsForItself)
{
    using Trait = bool &(*)(ModelSpec &);
    const std::vector<std::pair<const char *, Trait>> traits{
        {"tied", [](ModelSpec &m) -> bool & { return m.head.tied; }},
        {"qkv_bias", [](ModelSpec &m) -> bool & { return m.attention.qkvBias; }},
        {"attention_out_bias", [](ModelSpec &m) -> bool & { return m.attention.outBias; }},
        {"mlp_bias", [](ModelSpec &m) -> bool & { return m.mlp.bias; }},
        {"head_bias", [](ModelSpec &m) -> bool & { return m.head.bias; }},
        {"norm_bias", [](ModelSpec &m) -> bool & { return m.norm.bias; }},
        {"gelu_by_parts", [](ModelSpec &m) -> bool & { return m.mlp.byParts; }},
        {"split_qkv", [](ModelSpec &m) -> bool & { return m.attention.splitQkv; }},
        {"parallel_block", [](ModelSpec &m) -> bool & { return m.block.parallel; }},
        {"wide_norm", [](ModelSpec &m) -> bool & { return m.norm.fp32Weight; }},
        {"dropout", [](ModelSpec &m) -> bool & { return m.dropout; }}};
    const std::string gelu = kShape + "mlp: gelu\nnorm: layernorm\n"; // which some of them need
    const ModelSpec plain = read(gelu);
    for (const auto &[key, trait] : traits) {
        ModelSpec expected = plain;
        trait(expected) = true;
        EXPECT_EQ(read(gelu + key + ": true\n"), expected) << key;
        EXPECT_EQ(read(gelu + key + ": false\n"), plain) << key;
    }
    EXPECT_FALSE(read(gelu + "norm_weight: false\n").norm.weight);
    EXPECT_EQ(read(gelu + "activation: relu\n").mlp.activation, Activation::Relu);
    EXPECT_EQ(read(kShape + "rotary_fraction: 0.5\n").ropes, std::vector{Rope{.fraction = 0.5}});
}

TEST_F(ModelFile, TakesWhatItDoesNotSayFromItsArchitecture)
{
    const ModelSpec gemma = read("architecture: gemma3_text\n" + kShape);
    EXPECT_EQ(gemma.attention.qkNorm, QkNorm::Head);
    EXPECT_EQ(gemma.block.norms, NormPlacement::Both);
    EXPECT_EQ(gemma.ropes.size(), 2u);
    EXPECT_EQ(gemma.embeddingScale(), 8.0);
    EXPECT_FALSE(read("architecture: gemma3_text\ntied: false\n" + kShape).head.tied);
}

TEST_F(ModelFile, NamesTheKeyAndTheLineOfASizeThatIsNotPossible)
{
    const auto refusal = [this](const std::string &text) {
        writeText(m_folder.path() / "mine.yaml", text);
        const Result<ModelSpec> model = readModelYaml(m_folder.path() / "mine.yaml");
        return model ? "accepted" : model.error().message();
    };
    EXPECT_TRUE(refusal(kShape + "kv_heads: 3\n")
            .ends_with("mine.yaml:6: kv_heads: 3 key-value heads do not divide "
                       "the 4 attention heads (accepted: 2 or 4)"));
    EXPECT_NE(refusal("layers: 2\nhidden: 66\nheads: 4\nffn: 96\nvocab: 100\n").find("mine.yaml:2: hidden: "),
        std::string::npos);
}

TEST_F(ModelFile, GivesWindowsAndRotationsLayerByLayer)
{
    const ModelSpec model = read(kShape + "windows: 8 8 0\nropes: 1 1 0\nfurther_rope_thetas: 500\n");
    const std::vector<LayerKind> expected{{.window = 8, .rope = 1}, {.window = 8, .rope = 1}, {}};
    EXPECT_EQ(model.pattern, expected);
    EXPECT_EQ(model.kindOf(4), expected[1]);
    EXPECT_EQ(model.ropes.back().base, 500);
}

} // namespace
} // namespace slipway
