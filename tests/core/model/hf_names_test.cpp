// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/hf_names.h"

#include <functional>
#include <gmock/gmock.h>
#include <map>
#include <numeric>

#include "support/family_models.h"

namespace slipway {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using testing::smallModelOf;

ModelSpec small(std::string_view type) { return smallModelOf(*familyOfType(type)); }

std::vector<std::string> partsOf(const HfTensor &tensor)
{
    std::vector<std::string> names;
    for (const ModelWeight &part : tensor.parts)
        names.push_back(part.name);
    return names;
}

HfTensor named(const ModelSpec &model, std::string_view name)
{
    for (HfTensor &tensor : hfTensors(model)) {
        if (tensor.name == name)
            return std::move(tensor);
    }
    ADD_FAILURE() << name;
    return {};
}

TEST(HfTensors, HoldEveryWeightOfEveryFamilyOnceAndNothingElse)
{
    for (const ModelFamily &family : modelFamilies()) {
        const ModelSpec model = smallModelOf(family);
        std::map<std::string, int> held, names;
        std::int64_t elements = 0;
        for (const HfTensor &tensor : hfTensors(model)) {
            ++names[tensor.name];
            elements += std::accumulate(
                tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies<std::int64_t>());
            for (const ModelWeight &part : tensor.parts)
                ++held[part.name];
        }
        for (const ModelWeight &weight : modelWeights(model))
            EXPECT_EQ(held[weight.name], 1) << family.type << ": " << weight.name;
        EXPECT_EQ(held.size(), modelWeights(model).size()) << family.type;
        for (const auto &[name, count] : names)
            EXPECT_EQ(count, 1) << family.type << ": " << name;
        EXPECT_EQ(elements, parameterCount(model)) << family.type;
    }
}

TEST(HfTensors, OfLlamaAreOurWeights)
{
    const ModelSpec model = small("llama");
    std::vector<ModelWeight> ours;
    for (const HfTensor &tensor : hfTensors(model)) {
        ASSERT_EQ(tensor.parts.size(), 1U);
        EXPECT_EQ(tensor.name, tensor.parts.front().name);
        EXPECT_EQ(tensor.shape, tensor.parts.front().shape);
        ours.push_back(tensor.parts.front());
    }
    EXPECT_EQ(ours, modelWeights(model));
}

TEST(HfTensors, OfGpt2AreTransposedAndPacked)
{
    const ModelSpec model = small("gpt2");
    const HfTensor packed = named(model, "transformer.h.3.attn.c_attn.weight");
    EXPECT_THAT(packed.shape, ElementsAre(64, 192));
    EXPECT_TRUE(packed.transposed);
    EXPECT_THAT(
        partsOf(packed), ElementsAre("model.layers.3.self_attn.q_proj.weight", "model.layers.3.self_attn.k_proj.weight",
                             "model.layers.3.self_attn.v_proj.weight"));
    const HfTensor biases = named(model, "transformer.h.0.attn.c_attn.bias");
    EXPECT_THAT(biases.shape, ElementsAre(192));
    EXPECT_FALSE(biases.transposed);
    EXPECT_THAT(named(model, "transformer.h.0.mlp.c_proj.weight").shape, ElementsAre(96, 64));
    EXPECT_THAT(partsOf(named(model, "transformer.wpe.weight")), ElementsAre("model.embed_positions.weight"));
    EXPECT_THAT(partsOf(named(model, "transformer.ln_f.bias")), ElementsAre("model.norm.bias"));
}

TEST(HfTensors, OfGptNeoXInterleaveHeads)
{
    ModelSpec model = small("gpt_neox");
    const HfTensor packed = named(model, "gpt_neox.layers.0.attention.query_key_value.weight");
    EXPECT_EQ(packed.rows, HfRows::HeadByHead);
    EXPECT_EQ(packed.headDim, 16);
    EXPECT_THAT(packed.shape, ElementsAre(192, 64));
    EXPECT_THAT(partsOf(named(model, "embed_out.weight")), ElementsAre("lm_head.weight"));
    model.attention.kvHeads = 2;
    EXPECT_THROW(hfTensors(model), std::logic_error);
}

TEST(HfTensors, OfPhi3KeepGroupedKeysBelowTheQueries)
{
    ModelSpec model = small("phi3");
    model.attention.kvHeads = 1;
    EXPECT_THAT(named(model, "model.layers.1.self_attn.qkv_proj.weight").shape, ElementsAre(96, 64));
    EXPECT_THAT(partsOf(named(model, "model.layers.1.mlp.gate_up_proj.weight")),
        ElementsAre("model.layers.1.mlp.gate_proj.weight", "model.layers.1.mlp.up_proj.weight"));
}

TEST(HfTensors, OfMixtralNumberTheirExperts)
{
    const ModelSpec model = small("mixtral");
    EXPECT_THAT(partsOf(named(model, "model.layers.2.block_sparse_moe.experts.3.w2.weight")),
        ElementsAre("model.layers.2.mlp.experts.3.down_proj.weight"));
    EXPECT_THAT(hfTensors(model), Contains(Field(&HfTensor::name, "model.layers.0.block_sparse_moe.gate.weight")));
}

TEST(HfTensors, MayStandBesideWhatFollowsFromTheConfiguration)
{
    const ModelSpec gpt2 = small("gpt2"), neox = small("gpt_neox"), llama = small("llama");
    EXPECT_TRUE(isDerivedHfTensor(gpt2, "transformer.h.0.attn.bias"));
    EXPECT_TRUE(isDerivedHfTensor(gpt2, "h.0.attn.masked_bias"));
    EXPECT_TRUE(isDerivedHfTensor(gpt2, "lm_head.weight")) << "tied";
    EXPECT_FALSE(isDerivedHfTensor(gpt2, "transformer.h.0.attn.c_attn.bias"));
    EXPECT_TRUE(isDerivedHfTensor(neox, "gpt_neox.layers.0.attention.rotary_emb.inv_freq"));
    EXPECT_FALSE(isDerivedHfTensor(neox, "embed_out.weight"));
    ModelSpec tied = neox;
    tied.head.tied = true;
    EXPECT_TRUE(isDerivedHfTensor(tied, "embed_out.weight"));
    EXPECT_FALSE(isDerivedHfTensor(llama, "lm_head.weight"));
    EXPECT_FALSE(isDerivedHfTensor(llama, "model.layers.0.attn.bias"));
}

TEST(HfTensors, HaveWholeNamesWhereFilesShortenThem)
{
    EXPECT_EQ(wholeHfName(small("gpt2"), "h.0.ln_1.weight"), "transformer.h.0.ln_1.weight");
    EXPECT_EQ(wholeHfName(small("gpt2"), "transformer.h.0.ln_1.weight"), "transformer.h.0.ln_1.weight");
    EXPECT_EQ(wholeHfName(small("gpt2"), "lm_head.weight"), "lm_head.weight");
    EXPECT_EQ(wholeHfName(small("llama"), "norm.weight"), "norm.weight");
}

} // namespace
} // namespace slipway
