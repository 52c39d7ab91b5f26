// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/hf_keys.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "model/hf_parts.h"
#include "model/validate_model.h"

namespace slipway {

namespace {

using M = ModelSpec;
using P = FieldPointer;
using Keys = std::vector<HfKey>;

// Transformers' names of activation functions; the first one of each is written.
struct NamedActivation {
    std::string_view name;
    Activation activation;
    bool byParts = false;
};
constexpr std::array<NamedActivation, 10> kActivations{{{"silu", Activation::Silu}, {"swish", Activation::Silu},
    {"gelu", Activation::GeluErf}, {"gelu_python", Activation::GeluErf}, {"gelu_pytorch_tanh", Activation::GeluTanh},
    {"gelu_new", Activation::GeluTanh, true}, {"gelu_fast", Activation::GeluTanh},
    {"quick_gelu", Activation::QuickGelu}, {"relu", Activation::Relu}, {"relu2", Activation::Relu2}}};

std::string nameOf(const MlpModule &mlp)
{
    const auto found = std::find_if(kActivations.begin(), kActivations.end(), [&mlp](const NamedActivation &named) {
        return named.activation == mlp.activation && named.byParts == mlp.byParts;
    });
    return std::string(found == kActivations.end() ? enumName(mlp.activation) : found->name);
}

TextAccessor activationOf(MlpModule &mlp)
{
    return {.get = [&mlp] { return nameOf(mlp); },
        .set =
            [&mlp](std::string_view text) {
                const auto found = std::find_if(kActivations.begin(), kActivations.end(),
                    [text](const NamedActivation &named) { return named.name == text; });
                if (found == kActivations.end())
                    return false;
                mlp.activation = found->activation;
                mlp.byParts = found->byParts;
                return true;
            },
        .accepted = "silu, gelu, gelu_pytorch_tanh, gelu_new, quick_gelu, relu, relu2"};
}

const Keys kSizes{{"num_hidden_layers", [](M &m) -> P { return &m.layers; }, true},
    {"hidden_size", [](M &m) -> P { return &m.hidden; }, true},
    {"num_attention_heads", [](M &m) -> P { return &m.attention.heads; }, true},
    {"vocab_size", [](M &m) -> P { return &m.vocab; }, true},
    {"tie_word_embeddings", [](M &m) -> P { return &m.head.tied; }}};
const Keys kWidth{{"intermediate_size", [](M &m) -> P { return &m.mlp.width; }, true}};
const Keys kAct{{"hidden_act", [](M &m) -> P { return activationOf(m.mlp); }}};
const Keys kGemmaAct{{"hidden_activation", [](M &m) -> P { return activationOf(m.mlp); }}};
const Keys kRmsEps{{"rms_norm_eps", [](M &m) -> P { return &m.norm.eps; }}};
const Keys kLayerNormEps{{"layer_norm_eps", [](M &m) -> P { return &m.norm.eps; }}};
const Keys kMlpBias{{"mlp_bias", [](M &m) -> P { return &m.mlp.bias; }}};
const Keys kExpertsPerToken{{"num_experts_per_tok", [](M &m) -> P { return &m.experts.perToken; }, true}};
const Keys kAuxLoss{{"router_aux_loss_coef", [](M &m) -> P { return &m.experts.auxLoss; }}};
const Keys kSwigluLimit{{"swiglu_limit", [](M &m) -> P { return &m.mlp.limit; }}};
const Keys kTopK{{"norm_topk_prob", [](M &m) -> P { return &m.experts.normalizesTopK; }}};

// attention_bias: of queries, keys, values and the output.
const HfPart kAttentionBias{[](HfReader &reader, M &m) {
                                m.attention.qkvBias = reader.boolean("attention_bias", m.attention.qkvBias);
                                m.attention.outBias = m.attention.qkvBias;
                            },
    [](nlohmann::ordered_json &json, const M &m) { json["attention_bias"] = m.attention.qkvBias; }};

// The usual scale is none of its own.
void scaleScores(M &m, double scale)
{
    const double usual = 1.0 / std::sqrt(static_cast<double>(std::max(1, m.attention.headDim)));
    m.attention.scale = std::abs(scale - usual) < 1e-12 ? 0 : scale;
}

// Gemma 2 and 3 scale scores by 1 / sqrt(query_pre_attn_scalar).
const HfPart kGemmaScales{
    [](HfReader &reader, M &m) {
        const double scalar = reader.number("query_pre_attn_scalar", 256);
        reader.recordSource(&m.attention.scale, "query_pre_attn_scalar");
        if (scalar > 0)
            scaleScores(m, 1.0 / std::sqrt(scalar));
        else
            reader.fail("query_pre_attn_scalar", "'query_pre_attn_scalar' is not above 0", "a number above 0");
    },
    [](nlohmann::ordered_json &json, const M &m) {
        json["query_pre_attn_scalar"] = std::lround(1.0 / (m.attentionScale() * m.attentionScale()));
    }};

void readGemmaActivation(HfReader &reader, const char *key, MlpModule &mlp)
{
    reader.read(key, activationOf(mlp));
    if (mlp.activation == Activation::GeluErf)
        mlp.activation = Activation::GeluTanh;
}

// Files of the first Gemma name the function of a gate twice, and mean its tanh form by "gelu". The class reads the
// first name.
const HfPart kGemmaAct1{[](HfReader &reader, M &m) {
                            readGemmaActivation(reader, "hidden_act", m.mlp);
                            MlpModule other = m.mlp;
                            readGemmaActivation(reader, "hidden_activation", other);
                            if (other.activation != m.mlp.activation)
                                reader.fail("hidden_activation",
                                    "'hidden_activation' differs from 'hidden_act', which Transformers' class reads",
                                    nameOf(m.mlp));
                        },
    [](nlohmann::ordered_json &json, const M &m) { json["hidden_act"] = nameOf(m.mlp); }};

// What is missing or null caps nothing in Gemma 3, and has these values in Gemma 2.
template<int kAttention, int kLogits>
void readSoftCaps(HfReader &reader, M &m)
{
    m.attention.softCap = reader.contains("attn_logit_softcapping") ? 0 : kAttention;
    m.head.softCap = reader.contains("final_logit_softcapping") ? 0 : kLogits;
    reader.read("attn_logit_softcapping", &m.attention.softCap);
    reader.read("final_logit_softcapping", &m.head.softCap);
}
void writeSoftCaps(nlohmann::ordered_json &json, const M &m)
{
    const auto cap = [](double value) { return value > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json(); };
    json["attn_logit_softcapping"] = cap(m.attention.softCap);
    json["final_logit_softcapping"] = cap(m.head.softCap);
}
const HfPart kGemma2Caps{readSoftCaps<50, 30>, writeSoftCaps}, kGemma3Caps{readSoftCaps<0, 0>, writeSoftCaps};

const HfPart kGraniteScales{[](HfReader &reader, M &m) {
                                m.embedding.scale = m.block.branchScale = 1;
                                reader.read("embedding_multiplier", &m.embedding.scale);
                                reader.read("residual_multiplier", &m.block.branchScale);
                                scaleScores(m, reader.number("attention_multiplier", 1));
                                reader.recordSource(&m.attention.scale, "attention_multiplier");
                                reader.recordSource(&m.head.logitScale, "logits_scaling");
                                const double divisor = reader.number("logits_scaling", 1);
                                if (divisor > 0)
                                    m.head.logitScale = 1 / divisor;
                                else
                                    reader.fail(
                                        "logits_scaling", "'logits_scaling' is not above 0", "a number above 0");
                            },
    [](nlohmann::ordered_json &json, const M &m) {
        json["embedding_multiplier"] = m.embedding.scale;
        json["residual_multiplier"] = m.block.branchScale;
        json["attention_multiplier"] = m.attentionScale();
        json["logits_scaling"] = 1 / m.head.logitScale;
    }};

const Keys kGpt2Keys{{"n_embd", [](M &m) -> P { return &m.hidden; }, true},
    {"n_layer", [](M &m) -> P { return &m.layers; }, true},
    {"n_head", [](M &m) -> P { return &m.attention.heads; }, true},
    {"n_positions", [](M &m) -> P { return &m.embedding.positions; }, true},
    {"vocab_size", [](M &m) -> P { return &m.vocab; }, true},
    {"tie_word_embeddings", [](M &m) -> P { return &m.head.tied; }},
    {"n_inner", [](M &m) -> P { return &m.mlp.width; }},
    {"activation_function", [](M &m) -> P { return activationOf(m.mlp); }},
    {"layer_norm_epsilon", [](M &m) -> P { return &m.norm.eps; }}};

// GPT-2's files leave the usual width of four times hidden out.
const HfPart kGpt2Width{[](HfReader &reader, M &m) {
                            constexpr int kMost = 1 << 28;
                            if (m.mlp.width == 0 && m.hidden < kMost) {
                                m.mlp.width = 4 * m.hidden;
                                reader.copySource(&m.mlp.width, &m.hidden);
                            }
                        },
    [](nlohmann::ordered_json &, const M &) {}};

// MobileLLM's name of a tied head.
const HfPart kSharedEmbedding{
    [](HfReader &reader, M &m) { m.head.tied = reader.boolean("share_embedding", false) || m.head.tied; },
    [](nlohmann::ordered_json &, const M &) {}};

const HfPart kOptPositions{
    [](HfReader &reader, M &m) {
        reader.require("max_position_embeddings");
        m.embedding.positions = reader.integer("max_position_embeddings", 0) + m.embedding.firstPosition;
        reader.recordSource(&m.embedding.positions, "max_position_embeddings");
        if (reader.integer("word_embed_proj_dim", m.hidden) != m.hidden)
            reader.fail("word_embed_proj_dim", "word_embed_proj_dim differs from hidden_size, which is not supported",
                "word_embed_proj_dim equal to hidden_size");
    },
    [](nlohmann::ordered_json &json, const M &m) {
        json["max_position_embeddings"] = m.embedding.positions - m.embedding.firstPosition;
        json["word_embed_proj_dim"] = m.hidden;
    }};

const HfPart kStarcoderBias{[](HfReader &reader, M &m) {
                                const bool bias = reader.boolean("use_bias", true);
                                m.attention.qkvBias = m.attention.outBias = m.mlp.bias = bias;
                            },
    [](nlohmann::ordered_json &json, const M &m) { json["use_bias"] = m.mlp.bias; }};

const HfPart kStableLmBias{
    [](HfReader &reader, M &m) { m.attention.qkvBias = reader.boolean("use_qkv_bias", m.attention.qkvBias); },
    [](nlohmann::ordered_json &json, const M &m) { json["use_qkv_bias"] = m.attention.qkvBias; }};

const Keys kParallel{{"use_parallel_residual", [](M &m) -> P { return &m.block.parallel; }}};
const Keys kMixtralExperts{{"num_local_experts", [](M &m) -> P { return &m.experts.count; }, true}};
const Keys kExperts{{"num_experts", [](M &m) -> P { return &m.experts.count; }, true}};
const Keys kExpertWidth{{"moe_intermediate_size", [](M &m) -> P { return &m.mlp.width; }, true}};
const Keys kSharedWidth{{"shared_expert_intermediate_size", [](M &m) -> P { return &m.experts.sharedWidth; }, true}};
const Keys kQwenBias{{"qkv_bias", [](M &m) -> P { return &m.attention.qkvBias; }}};
const Keys kStarcoder{{"norm_epsilon", [](M &m) -> P { return &m.norm.eps; }}};
const Keys kOpt{{"ffn_dim", [](M &m) -> P { return &m.mlp.width; }, true},
    {"activation_function", [](M &m) -> P { return activationOf(m.mlp); }}};

// What decides nothing of a training step, in any family's files.
const std::vector<std::string_view> kIgnored{"architectures", "model_type", "_name_or_path", "transformers_version",
    "torch_dtype", "dtype", "use_cache", "initializer_range", "bos_token_id", "eos_token_id", "pad_token_id",
    "unk_token_id", "sep_token_id", "decoder_start_token_id", "pretraining_tp", "auto_map", "max_position_embeddings",
    "output_router_logits", "output_attentions", "output_hidden_states", "return_dict", "use_return_dict", "id2label",
    "label2id", "num_labels", "problem_type", "task_specific_params", "_attn_implementation", "attn_implementation",
    "_attn_implementation_autoset", "attn_implementation_autoset", "is_encoder_decoder", "is_decoder",
    "tokenizer_class", "chunk_size_feed_forward", "name_or_path", "_commit_hash", "classifier_dropout",
    "cache_implementation", "is_llama_config", "rope_interleaved", "unsloth_fixed", "unsloth_version", "init_std",
    "torchscript", "transformers.js_config"};

void add(std::vector<HfKey> &keys, std::initializer_list<const Keys *> tables)
{
    for (const Keys *table : tables)
        keys.insert(keys.end(), table->begin(), table->end());
}

HfMapping with(std::initializer_list<const Keys *> tables, std::vector<HfPart> parts, std::vector<HfFixed> fixed = {},
    std::vector<std::string_view> ignored = {})
{
    HfMapping mapping{.parts = std::move(parts), .fixed = std::move(fixed), .ignored = kIgnored};
    add(mapping.keys, tables);
    mapping.ignored.insert(mapping.ignored.end(), ignored.begin(), ignored.end());
    return mapping;
}

const HfFixed kOneDirection{"use_bidirectional_attention", "false"};
const HfFixed kNoClip{"clip_qkv", "null"};
// Published files say num_experts, those that Transformers 5 writes num_local_experts.
const HfPart kExpertsOfQwen3{[](HfReader &reader, M &m) {
                                 const bool local = reader.has("num_local_experts");
                                 reader.require(local ? "num_local_experts" : "num_experts");
                                 reader.read(local ? "num_local_experts" : "num_experts", &m.experts.count);
                             },
    [](nlohmann::ordered_json &json, const M &m) { json["num_experts"] = m.experts.count; }};
const HfFixed kAllSparse{"decoder_sparse_step", "1"}, kNoMlpOnly{"mlp_only_layers", "[]"};
const HfFixed kNoWindow{"use_sliding_window", "false"};
// Qwen2.5 and the models distilled into it say that they do not rotate positions of images.
const HfFixed kNoMrope{"use_mrope", "false"};

using namespace hf;

const std::map<std::string_view, HfMapping> &mappings()
{
    static const std::map<std::string_view, HfMapping> all{
        {"llama", with({&kSizes, &kWidth, &kAct, &kRmsEps, &kMlpBias}, {heads, rope, kAttentionBias, dropout})},
        {"mistral", with({&kSizes, &kWidth, &kAct, &kRmsEps}, {heads, rope, mistralWindow, dropout})},
        {"mobilellm", with({&kSizes, &kWidth, &kAct, &kRmsEps, &kMlpBias},
                          {heads, rope, kAttentionBias, kSharedEmbedding, dropout}, {{"layer_sharing", "false"}})},
        {"qwen2", with({&kSizes, &kWidth, &kAct, &kRmsEps}, {heads, rope, qwenWindows, dropout}, {kNoMrope})},
        {"qwen3", with({&kSizes, &kWidth, &kAct, &kRmsEps}, {headsOf128, rope, qwenWindows, kAttentionBias, dropout})},
        {"gemma", with({&kSizes, &kWidth, &kRmsEps}, {headsOf256, rope, kGemmaAct1, kAttentionBias, dropout},
                      {kOneDirection})},
        {"gemma2", with({&kSizes, &kWidth, &kGemmaAct, &kRmsEps},
                       {headsOf256, rope, gemma2Windows, kGemmaScales, kGemma2Caps, kAttentionBias, dropout},
                       {kOneDirection}, {"hidden_act"})},
        {"gemma3_text", with({&kSizes, &kWidth, &kGemmaAct, &kRmsEps},
                            {headsOf256, localRopes, gemma3Windows, kGemmaScales, kGemma3Caps, kAttentionBias, dropout},
                            {kOneDirection})},
        {"smollm3", with({&kSizes, &kWidth, &kAct, &kRmsEps, &kMlpBias},
                        {heads, rope, smolLayers, kAttentionBias, dropout}, {}, {"max_window_layers"})},
        {"granite", with({&kSizes, &kWidth, &kAct, &kRmsEps, &kMlpBias},
                        {heads, rope, kGraniteScales, kAttentionBias, dropout})},
        {"phi3", with({&kSizes, &kWidth, &kAct, &kRmsEps}, {heads, ropeOfPhi3, window, dropout},
                     {{"full_attn_mod", "1"}, {"interpolate_factor", "1"}, {"lm_head_bias", "false"}},
                     {"original_max_position_embeddings", "attention_bias", "mlp_bias"})},
        {"gpt2", with({&kGpt2Keys}, {kGpt2Width, ownHeads, dropout},
                     {{"scale_attn_weights", "true"}, {"scale_attn_by_inverse_layer_idx", "false"},
                         {"add_cross_attention", "false"}},
                     {"n_ctx", "reorder_and_upcast_attn", "summary_activation", "summary_first_dropout",
                         "summary_proj_to_labels", "summary_type", "summary_use_proj", "gradient_checkpointing"})},
        {"gpt_neox", with({&kSizes, &kWidth, &kAct, &kLayerNormEps, &kParallel},
                         {ownHeads, ropeOfNeoX, kAttentionBias, dropout})},
        {"opt", with({&kSizes, &kOpt}, {ownHeads, kOptPositions, dropout},
                    {{"do_layer_norm_before", "true"}, {"_remove_final_layer_norm", "false"}, {"enable_bias", "true"},
                        {"layer_norm_elementwise_affine", "true"}},
                    {"prefix"})},
        {"phi", with({&kSizes, &kWidth, &kAct, &kLayerNormEps}, {heads, partialRope, dropout},
                    {{"qk_layernorm", "false"}})},
        {"starcoder2", with({&kSizes, &kWidth, &kAct, &kStarcoder}, {heads, rope, window, kStarcoderBias, dropout})},
        {"stablelm", with({&kSizes, &kWidth, &kAct, &kLayerNormEps}, {narrowHeads, partialRope, kStableLmBias, dropout},
                         {{"qk_layernorm", "false"}, {"use_parallel_residual", "false"}})},
        {"olmo", with({&kSizes, &kWidth, &kAct}, {heads, rope, kAttentionBias, dropout}, {kNoClip})},
        {"olmo2", with({&kSizes, &kWidth, &kAct, &kRmsEps}, {heads, rope, kAttentionBias, dropout})},
        {"arcee", with({&kSizes, &kWidth, &kAct, &kRmsEps, &kMlpBias}, {heads, rope, kAttentionBias, dropout})},
        {"mixtral", with({&kSizes, &kWidth, &kAct, &kRmsEps, &kExpertsPerToken, &kAuxLoss, &kMixtralExperts},
                        {heads, rope, window, dropout}, {{"router_jitter_noise", "0.0"}})},
        {"olmoe", with({&kSizes, &kWidth, &kAct, &kRmsEps, &kExpertsPerToken, &kAuxLoss, &kExperts, &kTopK},
                      {heads, rope, kAttentionBias, dropout}, {kNoClip})},
        {"qwen2_moe", with({&kSizes, &kExpertWidth, &kSharedWidth, &kAct, &kRmsEps, &kExpertsPerToken, &kAuxLoss,
                               &kExperts, &kTopK, &kQwenBias},
                          {heads, rope, fullLayers, dropout}, {kAllSparse, kNoMlpOnly, kNoWindow},
                          {"intermediate_size", "sliding_window", "max_window_layers"})},
        {"qwen3_moe",
            with({&kSizes, &kExpertWidth, &kAct, &kRmsEps, &kExpertsPerToken, &kAuxLoss, &kTopK},
                {heads, rope, fullLayers, kExpertsOfQwen3, kAttentionBias, dropout},
                {kAllSparse, kNoMlpOnly, kNoWindow}, {"intermediate_size", "sliding_window", "max_window_layers"})},
        // Published weights are quantized (quantization_config); training widens them.
        {"gpt_oss", with({&kSizes, &kWidth, &kRmsEps, &kExpertsPerToken, &kAuxLoss, &kMixtralExperts, &kSwigluLimit},
                        {headsOf64, ropeOfGptOss, gptOssWindows, kAttentionBias, dropout},
                        {{"hidden_act", "\"silu\""}, {"swiglu_alpha", "1.702"}},
                        {"experts_per_token", "initial_context_length", "quantization_config"})},
    };
    return all;
}

} // namespace

HfMapping mappingOf(const ModelFamily &family) { return mappings().at(family.type); }

} // namespace slipway
