// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/model_yaml.h"

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace slipway {
namespace {

class ModelFile : public testing::Test {
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
    const ModelSpec expected{
        .name = "mine", .layers = 2, .hidden = 64, .heads = 4, .kvHeads = 4, .headDim = 16, .ffn = 96, .vocab = 100};
    EXPECT_EQ(read(kShape), expected);
}

TEST_F(ModelFile, SaysEachOfItsTraitsForItself)
{
    const std::vector<std::pair<const char *, bool ModelSpec::*>> traits{{"tied", &ModelSpec::tied},
        {"partial_rope", &ModelSpec::partialRope}, {"qkv_bias", &ModelSpec::qkvBias},
        {"attention_out_bias", &ModelSpec::attentionOutBias}, {"mlp_bias", &ModelSpec::mlpBias},
        {"head_bias", &ModelSpec::headBias}, {"norm_bias", &ModelSpec::normBias},
        {"gelu_by_parts", &ModelSpec::unfusedGelu}, {"relu", &ModelSpec::relu}, {"split_qkv", &ModelSpec::splitQkv},
        {"parallel_block", &ModelSpec::parallelBlock}, {"wide_norm", &ModelSpec::fp32NormWeight},
        {"dropout", &ModelSpec::dropout}};
    const std::string gelu = kShape + "mlp: gelu\nnorm: layernorm\n"; // which some of them need
    const ModelSpec plain = read(gelu);
    for (const auto &[key, member] : traits) {
        ModelSpec expected = plain;
        expected.*member = true;
        EXPECT_EQ(read(gelu + key + ": true\n"), expected) << key;
        EXPECT_EQ(read(gelu + key + ": false\n"), plain) << key;
    }
    EXPECT_FALSE(read(gelu + "norm_weight: false\n").normWeight);
}

} // namespace
} // namespace slipway
