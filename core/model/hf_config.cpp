// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/hf_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/json.h"
#include "model/families.h"
#include "model/validate_model.h"

namespace slipway {

namespace {

using Json = nlohmann::json;

std::string familyNames()
{
    std::string names;
    for (const ModelFamily &family : modelFamilies())
        names += (names.empty() ? "" : ", ") + std::string(family.type);
    return names;
}

// Reads keys and keeps the first failure, so that the reading below stays a list.
class Keys {
public:
    Keys(const Json &json, const std::string &where) : m_json(json), m_where(where) {}

    // The first of `names` that is there.
    int integer(std::initializer_list<const char *> names)
    {
        if (!has(names))
            fail(fmt::format("the key '{}' is missing", *names.begin()), "a config.json with the model's sizes");
        return integerOr(names, 0);
    }

    int integerOr(std::initializer_list<const char *> names, int fallback)
    {
        const auto [name, value] = first(names);
        if (!value)
            return fallback;
        if (value->is_number_integer() && *value >= 0 && *value <= (1 << 30))
            return value->get<int>();
        fail(fmt::format("'{}' is {}", name, shown(*value)), "an integer of 0 or more");
        return 0;
    }

    [[nodiscard]] bool has(std::initializer_list<const char *> names) const { return first(names).second; }

    double number(const char *name, double fallback) { return numberOf(m_json, name, fallback); }

    double numberOf(const Json &object, const char *name, double fallback)
    {
        const auto found = object.find(name);
        if (found == object.end() || found->is_null())
            return fallback;
        if (found->is_number())
            return found->get<double>();
        fail(fmt::format("'{}' is {}", name, shown(*found)), "a number");
        return fallback;
    }

    bool truth(const char *name, bool fallback)
    {
        const auto found = m_json.find(name);
        if (found == m_json.end() || found->is_null())
            return fallback;
        if (found->is_boolean())
            return found->get<bool>();
        fail(fmt::format("'{}' is {}", name, shown(*found)), "true or false");
        return fallback;
    }

    std::string text(std::initializer_list<const char *> names, std::string_view fallback)
    {
        const auto [name, value] = first(names);
        if (value && value->is_string())
            return value->get<std::string>();
        if (value)
            fail(fmt::format("'{}' is {}", name, shown(*value)), "a name");
        return std::string(fallback);
    }

    void fail(std::string what, std::string accepted)
    {
        if (!m_error)
            m_error = Error{.what = std::move(what), .where = m_where, .accepted = std::move(accepted)};
    }

    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }

private:
    // That of `names` which is there and not null.
    [[nodiscard]] std::pair<const char *, const Json *> first(std::initializer_list<const char *> names) const
    {
        for (const char *name : names) {
            const auto found = m_json.find(name);
            if (found != m_json.end() && !found->is_null())
                return {name, &*found};
        }
        return {};
    }
    static std::string shown(const Json &value) { return value.dump().substr(0, 60); }

    const Json &m_json;
    const std::string &m_where;
    std::optional<Error> m_error;
};

// How rotations are scaled, or with Transformers 5 all that is to be known of them; empty: as usual.
Json ropeOf(const Json &json)
{
    for (const char *name : {"rope_parameters", "rope_scaling"}) {
        if (const auto found = json.find(name); found != json.end() && found->is_object())
            return *found;
    }
    return Json::object();
}

ModelSpec specOf(const ModelFamily &family, const Json &json, Keys &keys)
{
    ModelSpec model;
    applyFamily(family, model);
    model.mlp = family.mlp;
    model.position = family.position;
    model.layers = keys.integer({"num_hidden_layers", "n_layer"});
    model.hidden = keys.integer({"hidden_size", "n_embd"});
    model.heads = keys.integer({"num_attention_heads", "n_head"});
    model.vocab = keys.integer({"vocab_size"});
    model.kvHeads = keys.integerOr({"num_key_value_heads"}, model.heads);
    model.headDim = keys.integerOr({"head_dim"}, 0);
    if (model.headDim == 0 && !keys.error()) {
        if (const Result<int> headDim = headDimOf(model.hidden, model.heads))
            model.headDim = *headDim;
        else
            keys.fail(headDim.error().what, headDim.error().accepted);
    }
    const std::initializer_list<const char *> ffnKeys{"intermediate_size", "n_inner", "ffn_dim"};
    // GPT-2's files leave the usual width of four times hidden out.
    const bool usual = family.mlp == Mlp::Gelu && !keys.has(ffnKeys) && model.hidden < (1 << 28);
    model.ffn = usual ? 4 * model.hidden : keys.integer(ffnKeys);
    model.tied = keys.truth("tie_word_embeddings", family.tied);
    if (model.position == Position::Learned)
        model.maxPositions = keys.integer({"max_position_embeddings", "n_positions"}) + family.extraPositions;
    model.ropeTheta =
        keys.number("rope_theta", keys.number("rotary_emb_base", keys.numberOf(ropeOf(json), "rope_theta", 10000.0)));
    model.normEps = keys.number("rms_norm_eps", keys.number("layer_norm_eps", keys.number("layer_norm_epsilon", 1e-5)));
    const bool attentionBias = keys.truth("attention_bias", false);
    model.qkvBias = model.qkvBias || attentionBias || keys.truth("use_qkv_bias", false);
    model.attentionOutBias = model.attentionOutBias || attentionBias;
    model.mlpBias = model.mlpBias || keys.truth("mlp_bias", false);
    if (family.mlp == Mlp::Gelu) {
        const std::string activation = keys.text({"activation_function", "hidden_act"}, family.activation);
        model.unfusedGelu = activation == "gelu_new";
        model.relu = activation == "relu";
    }
    model.parallelBlock = keys.truth("use_parallel_residual", model.parallelBlock);
    model.partialRope =
        keys.number("partial_rotary_factor",
            keys.number("rotary_pct", keys.numberOf(ropeOf(json), "partial_rotary_factor", family.rotaryFraction))) < 1;
    const std::initializer_list<const char *> dropouts{
        "resid_pdrop", "attn_pdrop", "dropout", "attention_dropout", "hidden_dropout"};
    model.dropout = !keys.has(dropouts) && family.dropout;
    for (const char *name : dropouts)
        model.dropout = model.dropout || keys.number(name, 0) > 0;
    model.experts = keys.integerOr({"num_local_experts", "num_experts"}, 0);
    model.expertsPerToken = keys.integerOr({"num_experts_per_tok"}, 0);
    return model;
}

// The depth of a config.json is 3.
Result<Json> parseConfig(std::string_view text, const std::string &where)
{
    Result<Json> json = parseJson(text, {.bytes = kMiB, .depth = 16});
    if (json && json->is_object())
        return json;
    return Error{.what = json ? "is not a JSON object" : json.error().what,
        .where = where,
        .accepted = "the config.json of a Hugging Face model"};
}

} // namespace

Result<ModelSpec> modelFromHfConfig(std::string_view text, const std::string &where)
{
    const Result<Json> read = parseConfig(text, where);
    if (!read)
        return read.error();
    const Json &json = *read;
    const auto type = json.find("model_type");
    if (type == json.end() || !type->is_string())
        return Error{.what = "the key 'model_type' is missing", .where = where, .accepted = familyNames()};
    const std::string wanted = type->get<std::string>();
    for (const ModelFamily &family : modelFamilies()) {
        if (family.type != wanted)
            continue;
        Keys keys(json, where);
        ModelSpec model = specOf(family, json, keys);
        if (keys.error())
            return *keys.error();
        if (const auto width = json.find("word_embed_proj_dim"); width != json.end() && *width != model.hidden)
            return Error{.what = "word_embed_proj_dim differs from hidden_size, which is not supported",
                .where = where,
                .accepted = "word_embed_proj_dim equal to hidden_size"};
        if (const Result<void> valid = validateModel(model); !valid)
            return Error{.what = valid.error().where + ": " + valid.error().what,
                .where = where,
                .accepted = valid.error().accepted};
        const auto name = json.find("_name_or_path");
        model.name = name != json.end() && name->is_string() && !name->get<std::string>().empty()
                         ? name->get<std::string>()
                         : wanted;
        return model;
    }
    return Error{
        .what = "unknown model_type '" + wanted.substr(0, 60) + "'", .where = where, .accepted = familyNames()};
}

Result<void> requirePlainLlama(const std::filesystem::path &path)
{
    const Result<std::string> text = readFile(path, kMiB);
    if (!text)
        return text.error();
    const Result<Json> read = parseConfig(*text, path.string());
    if (!read)
        return read.error();
    const Json &json = *read;
    const auto refuse = [&path](const std::string &what, const char *accepted) {
        return Error{
            .what = what + ", which Slipway's trainer does not support", .where = path.string(), .accepted = accepted};
    };
    const auto textOf = [](const Json &object, const char *name, const char *fallback) {
        const auto found = object.find(name);
        return found != object.end() && found->is_string() ? found->get<std::string>() : std::string(fallback);
    };
    const Json rope = ropeOf(json);
    const std::string kind =
        textOf(rope, "rope_type", textOf(rope, "type", rope.contains("factor") ? "linear" : "default").c_str());
    if (kind != "default")
        return refuse("RoPE scaling is not supported ('" + kind.substr(0, 60) + "')", "rope_type: default");
    Keys keys(json, path.string());
    for (const Json *object : {&json, &rope}) {
        if (keys.numberOf(*object, "partial_rotary_factor", 1) != 1)
            return refuse("partial RoPE is not supported", "partial_rotary_factor: 1");
    }
    const std::string activation = textOf(json, "hidden_act", textOf(json, "hidden_activation", "silu").c_str());
    if (activation != "silu" && activation != "swish")
        return refuse("the activation function is '" + activation.substr(0, 60) + "'", "hidden_act: silu");
    if (textOf(json, "model_type", "") == "gemma")
        return refuse("the embedding and norm scaling of gemma is not supported", "llama, mistral");
    return {};
}

Result<ModelSpec> readHfConfig(const std::filesystem::path &path)
{
    const Result<std::string> text = readFile(path, kMiB);
    if (!text)
        return text.error();
    return modelFromHfConfig(*text, path.string());
}

} // namespace slipway
