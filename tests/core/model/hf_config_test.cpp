// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/hf_config.h"

#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sys/stat.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/model/hf_fixtures.h"
#include "model/families.h"
#include "support/family_models.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

TEST(HfConfig, ReadsALlamaWithGroupedQueriesAndTiedEmbeddings)
{
    const auto model =
        read(R"({"model_type": "llama", "num_hidden_layers": 16, "hidden_size": 2048, "num_attention_heads": 32,
        "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 8192, "vocab_size": 128256,
        "tie_word_embeddings": true,
        "rope_theta": 500000.0, "rms_norm_eps": 1e-05})");
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_EQ(parameterCount(*model), 1'235'814'400);
    EXPECT_EQ(model->ropes.front().base, 500000.0);
}

// Transformers 5 writes all that it knows of rotations into an object of its own.
TEST(HfConfig, ReadsTheBaseOfRotationsWhereverItStands)
{
    const std::string sizes =
        R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4,
        "intermediate_size": 128, "vocab_size": 256)";
    EXPECT_EQ(read(sizes + R"(, "rope_parameters": {"rope_theta": 500000.0, "rope_type": "default"}})")
                  .value()
                  .ropes.front()
                  .base,
        500000.0);
    EXPECT_EQ(read(sizes + R"(, "rope_theta": 20000, "rope_scaling": {"type": "linear", "factor": 2.0}})")
                  .value()
                  .ropes.front()
                  .base,
        20000.0);
    EXPECT_EQ(read(sizes + R"(, "rope_scaling": null})").value().ropes.front().base, 10000.0);
    EXPECT_FALSE(read(sizes + R"(, "rope_parameters": {"rope_theta": "x"}})"));
    EXPECT_FALSE(read(sizes + R"(, "rope_theta": 0})"));
}

TEST(HfConfig, AModelIsNamedByItsFileWithItsTypeBeside)
{
    const TemporaryDirectory home;
    const auto named = [&](const std::string &place, const std::string &written = "") {
        const std::filesystem::path file = home.path() / place;
        std::filesystem::create_directories(file.parent_path());
        writeText(file, R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64,
            "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 256)" +
                            (written.empty() ? "" : R"(, "_name_or_path": ")" + written + "\"") + "}");
        const Result<ModelSpec> model = readHfConfig(file);
        return model ? model->name : model.error().message();
    };
    EXPECT_EQ(named("Llama-3.2-1B/config.json"), "Llama-3.2-1B (llama)");
    EXPECT_EQ(named("small/my-model.json"), "my-model (llama)");
    EXPECT_EQ(named("llama/config.json"), "llama") << "says nothing more than the type";
    EXPECT_EQ(named("hub/models--meta-llama--Llama-3.2-1B/snapshots/4e20de362430cd3b/config.json"),
        "meta-llama/Llama-3.2-1B (llama)");
    EXPECT_EQ(named("a/config.json", "meta-llama/Llama-3.2-1B"), "meta-llama/Llama-3.2-1B (llama)");
    EXPECT_EQ(named("a/config.json", "/data/out/checkpoint-500/"), "checkpoint-500 (llama)");
    EXPECT_EQ(named("a/config.json", R"(C:\\out\\tiny)"), "tiny (llama)");
    EXPECT_EQ(named("a/config.json", R"(tiny\n\u0007one)"), "tiny  one (llama)");
    EXPECT_EQ(named("a/config.json", std::string(500, 'x')), std::string(60, 'x') + "… (llama)");
}

TEST(HfConfig, ReadsGpt2ByItsOwnKeys)
{
    const auto model = read(
        R"({"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024,
        "vocab_size": 50257})");
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_EQ(parameterCount(*model), 124'439'808);
    EXPECT_TRUE(model->mlp.byParts) << "gelu_new and dropout of 0.1 are its configuration's defaults";
    EXPECT_TRUE(model->dropout);
    const auto plain = read(
        R"({"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024, "vocab_size": 50257,
        "activation_function": "gelu_pytorch_tanh", "resid_pdrop": 0.0, "attn_pdrop": 0})");
    ASSERT_TRUE(plain);
    EXPECT_FALSE(plain->mlp.byParts);
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
    EXPECT_TRUE(pythia->block.parallel && pythia->partialRope() && !pythia->attention.splitQkv);
    const auto phi =
        read(R"({"model_type": "phi", "num_hidden_layers": 24, "hidden_size": 2048, "num_attention_heads": 32,
        "intermediate_size": 8192, "vocab_size": 51200, "tie_word_embeddings": false})");
    ASSERT_TRUE(phi);
    EXPECT_EQ(parameterCount(*phi), 1'418'270'720);
    EXPECT_TRUE(phi->block.parallel && phi->partialRope() && phi->attention.splitQkv);
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
    EXPECT_TRUE(opt->mlp.hasRelu() && opt->attention.splitQkv && !opt->block.parallel);
    const auto arcee =
        read(R"({"model_type": "arcee", "num_hidden_layers": 1, "hidden_size": 64, "num_attention_heads": 4,
        "intermediate_size": 128, "vocab_size": 100, "tie_word_embeddings": false})");
    ASSERT_TRUE(arcee);
    EXPECT_EQ(parameterCount(*arcee), 2 * 6400 + 4 * 64 * 64 + 2 * 64 * 128 + 3 * 64) << "an MLP without a gate";
}

TEST(HfConfig, TheContextIsAsLongAsThePositions)
{
    const std::string sizes =
        R"("num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 99)";
    const auto rope =
        read(R"({"model_type": "llama", "intermediate_size": 96, "max_position_embeddings": 4096, )" + sizes + "}");
    ASSERT_TRUE(rope) << rope.error().message();
    EXPECT_EQ(rope->longestSequence(), 4096);
    EXPECT_EQ(rope->embedding.positions, 0);
    const auto unknown = read(R"({"model_type": "llama", "intermediate_size": 96, )" + sizes + "}");
    ASSERT_TRUE(unknown) << unknown.error().message();
    EXPECT_EQ(unknown->longestSequence(), 0);
    const auto learned =
        read(R"({"model_type": "opt", "ffn_dim": 96, "max_position_embeddings": 2048, )" + sizes + "}");
    ASSERT_TRUE(learned) << learned.error().message();
    EXPECT_EQ(learned->longestSequence(), 2048);
    EXPECT_EQ(learned->embedding.positions, 2050);
    EXPECT_EQ(learned->contextLength, 0);
    EXPECT_FALSE(
        read(R"({"model_type": "llama", "intermediate_size": 96, "max_position_embeddings": -1, )" + sizes + "}"));
}

TEST(HfConfig, SaysWhichKeyIsMissingOrWrong)
{
    EXPECT_NE(read(R"({"model_type": "llama"})").error().message().find("num_hidden_layers"), std::string::npos);
    const auto wrong = read(R"({"model_type": "llama", "num_hidden_layers": "two"})");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(
        wrong.error().message(), "config.json:1: 'num_hidden_layers' is \"two\" (accepted: an integer of 0 or more)");
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

TEST(HfConfig, MayBeALinkAndNotAPipe)
{
    const TemporaryDirectory folder;
    std::ofstream(folder.path() / "blob") << "[]";
    std::filesystem::create_symlink("blob", folder.path() / "linked.json"); // as in the cache of Hugging Face
    const auto linked = readHfConfig(folder.path() / "linked.json");
    ASSERT_FALSE(linked);
    EXPECT_EQ(linked.error().message().find("is a symbolic link"), std::string::npos) << linked.error().message();
    ASSERT_EQ(::mkfifo((folder.path() / "config.json").c_str(), 0600), 0);
    const auto pipe = readHfConfig(folder.path() / "config.json");
    ASSERT_FALSE(pipe);
    EXPECT_NE(pipe.error().message().find("config.json: is a pipe"), std::string::npos) << pipe.error().message();
}

TEST(HfConfig, ThatIsTooLargeSaysWhatIsAccepted)
{
    const TemporaryDirectory folder;
    const std::filesystem::path file = folder.path() / "config.json";
    std::ofstream(file) << "{}";
    std::filesystem::resize_file(file, 50'000'000);
    const auto model = readHfConfig(file);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().message(),
        file.string() + ": is larger than 1048576 bytes (accepted: the config.json of a Hugging Face model)");
}

TEST(HfConfig, SurvivesWhatIsNoConfiguration)
{
    const std::string deep(100'000, '[');
    for (const std::string &text : {std::string(), std::string("[]"), std::string("{"), deep,
             std::string("{\"model_type\": 3}"), std::string("\0\0", 2), std::string("{\"a\":") + deep})
        EXPECT_FALSE(read(text));
    EXPECT_FALSE(readHfConfig("/nonexistent/config.json"));
}

TEST(HfKeys, ThatAreNotUnderstoodAreErrors)
{
    const auto model = readType("llama", R"(, "sliding_window": 7)");
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().message(),
        "config.json:2: 'sliding_window' is 7, which is not supported for models of type llama "
        "(accepted: a config.json without this key)");
    EXPECT_TRUE(readType("llama", R"(, "sliding_window": null, "rope_parameters": {}, "use_cache": false)")
                    .error()
                    .what.find("sliding_window") != std::string::npos);
    EXPECT_FALSE(readType("llama", R"(, "rope_scaling": {"rope_type": "linear", "factor": 2, "surprise": 1})"));
    EXPECT_FALSE(readType("qwen2_moe", R"(, "decoder_sparse_step": 2)"));
}

// As in the files of Qwen2.5 and Phi-4-mini.
TEST(HfKeys, ThatSayThatAFeatureIsOffAreTaken)
{
    EXPECT_TRUE(readType("qwen2", R"(, "use_mrope": false, "use_sliding_window": false)"));
    EXPECT_FALSE(readType("qwen2", R"(, "use_mrope": true)"));
    EXPECT_TRUE(readType("phi3", R"(, "full_attn_mod": 1, "interpolate_factor": 1, "lm_head_bias": false)"));
    EXPECT_FALSE(readType("phi3", R"(, "lm_head_bias": true)"));
}

TEST(HfKeys, OfAModelOfImagesSaySo)
{
    const auto model = read(R"({"model_type": "gemma3", "text_config": {}, "vision_config": {}})");
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().what.find("vision-language model"), std::string::npos);
}

// A window of one layer is never read as none.
TEST(HfWindows, AreThoseOfTheLayersThatHaveThem)
{
    EXPECT_EQ(readType("mistral", "").value().pattern, std::vector{LayerKind{.window = 4096}}) << "of the class";
    EXPECT_EQ(readType("mistral", R"(, "sliding_window": null)").value().pattern, std::vector{LayerKind{}});
    EXPECT_EQ(readType("mistral", R"(, "sliding_window": 7)").value().pattern, std::vector{LayerKind{.window = 7}});
    EXPECT_EQ(readType("qwen2", R"(, "sliding_window": 7)").value().pattern, std::vector{LayerKind{}})
        << "use_sliding_window is false";
    const std::vector<LayerKind> later{{}, {}, {}, {.window = 7}};
    EXPECT_EQ(readType("qwen2", R"(, "use_sliding_window": true, "sliding_window": 7, "max_window_layers": 3)")
                  .value()
                  .pattern,
        later);
    const std::vector<LayerKind> alternating{{.window = 7}, {}, {.window = 7}, {}};
    EXPECT_EQ(readType("gemma2", R"(, "head_dim": 16, "sliding_window": 7)").value().pattern, alternating);
    const std::vector<LayerKind> local{
        {.window = 7, .rope = 1}, {.window = 7, .rope = 1}, {}, {.window = 7, .rope = 1}};
    EXPECT_EQ(readType("gemma3_text", R"(, "head_dim": 16, "sliding_window": 7, "sliding_window_pattern": 3)")
                  .value()
                  .pattern,
        local);
    const std::vector<LayerKind> smol{{}, {}, {}, {.rope = kNoRope}};
    EXPECT_EQ(readType("smollm3", "").value().pattern, smol);
    EXPECT_FALSE(readType("qwen2", R"(, "layer_types": ["full_attention"])")) << "one of four";
    EXPECT_FALSE(readType("qwen2", R"(, "layer_types": ["a", "b", "c", "d"])"));
}

TEST(HfRopes, AreReadWithTheirScaling)
{
    const auto llama = readType("llama", R"(, "rope_theta": 5e5, "rope_scaling": {"rope_type": "llama3", "factor": 32,
        "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192})");
    ASSERT_TRUE(llama) << llama.error().message();
    const Rope expected{.base = 5e5, .scaling = RopeScaling::Llama3, .factor = 32, .trainedPositions = 8192};
    EXPECT_EQ(llama->ropes, std::vector{expected});
    EXPECT_FALSE(readType("llama", R"(, "rope_scaling": {"rope_type": "yarn"})")) << "without a factor";
    EXPECT_FALSE(readType("llama", R"(, "rope_scaling": {"rope_type": "novel", "factor": 2})"));
    EXPECT_EQ(readType("phi3", R"(, "partial_rotary_factor": 0.5)").value().rope().fraction, 0.5);
}

std::string refusalOf(const std::string &type, const std::string &more)
{
    const Result<ModelSpec> model = readType(type, more);
    return model ? "accepted" : model.error().what;
}

// The other classes read it without a word, and rotate whole heads.
TEST(HfRopes, RotateAPartOfAHeadOnlyInTheFamiliesWhoseClassDoes)
{
    const std::set<std::string_view> partial{"phi", "phi3", "stablelm", "gpt_neox"};
    for (const ModelFamily &family : modelFamilies()) {
        const ModelSpec small = testing::smallModelOf(family);
        if (small.position != Position::Rope)
            continue;
        const auto json = nlohmann::json::parse(hfConfigOf(small, {.type = "float32", .positions = 64}).value());
        const auto with = [&](const char *path, double fraction) {
            nlohmann::json changed = json;
            changed.erase(family.type == "gpt_neox" ? "rotary_pct" : "partial_rotary_factor");
            changed.erase("rope_scaling");
            changed[nlohmann::json::json_pointer(path)] = fraction;
            const Result<ModelSpec> model = read(changed.dump());
            return model ? fmt::format("{}", model->rope().fraction) : model.error().what;
        };
        const std::string top = family.type == "gpt_neox" ? "/rotary_pct" : "/partial_rotary_factor";
        const std::string within =
            family.type == "gemma3_text" ? "/rope_parameters/full_attention" : "/rope_parameters";
        for (const std::string &path : {top, within + "/partial_rotary_factor"}) {
            if (partial.contains(family.type))
                EXPECT_EQ(with(path.c_str(), 0.5), "0.5") << family.type << path;
            else
                EXPECT_NE(with(path.c_str(), 0.5).find("partial_rotary_factor"), std::string::npos)
                    << family.type << path;
        }
        if (family.type != "gemma3_text") {
            EXPECT_EQ(with(top.c_str(), 1), "1") << family.type;
        }
    }
    EXPECT_EQ(refusalOf("gpt_neox", R"(, "rotary_pct": 0.5, "partial_rotary_factor": 0.25)"),
        "'partial_rotary_factor' is 0.25, but Transformers' class reads 'rotary_pct', which is 0.5");
    EXPECT_EQ(refusalOf("gpt_neox", R"(, "rope_theta": 500000)"),
        "'rope_theta' is 500000, but Transformers' class reads 'rotary_emb_base', which is 10000");
    EXPECT_EQ(refusalOf("gpt_neox", R"(, "rotary_emb_base": 500000, "rope_theta": 500000.0)"), "accepted");
}

TEST(HfRopes, AreNotRotatedByAnOddNumberOfDimensions)
{
    EXPECT_EQ(refusalOf("gpt_neox", R"(, "rotary_pct": 0.2)"),
        "rotary_pct: RoPE cannot rotate 3 of the 16 dimensions of a head, an odd number");
    EXPECT_EQ(refusalOf("gpt_neox", R"(, "rotary_pct": 0.3)"), "accepted") << "4 of 16";
}

// Transformers takes the older name, and a reader of the file may take the newer one.
TEST(HfRopes, AreNotReadFromTwoObjectsThatDiffer)
{
    const std::string linear = R"({"rope_type": "linear", "factor": 2.0, "rope_theta": 10000.0})";
    const std::string other = R"({"rope_type": "linear", "factor": 4.0, "rope_theta": 10000.0})";
    const auto with = [](const std::string &parameters, const std::string &scaling) {
        return R"(, "rope_parameters": )" + parameters + R"(, "rope_scaling": )" + scaling;
    };
    for (const char *type : {"llama", "gpt_neox"}) {
        EXPECT_EQ(refusalOf(type, with(linear, other)), "'rope_scaling' and 'rope_parameters' differ") << type;
        EXPECT_EQ(readType(type, with(linear, linear)).value().rope().factor, 2) << type;
        EXPECT_EQ(readType(type, with(linear, "null")).value().rope().factor, 2) << type;
        EXPECT_EQ(readType(type, with("{}", other)).value().rope().factor, 4) << type;
    }
    const std::string full = R"({"full_attention": )" + linear + "}";
    EXPECT_EQ(refusalOf("gemma3_text", with(full, other)), "'rope_scaling' and 'rope_parameters' differ");
    EXPECT_EQ(refusalOf("gemma3_text", with("{\"sliding_attention\": null}", other)),
        "'rope_scaling' and 'rope_parameters' differ");
    EXPECT_EQ(readType("gemma3_text", with(full, linear)).value().rope().factor, 2);
}

TEST(HfRopes, HaveAnAttentionFactorOnlyWhereTransformersAppliesIt)
{
    const auto with = [](const std::string &type, const std::string &factor) {
        return R"(, "max_position_embeddings": 64, "rope_scaling": {"factor": 4.0, "rope_type": ")" + type +
               R"(", "original_max_position_embeddings": 16, "attention_factor": )" + factor + "}";
    };
    for (const char *type : {"default", "linear", "llama3", "dynamic"})
        EXPECT_EQ(refusalOf("llama", with(type, "2.0")),
            std::string("'attention_factor' has no effect in Transformers with RoPE scaling '") + type + "'");
    EXPECT_EQ(readType("llama", with("yarn", "2.0")).value().rope().attentionFactor, 2);
    EXPECT_EQ(readType("llama", with("longrope", "2.0")).value().rope().attentionFactor, 2);
    EXPECT_EQ(refusalOf("llama", with("yarn", "0")), "'attention_factor' is not above 0");
    EXPECT_EQ(refusalOf("llama", with("linear", "null")), "accepted");
}

TEST(HfRopes, OfATypeThatIsNoTextOrMissingAreErrors)
{
    EXPECT_EQ(refusalOf("llama", R"(, "rope_parameters": {"rope_type": 5})"), "the RoPE scaling is '5'");
    EXPECT_EQ(refusalOf("llama", R"(, "rope_scaling": {"factor": 4.0})"), "the RoPE scaling has a factor but no type");
    EXPECT_EQ(refusalOf("phi3", R"(, "rope_scaling": {"rope_type": "linear", "factor": 4.0})"),
        "Transformers' class for this model_type has no RoPE scaling 'linear'");
}

// Phi-3's class has 4096 where the model says nothing, and ignores what its object says.
TEST(HfRopes, OfLongRopeRestOnThePositionsThatTransformersTakes)
{
    const auto with = [](const std::string &within, const std::string &beside) {
        return R"(, "max_position_embeddings": 8192, "rope_scaling": {"rope_type": "longrope",
            "short_factor": [1, 1, 1, 1, 1, 1, 1, 1], "long_factor": [1, 1, 1, 1, 1, 1, 1, 1])" +
               within + "}" + beside;
    };
    const std::string key = R"(, "original_max_position_embeddings": )";
    const Rope usual = readType("phi3", with("", "")).value().rope();
    EXPECT_EQ(usual.trainedPositions, 4096);
    EXPECT_EQ(usual.factor, 2);
    EXPECT_EQ(readType("phi3", with(key + "16", key + "16")).value().rope().factor, 512);
    EXPECT_EQ(readType("phi3", with("", key + "16")).value().rope().factor, 512);
    EXPECT_EQ(readType("llama", with(key + "16", "")).value().rope().factor, 512);
    EXPECT_EQ(refusalOf("phi3", with(key + "16", "")),
        "'original_max_position_embeddings' is 16, but Transformers' class takes 4096 from outside of this object");
    EXPECT_EQ(refusalOf("llama", with(key + "16", key + "32")),
        "'original_max_position_embeddings' is 16, but Transformers' class takes 32 from outside of this object");
}

// Each is a key that Transformers' class does not read, or a value that it does not take.
TEST(HfKeys, ThatTransformersReadsOtherwiseAreErrors)
{
    EXPECT_EQ(refusalOf("gemma3_text", R"(, "head_dim": 16, "_sliding_window_pattern": 3)"),
        "'_sliding_window_pattern' is 3, but Transformers' class reads 'sliding_window_pattern', which is 6");
    EXPECT_EQ(refusalOf("gemma3_text", R"(, "_sliding_window_pattern": 3, "sliding_window_pattern": 3)"), "accepted");
    EXPECT_EQ(refusalOf("gemma3_text", R"(, "_sliding_window_pattern": 3, "layer_types": ["full_attention",
        "full_attention", "sliding_attention", "full_attention"])"),
        "accepted");
    EXPECT_EQ(refusalOf("gemma3_text", R"(, "sliding_window_pattern": 0)"), "'sliding_window_pattern' is 0");
    EXPECT_EQ(refusalOf("gemma", R"(, "hidden_act": "gelu", "hidden_activation": "silu")"),
        "'hidden_activation' differs from 'hidden_act', which Transformers' class reads");
    EXPECT_EQ(refusalOf("gemma", R"(, "hidden_activation": "silu")"),
        "'hidden_activation' differs from 'hidden_act', which Transformers' class reads");
    EXPECT_EQ(refusalOf("gemma", R"(, "hidden_act": "gelu", "hidden_activation": "gelu_pytorch_tanh")"), "accepted");
    EXPECT_EQ(readType("gemma", R"(, "hidden_act": "silu")").value().mlp.activation, Activation::Silu);
    for (const char *list :
        {R"([1, 2, "x", 0])", "[1, 0, 0, 2]", "[1, 0, 0, true]", "[1, 0, 0, 1.0]", "[1, 0, 0]", "[]"})
        EXPECT_EQ(refusalOf("smollm3", R"(, "no_rope_layers": )" + std::string(list)).find("'no_rope_layers' is ["), 0U)
            << list;
    EXPECT_EQ(refusalOf("smollm3", R"(, "no_rope_layer_interval": 0)"), "'no_rope_layer_interval' is 0");
    const std::vector<LayerKind> rotated{{}, {.rope = kNoRope}, {.rope = kNoRope}, {}};
    EXPECT_EQ(readType("smollm3", R"(, "no_rope_layers": [1, 0, 0, 1])").value().pattern, rotated);
}

TEST(HfWindows, OfExpertsAreErrors)
{
    for (const char *type : {"qwen2_moe", "qwen3_moe"}) {
        const auto with = [&](const std::string &third) {
            return refusalOf(type, R"(, "moe_intermediate_size": 32, "num_experts": 4, "num_experts_per_tok": 2,
                "shared_expert_intermediate_size": )" +
                                       std::string(type == std::string("qwen2_moe") ? "32" : "null") +
                                       R"(, "layer_types": ["full_attention", "full_attention", ")" + third +
                                       R"(", "full_attention"])");
        };
        EXPECT_EQ(with("sliding_attention"),
            "'layer_types' has sliding_attention, which is not supported for this model_type")
            << type;
        EXPECT_EQ(with("novel").find("'layer_types' is ["), 0U) << type;
    }
    EXPECT_EQ(refusalOf("qwen2_moe", R"(, "moe_intermediate_size": 32, "num_experts": 4, "num_experts_per_tok": 2,
        "shared_expert_intermediate_size": 32, "layer_types": ["full_attention", "full_attention", "full_attention",
        "full_attention"])"),
        "accepted");
}

// The class would rotate whole heads.
TEST(HfConfigText, RefusesARotatedPartWhereTransformersClassHasNone)
{
    ModelSpec model = readType("llama", "").value();
    model.ropes.front().fraction = 0.5;
    const Result<std::string> text = hfConfigOf(model, {.type = "float32", .positions = 64});
    ASSERT_FALSE(text);
    EXPECT_NE(text.error().what.find("rotary_fraction is 1, not 0.5"), std::string::npos) << text.error().message();
}

// What is written for export means the same model when it is read again.
TEST(HfConfigText, IsReadAsTheModelThatItWasWrittenFor)
{
    for (const ModelFamily &family : modelFamilies()) {
        const ModelSpec model = testing::smallModelOf(family);
        const Result<std::string> text = hfConfigOf(model, {.type = "float32", .positions = 64});
        EXPECT_TRUE(text) << family.type << ": " << text.error().message();
    }
}

TEST(HfConfig, TakesTheHeadDimensionOfTheFamilysClassWhereNoneIsGiven)
{
    for (const auto &[type, headDim] : {std::pair("llama", 16), {"mistral", 16}, {"qwen2", 16}, {"qwen3", 128},
             {"gemma", 256}, {"gemma2", 256}, {"gemma3_text", 256}}) {
        const auto model = readType(type, "");
        ASSERT_TRUE(model) << type << ": " << model.error().message();
        EXPECT_EQ(model->attention.headDim, headDim) << type;
        EXPECT_EQ(readType(type, R"(, "head_dim": 32)").value().attention.headDim, 32) << type;
    }
}

TEST(HfConfigText, HasTheMarksOfTheTokenizer)
{
    const ModelSpec model = readType("llama", "").value();
    const auto usual = nlohmann::json::parse(hfConfigOf(model, {.type = "float32", .positions = 64}).value());
    EXPECT_EQ(usual["bos_token_id"], 1);
    EXPECT_EQ(usual["eos_token_id"], 2);
    const auto own = nlohmann::json::parse(
        hfConfigOf(model, {.type = "float32", .positions = 64, .marks = {.bos = std::nullopt, .eos = 50256}}).value());
    EXPECT_TRUE(own["bos_token_id"].is_null());
    EXPECT_EQ(own["eos_token_id"], 50256);
}

TEST(HfConfigText, RefusesAModelThatNoFamilyHas)
{
    ModelSpec odd = readType("llama", "").value();
    odd.attention.qkNorm = QkNorm::Head;
    const Result<std::string> text = hfConfigOf(odd, {.type = "float32", .positions = 64});
    ASSERT_FALSE(text);
    EXPECT_NE(text.error().what.find("qk_norm"), std::string::npos) << text.error().message();
}

TEST(HfConfig, SaysOfModelsWithoutAKvCacheWhatTheyAre)
{
    const auto message = [](const char *type) {
        return modelFromHfConfig(std::string(R"({"model_type": ")") + type + "\"}", "config.json").error().message();
    };
    EXPECT_NE(message("mamba").find("'mamba': a recurrent model, which has a state instead of a KV cache (accepted: "),
        std::string::npos);
    EXPECT_NE(message("bert").find("generates no tokens"), std::string::npos);
    EXPECT_NE(message("t5").find("encoder's keys"), std::string::npos);
    EXPECT_NE(message("new").find("'new' (accepted: llama"), std::string::npos);
}

} // namespace
} // namespace slipway
