// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/hf_config.h"

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace slipway {
namespace {

Result<ModelSpec> read(std::string_view json) { return modelFromHfConfig(json, "config.json"); }

TEST(HfConfig, ReadsALlamaWithGroupedQueriesAndTiedEmbeddings)
{
    const auto model =
        read(R"({"model_type": "llama", "num_hidden_layers": 16, "hidden_size": 2048, "num_attention_heads": 32,
        "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 8192, "vocab_size": 128256,
        "tie_word_embeddings": true,
        "rope_theta": 500000.0, "rms_norm_eps": 1e-05})");
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_EQ(parameterCount(*model), 1'235'814'400);
    EXPECT_EQ(model->ropeTheta, 500000.0);
}

// Transformers 5 writes all that it knows of rotations into an object of its own.
TEST(HfConfig, ReadsTheBaseOfRotationsWhereverItStands)
{
    const std::string sizes =
        R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4,
        "intermediate_size": 128, "vocab_size": 256)";
    EXPECT_EQ(
        read(sizes + R"(, "rope_parameters": {"rope_theta": 500000.0, "rope_type": "default"}})").value().ropeTheta,
        500000.0);
    EXPECT_EQ(
        read(sizes + R"(, "rope_theta": 20000, "rope_scaling": {"type": "linear", "factor": 2.0}})").value().ropeTheta,
        20000.0);
    EXPECT_EQ(read(sizes + R"(, "rope_scaling": null})").value().ropeTheta, 10000.0);
    EXPECT_FALSE(read(sizes + R"(, "rope_parameters": {"rope_theta": "x"}})"));
    EXPECT_FALSE(read(sizes + R"(, "rope_theta": 0})"));
}

TEST(HfConfig, ReadsGpt2ByItsOwnKeys)
{
    const auto model = read(
        R"({"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024,
        "vocab_size": 50257})");
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_EQ(parameterCount(*model), 124'439'808);
    EXPECT_TRUE(model->unfusedGelu) << "gelu_new and dropout of 0.1 are its configuration's defaults";
    EXPECT_TRUE(model->dropout);
    const auto plain = read(
        R"({"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024, "vocab_size": 50257,
        "activation_function": "gelu_pytorch_tanh", "resid_pdrop": 0.0, "attn_pdrop": 0})");
    ASSERT_TRUE(plain);
    EXPECT_FALSE(plain->unfusedGelu);
    EXPECT_FALSE(plain->dropout) << "what the file says of dropout counts";
    EXPECT_FALSE(read(
        R"({"model_type": "gpt2", "n_layer": 1, "n_embd": 8, "n_head": 1, "n_positions": 8, "vocab_size": 9,
        "activation_function": 3})"));
}

TEST(HfConfig, KnowsWhatFamiliesLeaveUnsaid)
{
    const auto qwen =
        read(R"({"model_type": "qwen2", "num_hidden_layers": 24, "hidden_size": 896, "num_attention_heads": 14,
        "num_key_value_heads": 2, "intermediate_size": 4864, "vocab_size": 151936, "tie_word_embeddings": true})");
    ASSERT_TRUE(qwen);
    EXPECT_EQ(parameterCount(*qwen), 494'032'768);
    const auto pythia =
        read(R"({"model_type": "gpt_neox", "num_hidden_layers": 16, "hidden_size": 2048, "num_attention_heads": 8,
        "intermediate_size": 8192, "vocab_size": 50304, "tie_word_embeddings": false})");
    ASSERT_TRUE(pythia);
    EXPECT_EQ(parameterCount(*pythia), 1'011'781'632);
    EXPECT_TRUE(pythia->parallelBlock && pythia->partialRope && !pythia->splitQkv);
    const auto phi =
        read(R"({"model_type": "phi", "num_hidden_layers": 24, "hidden_size": 2048, "num_attention_heads": 32,
        "intermediate_size": 8192, "vocab_size": 51200, "tie_word_embeddings": false})");
    ASSERT_TRUE(phi);
    EXPECT_EQ(parameterCount(*phi), 1'418'270'720);
    EXPECT_TRUE(phi->parallelBlock && phi->partialRope && phi->splitQkv);
    const auto mixtral = read(
        R"({"model_type": "mixtral", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "intermediate_size": 14336, "vocab_size": 32000, "num_local_experts": 8, "num_experts_per_tok": 2})");
    ASSERT_TRUE(mixtral);
    EXPECT_EQ(parameterCount(*mixtral), 46'702'792'704);
    const auto opt = read(
        R"({"model_type": "opt", "num_hidden_layers": 12, "hidden_size": 768,
        "num_attention_heads": 12, "ffn_dim": 3072,
        "max_position_embeddings": 2048, "vocab_size": 50272, "word_embed_proj_dim": 768})");
    ASSERT_TRUE(opt);
    EXPECT_EQ(parameterCount(*opt), 125'239'296);
    EXPECT_TRUE(opt->relu && opt->splitQkv && !opt->parallelBlock);
}

TEST(HfConfig, SaysWhichKeyIsMissingOrWrong)
{
    EXPECT_NE(read(R"({"model_type": "llama"})").error().message().find("num_hidden_layers"), std::string::npos);
    const auto wrong = read(R"({"model_type": "llama", "num_hidden_layers": "two"})");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(
        wrong.error().message(), "config.json: 'num_hidden_layers' is \"two\" (accepted: an integer of 0 or more)");
    EXPECT_FALSE(read(R"({"model_type": "llama", "num_hidden_layers": -1})"));
    EXPECT_FALSE(read(R"({"model_type": "llama", "num_hidden_layers": 1e99})"));
}

TEST(HfConfig, RefusesUnknownTypesAndListsThoseThatItKnows)
{
    const auto model = read(R"({"model_type": "mamba"})");
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().accepted.find("llama, mistral"), std::string::npos);
}

TEST(HfConfig, RefusesAHiddenSizeThatHeadsDoNotDivide)
{
    const auto model =
        read(R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 100, "num_attention_heads": 3,
        "intermediate_size": 10, "vocab_size": 100})");
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().message().find("not a multiple"), std::string::npos);
}

TEST(HfConfig, RefusesEmbeddingsThatAreNarrowerThanTheModel)
{
    EXPECT_FALSE(read(
        R"({"model_type": "opt", "num_hidden_layers": 24, "hidden_size": 1024,
        "num_attention_heads": 16, "ffn_dim": 4096,
        "max_position_embeddings": 2048, "vocab_size": 50272, "word_embed_proj_dim": 512})"));
}

TEST(HfConfig, SurvivesAnyKeyWithAnyValue)
{
    const std::string_view keys[] = {"num_hidden_layers", "hidden_size", "num_attention_heads", "num_key_value_heads",
        "head_dim", "intermediate_size", "vocab_size", "tie_word_embeddings", "rope_theta", "rms_norm_eps",
        "attention_bias", "num_local_experts", "num_experts_per_tok", "word_embed_proj_dim", "_name_or_path",
        "model_type", "rope_parameters"};
    const std::string_view values[] = {
        "0", "-1", "1.5", "1e400", "99999999999999999999", "2147483647", "null", "true", "\"x\"", "[]", "{}", "[[1]]"};
    for (const std::string_view key : keys) {
        for (const std::string_view value : values) {
            std::string text = "{";
            for (const std::string_view other : keys) {
                const std::string usual = other == "model_type"                                            ? "\"llama\""
                                          : other == "_name_or_path"                                       ? "\"m\""
                                          : other == "tie_word_embeddings" || other == "attention_bias"    ? "true"
                                          : other == "num_local_experts" || other == "num_experts_per_tok" ? "0"
                                          : other == "rope_parameters"                                     ? "null"
                                                                                                           : "64";
                text += (text.size() > 1 ? ", \"" : "\"") + std::string(other) +
                        "\": " + (other == key ? std::string(value) : usual);
            }
            if (const auto model = read(text + "}"); !model) {
                EXPECT_TRUE(model.error().where.starts_with("config.json")) << model.error().message();
            }
        }
    }
}

TEST(HfConfig, SurvivesWhatIsNoConfiguration)
{
    std::string deep(100'000, '[');
    for (const std::string &text : {std::string(), std::string("[]"), std::string("{"), deep,
             std::string("{\"model_type\": 3}"), std::string("\0\0", 2), std::string("{\"a\":") + deep})
        EXPECT_FALSE(read(text));
    EXPECT_FALSE(readHfConfig("/nonexistent/config.json"));
}

// Whether Slipway's own trainer computes a model of this configuration; empty: it does.
std::string refusal(const std::string &keys)
{
    const TemporaryDirectory folder;
    writeText(folder.path() / "config.json", R"({"model_type": "llama", "hidden_size": 64)" + keys + "}");
    const Result<void> plain = requirePlainLlama(folder.path() / "config.json");
    return plain ? "" : plain.error().what;
}

TEST(PlainLlama, HasRotationsThatAreNeitherScaledNorPartial)
{
    EXPECT_EQ(refusal(""), "");
    EXPECT_EQ(refusal(R"(, "rope_scaling": null)"), "");
    EXPECT_EQ(refusal(R"(, "rope_parameters": {"rope_type": "default", "rope_theta": 10000})"), "");
    EXPECT_EQ(refusal(R"(, "partial_rotary_factor": 1.0)"), "");
    EXPECT_NE(refusal(R"(, "rope_scaling": {"factor": 2.0})").find("'linear'"), std::string::npos);
    EXPECT_NE(refusal(R"(, "rope_scaling": {"type": "dynamic", "factor": 2.0})").find("'dynamic'"), std::string::npos);
    EXPECT_NE(refusal(R"(, "rope_parameters": {"rope_type": "yarn"})").find("'yarn'"), std::string::npos);
    EXPECT_NE(refusal(R"(, "partial_rotary_factor": 0.5)"), "");
    EXPECT_NE(refusal(R"(, "rope_parameters": {"partial_rotary_factor": 0.5})"), "");
}

TEST(PlainLlama, GatesWithSiluAndIsNoGemma)
{
    EXPECT_EQ(refusal(R"(, "hidden_act": "silu")"), "");
    EXPECT_EQ(refusal(R"(, "hidden_act": "swish")"), "");
    EXPECT_NE(refusal(R"(, "hidden_act": "gelu")"), "");
    EXPECT_NE(refusal(R"(, "hidden_activation": "gelu_pytorch_tanh")"), "");
    EXPECT_NE(refusal(R"(, "model_type": "gemma")"), "");
}

} // namespace
} // namespace slipway
