// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/hf_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/json_place.h"

namespace slipway {

namespace {

constexpr int kLargestInteger = 1 << 30;

// The keys that may hold a setting, in any family's files. The first one that a file has is the one that was read.
struct SettingKeys {
    std::string_view setting; // as validateModel() names it
    std::vector<std::string_view> keys;
};

const std::vector<SettingKeys> &settingKeys()
{
    static const std::vector<SettingKeys> all{
        {"--layers", {"num_hidden_layers", "n_layer"}},
        {"--hidden", {"hidden_size", "n_embd"}},
        {"--heads", {"num_attention_heads", "n_head"}},
        {"--kv-heads", {"num_key_value_heads", "num_attention_heads", "n_head"}},
        {"head_dim", {"head_dim", "num_attention_heads", "n_head"}},
        {"--ffn", {"moe_intermediate_size", "intermediate_size", "ffn_dim", "n_inner"}},
        {"--vocab", {"vocab_size"}},
        {"--experts", {"num_local_experts", "num_experts"}},
        {"--experts-per-token", {"num_experts_per_tok", "experts_per_token"}},
        {"norm_eps", {"rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_epsilon"}},
        {"attention_scale", {"query_pre_attn_scalar", "attention_multiplier"}},
        {"attention_soft_cap", {"attn_logit_softcapping"}},
        {"mlp_limit", {"swiglu_limit"}},
        {"logit_soft_cap", {"final_logit_softcapping"}},
        {"logit_scale", {"logits_scaling"}},
        {"embedding_scale", {"embedding_multiplier"}},
        {"branch_scale", {"residual_multiplier"}},
        {"context_length", {"max_position_embeddings"}},
        {"max_positions", {"n_positions", "max_position_embeddings"}},
        {"rope_theta", {"rope_parameters", "rope_theta", "rotary_emb_base", "rope_local_base_freq"}},
        {"rotary_fraction", {"rope_parameters", "partial_rotary_factor", "rotary_pct"}},
        {"windows", {"sliding_window"}},
    };
    return all;
}

// A value into a place of its type; otherwise what would be accepted.
struct SetPlace {
    const nlohmann::json &value;

    std::string operator()(int *place) const
    {
        if (!value.is_number_integer() || value < 0 || value > kLargestInteger)
            return "an integer of 0 or more";
        *place = value.get<int>();
        return {};
    }
    std::string operator()(double *place) const
    {
        if (!value.is_number())
            return "a number";
        *place = value.get<double>();
        return {};
    }
    std::string operator()(bool *place) const
    {
        if (!value.is_boolean())
            return "true or false";
        *place = value.get<bool>();
        return {};
    }
    std::string operator()(const TextPlace &place) const
    {
        return value.is_string() && place.set(value.get_ref<const std::string &>()) ? std::string() : place.accepted;
    }
};

} // namespace

std::string HfReader::shown(const Json &value) { return value.dump().substr(0, 60); }

const HfReader::Json *HfReader::value(std::string_view key)
{
    pass(key);
    const auto found = m_json.find(key);
    return found == m_json.end() || found->is_null() ? nullptr : &*found;
}

void HfReader::read(std::string_view key, const FieldPlace &place)
{
    pass(key);
    readFrom(m_json, "", key, place);
}

void HfReader::readFrom(const Json &object, std::string_view path, std::string_view key, const FieldPlace &place)
{
    const auto found = object.find(key);
    if (found == object.end() || found->is_null())
        return;
    if (const std::string accepted = std::visit(SetPlace{*found}, place); !accepted.empty())
        fail(fmt::format("{}{}{}", path, path.empty() ? "" : ".", key), fmt::format("'{}' is {}", key, shown(*found)),
            accepted);
}

void HfReader::require(std::string_view key)
{
    if (!has(key))
        fail("", fmt::format("the key '{}' is missing", key), "a config.json with the model's sizes");
}

bool HfReader::truth(std::string_view key, bool fallback)
{
    read(key, &fallback);
    return fallback;
}

int HfReader::integer(std::string_view key, int fallback)
{
    read(key, &fallback);
    return fallback;
}

double HfReader::number(std::string_view key, double fallback)
{
    read(key, &fallback);
    return fallback;
}

void HfReader::fail(std::string_view path, std::string what, std::string accepted)
{
    if (!m_error)
        m_error =
            Error{.what = std::move(what), .where = placeInJson(m_file, m_text, path), .accepted = std::move(accepted)};
}

std::string HfReader::keyOfSetting(std::string_view setting) const
{
    for (const SettingKeys &keys : settingKeys()) {
        const auto has = [this](std::string_view key) { return m_json.contains(key) && !m_json.at(key).is_null(); };
        const auto found =
            keys.setting == setting ? std::find_if(keys.keys.begin(), keys.keys.end(), has) : keys.keys.end();
        if (found != keys.keys.end())
            return std::string(*found);
    }
    return {};
}

void HfReader::failAt(const Error &ofSetting)
{
    const std::string key = keyOfSetting(ofSetting.where);
    fail(key, (key.empty() ? ofSetting.where : key) + ": " + ofSetting.what, ofSetting.accepted);
}

void HfReader::finish(std::string_view family)
{
    for (const auto &[key, value] : m_json.items()) {
        if (!m_understood.contains(key))
            return fail(key,
                fmt::format("'{}' is {}, which is not supported for models of type {}", key.substr(0, 60), shown(value),
                    family),
                "a config.json without this key");
    }
}

} // namespace slipway
