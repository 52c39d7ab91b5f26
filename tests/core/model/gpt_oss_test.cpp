// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// GPT-OSS, which only plans of frameworks describe: config.json and weights.
#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>

#include "model/hf_config.h"
#include "model/model_weights.h"

namespace slipway {
namespace {

using Json = nlohmann::json;

// The published config.json of openai/gpt-oss-20b, without its list of layer types.
Json published()
{
    return {{"architectures", {"GptOssForCausalLM"}}, {"attention_bias", true}, {"attention_dropout", 0.0},
        {"eos_token_id", 200002}, {"experts_per_token", 4}, {"head_dim", 64}, {"hidden_act", "silu"},
        {"hidden_size", 2880}, {"initial_context_length", 4096}, {"initializer_range", 0.02},
        {"intermediate_size", 2880}, {"max_position_embeddings", 131072}, {"model_type", "gpt_oss"},
        {"num_attention_heads", 64}, {"num_experts_per_tok", 4}, {"num_hidden_layers", 24}, {"num_key_value_heads", 8},
        {"num_local_experts", 32}, {"output_router_logits", false}, {"pad_token_id", 199999},
        {"quantization_config", {{"quant_method", "mxfp4"}}}, {"rms_norm_eps", 1e-05},
        {"rope_scaling", {{"beta_fast", 32.0}, {"beta_slow", 1.0}, {"factor", 32.0},
                             {"original_max_position_embeddings", 4096}, {"rope_type", "yarn"}, {"truncate", false}}},
        {"rope_theta", 150000}, {"router_aux_loss_coef", 0.9}, {"sliding_window", 128}, {"swiglu_limit", 7.0},
        {"tie_word_embeddings", false}, {"use_cache", true}, {"vocab_size", 201088}};
}

ModelSpec modelOf(const Json &json)
{
    const Result<ModelSpec> model = modelFromHfConfig(json.dump(), "config.json");
    EXPECT_TRUE(model) << model.error().message();
    return model ? *model : ModelSpec{};
}

TEST(GptOss, HasAsManyParametersAsPublished)
{
    EXPECT_EQ(parameterCount(modelOf(published())), 20'914'757'184);
    Json large = published();
    large["num_hidden_layers"] = 36;
    large["num_local_experts"] = 128;
    EXPECT_EQ(parameterCount(modelOf(large)), 116'829'156'672);
}

TEST(GptOss, HasSinksBiasesWindowsAndYarn)
{
    const ModelSpec model = modelOf(published());
    EXPECT_TRUE(model.attention.sinks && model.attention.qkvBias && model.attention.outBias);
    EXPECT_TRUE(model.mlp.bias && model.mlp.onePlusUp && model.experts.routerBias);
    EXPECT_FALSE(model.experts.softmaxBeforeTopK);
    EXPECT_EQ(model.mlp.limit, 7);
    EXPECT_EQ(model.kindOf(0).window, 128);
    EXPECT_EQ(model.kindOf(1).window, 0);
    const Rope expected{
        .base = 150'000, .scaling = RopeScaling::Yarn, .factor = 32, .trainedPositions = 4096, .truncates = false};
    EXPECT_EQ(model.ropes, std::vector{expected});
}

TEST(GptOss, TakesTheDefaultsOfItsClass)
{
    Json few = published();
    for (const char *key : {"head_dim", "rope_scaling", "rope_theta", "sliding_window", "swiglu_limit"})
        few.erase(key);
    const ModelSpec model = modelOf(few);
    EXPECT_EQ(model, modelOf(published()));
    few["rope_scaling"] = {{"rope_type", "default"}};
    EXPECT_EQ(modelOf(few).rope().scaling, RopeScaling::Default);
}

TEST(GptOss, RefusesAnotherGate)
{
    Json other = published();
    other["swiglu_alpha"] = 1.5;
    EXPECT_FALSE(modelFromHfConfig(other.dump(), "config.json"));
    other = published();
    other["swiglu_limit"] = -1;
    EXPECT_EQ(modelFromHfConfig(other.dump(), "config.json").error().message(),
        "config.json:1: swiglu_limit: -1 is out of range (accepted: above 0, or 0 for none)");
}

TEST(GptOss, ItsWeightsAreItsParameters)
{
    Json small = published();
    small["num_hidden_layers"] = 2;
    const ModelSpec model = modelOf(small);
    const std::vector<ModelWeight> weights = modelWeights(model);
    std::int64_t elements = 0;
    for (const ModelWeight &weight : weights)
        elements +=
            std::accumulate(weight.shape.begin(), weight.shape.end(), std::int64_t{1}, std::multiplies<std::int64_t>());
    EXPECT_EQ(elements, parameterCount(model));
    for (const char *name : {"model.layers.1.self_attn.sinks", "model.layers.1.mlp.gate.bias",
             "model.layers.1.mlp.experts.31.gate_proj.bias", "model.layers.1.mlp.experts.0.down_proj.bias"})
        EXPECT_EQ(std::ranges::count(weights, name, &ModelWeight::name), 1) << name;
}

TEST(GptOss, IsWrittenAsItIsRead)
{
    const ModelSpec model = modelOf(published());
    const Result<std::string> text = hfConfigOf(model, {.type = "bfloat16", .positions = 131072});
    ASSERT_TRUE(text) << text.error().message();
    EXPECT_EQ(Json::parse(*text)["architectures"][0], "GptOssForCausalLM");
}

} // namespace
} // namespace slipway
