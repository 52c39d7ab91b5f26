// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/model/hf_fixtures.h"
#include "model/families.h"
#include "support/family_models.h"

namespace slipway {
namespace {

// The sizes without which a configuration of the family says no model.
std::vector<std::string> sizesOf(std::string_view type)
{
    if (type == "gpt2")
        return {"n_embd", "n_layer", "n_head", "n_positions", "vocab_size"};
    std::vector<std::string> sizes{"num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size"};
    if (type == "opt")
        sizes.insert(sizes.end(), {"ffn_dim", "max_position_embeddings"});
    else
        sizes.emplace_back(
            type.starts_with("qwen") && type.ends_with("moe") ? "moe_intermediate_size" : "intermediate_size");
    if (type == "qwen2_moe")
        sizes.emplace_back("shared_expert_intermediate_size");
    if (type == "mixtral" || type.ends_with("moe"))
        sizes.insert(sizes.end(), {"num_experts_per_tok", type == "mixtral" ? "num_local_experts" : "num_experts"});
    return sizes;
}

TEST(HfConfig, SaysOfEveryFamilyWhichSizeIsMissing)
{
    for (const ModelFamily &family : modelFamilies()) {
        const std::string text =
            hfConfigOf(testing::smallModelOf(family), {.type = "float32", .positions = 64}).value();
        for (const std::string &size : sizesOf(family.type)) {
            nlohmann::json json = nlohmann::json::parse(text);
            ASSERT_EQ(json.erase(size), 1U) << family.type << ": " << size;
            const Result<ModelSpec> model = read(json.dump());
            ASSERT_FALSE(model) << family.type << ": " << size;
            EXPECT_EQ(model.error().what, "the key '" + size + "' is missing") << family.type;
        }
    }
}

// A config.json with one key to a line, as Transformers writes it.
std::string linesOf(const nlohmann::ordered_json &json) { return json.dump(2); }

nlohmann::ordered_json llamaJson()
{
    return {{"model_type", "llama"}, {"num_hidden_layers", 4}, {"hidden_size", 64}, {"num_attention_heads", 4},
        {"num_key_value_heads", 2}, {"intermediate_size", 96}, {"vocab_size", 100}, {"rms_norm_eps", 1e-5},
        {"rope_scaling", {{"rope_type", "linear"}, {"factor", 2.0}}}};
}

std::string messageWith(const std::string &key, const nlohmann::ordered_json &value)
{
    nlohmann::ordered_json json = llamaJson();
    json[nlohmann::ordered_json::json_pointer(key)] = value;
    const Result<ModelSpec> model = read(linesOf(json));
    return model ? "accepted" : model.error().message();
}

TEST(HfErrors, NameTheLineAndTheKeyOfContradictorySizes)
{
    EXPECT_EQ(messageWith("/num_key_value_heads", 3),
        "config.json:6: num_key_value_heads: 3 key-value heads do not divide the 4 attention heads "
        "(accepted: 2 or 4)");
    EXPECT_EQ(messageWith("/hidden_size", 66),
        "config.json:4: hidden_size: hidden size 66 is not a multiple of 4 heads "
        "(accepted: a multiple of 4, or 3 or 6 heads)");
    EXPECT_EQ(messageWith("/head_dim", 15),
        "config.json:14: head_dim: RoPE needs an even head dimension; it is 15 (accepted: an even number)");
    EXPECT_EQ(messageWith("/vocab_size", 1), "config.json:8: vocab_size: 1 is out of range (accepted: 2 to 10000000)");
    EXPECT_EQ(messageWith("/rms_norm_eps", 7.0),
        "config.json:9: rms_norm_eps: 7 is out of range (accepted: 0 to 1, usually 1e-5)");
    EXPECT_EQ(messageWith("/rope_theta", 0),
        "config.json:14: rope_theta: 0 is not a valid RoPE base (accepted: above 0, usually 10000)");
}

TEST(HfErrors, NameTheLineOnWhichTheObjectBeginsThatLacksAKey)
{
    nlohmann::ordered_json json = llamaJson();
    json.erase("hidden_size");
    EXPECT_EQ(read(linesOf(json)).error().message(),
        "config.json:1: the key 'hidden_size' is missing (accepted: a config.json with the model's sizes)");
    json.erase("model_type");
    EXPECT_TRUE(read("\n" + linesOf(json)).error().message().starts_with("config.json:2: the key 'model_type' is"));
    EXPECT_TRUE(read("\n[]").error().message().starts_with("config.json:2: is not a JSON object"));
    EXPECT_TRUE(read("{\n\"a\": }").error().message().starts_with("config.json:2: is not valid JSON at column 6"));
}

// What no key of the setting's own gave names the key from which it follows.
TEST(HfErrors, NameTheKeyFromWhichAValueFollows)
{
    nlohmann::ordered_json wide = llamaJson();
    wide["hidden_size"] = 131072;
    wide["num_attention_heads"] = wide["num_key_value_heads"] = 2;
    EXPECT_EQ(read(linesOf(wide)).error().message(),
        "config.json:5: num_attention_heads: 65536 is out of range (accepted: 1 to 4096)");
    const auto withLine = [](const char *type, const std::string &line) {
        const auto model = readType(type, ",\n" + line);
        return model ? "accepted" : model.error().where + " " + model.error().what;
    };
    EXPECT_EQ(withLine("gemma2", R"("query_pre_attn_scalar": 1e-20)"),
        "config.json:3 query_pre_attn_scalar: 10000000000 is out of range");
    EXPECT_EQ(
        withLine("gemma2", R"("query_pre_attn_scalar": 0)"), "config.json:3 'query_pre_attn_scalar' is not above 0");
    EXPECT_EQ(
        withLine("granite", R"("embedding_multiplier": -1)"), "config.json:3 embedding_multiplier: -1 is out of range");
    EXPECT_EQ(
        withLine("granite", R"("residual_multiplier": 0)"), "config.json:3 residual_multiplier: 0 is out of range");
    EXPECT_EQ(
        withLine("granite", R"("attention_multiplier": -1)"), "config.json:3 attention_multiplier: -1 is out of range");
    EXPECT_EQ(withLine("granite", R"("logits_scaling": 1e9)"), "config.json:3 logits_scaling: 1e-09 is out of range");
    EXPECT_EQ(withLine("gemma3_text", R"("rope_local_base_freq": 0)"),
        "config.json:3 rope_local_base_freq: 0 is not a valid RoPE base");
    EXPECT_EQ(withLine("llama", "\"rope_parameters\": {\n\"rope_theta\": -1}"),
        "config.json:4 rope_theta: -1 is not a valid RoPE base");
}

TEST(HfErrors, NameTheLineWithinAnObject)
{
    EXPECT_EQ(messageWith("/rope_scaling/factor", "x"), "config.json:12: 'factor' is \"x\" (accepted: a number)");
    EXPECT_TRUE(messageWith("/rope_scaling/rope_type", "novel").starts_with("config.json:11: the RoPE scaling is"));
    EXPECT_TRUE(messageWith("/rope_scaling/surprise", 1).starts_with("config.json:13: 'surprise' is 1"));
    EXPECT_TRUE(messageWith("/rope_scaling/factor", nullptr).starts_with("config.json:10: the RoPE scaling has no"));
}

TEST(HfErrors, NameTheLineOfTheTypeAndOfUnknownKeys)
{
    EXPECT_TRUE(messageWith("/model_type", "novel").starts_with("config.json:2: unknown model_type 'novel'"));
    EXPECT_TRUE(messageWith("/novel_gate", true).starts_with("config.json:14: 'novel_gate' is true"));
    const nlohmann::ordered_json vision{
        {"architectures", {"X"}}, {"model_type", "llava"}, {"vision_config", {{"a", 1}}}};
    EXPECT_TRUE(read(linesOf(vision))
            .error()
            .message()
            .starts_with("config.json:5: 'llava' is a vision-language model, which is not supported"));
}

// Of every family, so that a new one comes with the keys of its settings.
TEST(HfErrors, NameALineForEverySizeOfEveryFamily)
{
    for (const ModelFamily &family : modelFamilies()) {
        const std::string text =
            hfConfigOf(testing::smallModelOf(family), {.type = "float32", .positions = 64}).value();
        for (const std::string &size : sizesOf(family.type)) {
            if (size == "num_local_experts" || size == "num_experts")
                continue; // a model without experts is possible
            nlohmann::ordered_json json = nlohmann::ordered_json::parse(text);
            json[size] = 0;
            const Result<ModelSpec> model = read(linesOf(json));
            if (size == "shared_expert_intermediate_size" || (size == "n_positions" && model))
                continue;
            ASSERT_FALSE(model) << family.type << ": " << size;
            EXPECT_TRUE(model.error().where.starts_with("config.json:"))
                << family.type << ": " << size << ": " << model.error().message();
        }
    }
}

} // namespace
} // namespace slipway
