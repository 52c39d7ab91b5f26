// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/hf_names.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "model/families.h"

namespace slipway {

namespace {

using Names = std::vector<std::string_view>;

// A tensor of a file, without ".weight" and ".bias". '#' is an expert's number.
struct Rule {
    std::string_view theirs;
    Names ours;
    bool transposed = false; // its matrix
    HfRows rows = HfRows::Stacked;
};

// What is not named here has our name.
struct FamilyNames {
    std::string_view layers = "model.layers.";
    std::vector<Rule> outside = {}, inLayer = {};
    std::string_view mayLack = {}; // how whole names begin, where some files do without
    Names tables = {};             // ends of names that follow from the configuration
};

const Names kQkv{"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"};
constexpr bool kTransposed = true;

const FamilyNames &namesOf(WeightNaming naming)
{
    static const std::map<WeightNaming, FamilyNames> all{
        {WeightNaming::Phi3,
            {.inLayer = {{"self_attn.qkv_proj", kQkv}, {"mlp.gate_up_proj", {"mlp.gate_proj", "mlp.up_proj"}}}}},
        {WeightNaming::Gpt2,
            {.layers = "transformer.h.",
                .outside = {{"transformer.wte", {"model.embed_tokens"}}, {"transformer.wpe", {"model.embed_positions"}},
                    {"transformer.ln_f", {"model.norm"}}},
                .inLayer = {{"attn.c_attn", kQkv, kTransposed}, {"attn.c_proj", {"self_attn.o_proj"}, kTransposed},
                    {"mlp.c_fc", {"mlp.up_proj"}, kTransposed}, {"mlp.c_proj", {"mlp.down_proj"}, kTransposed},
                    {"ln_1", {"input_layernorm"}}, {"ln_2", {"post_attention_layernorm"}}},
                .mayLack = "transformer.",
                .tables = {".attn.bias", ".attn.masked_bias"}}},
        {WeightNaming::GptNeoX,
            {.layers = "gpt_neox.layers.",
                .outside = {{"gpt_neox.embed_in", {"model.embed_tokens"}},
                    {"gpt_neox.final_layer_norm", {"model.norm"}}, {"embed_out", {"lm_head"}}},
                .inLayer = {{"attention.query_key_value", kQkv, false, HfRows::HeadByHead},
                    {"attention.dense", {"self_attn.o_proj"}}, {"mlp.dense_h_to_4h", {"mlp.up_proj"}},
                    {"mlp.dense_4h_to_h", {"mlp.down_proj"}}},
                .tables = {".attention.bias", ".attention.masked_bias"}}},
        {WeightNaming::Starcoder2, {.inLayer = {{"mlp.c_fc", {"mlp.up_proj"}}, {"mlp.c_proj", {"mlp.down_proj"}}}}},
        {WeightNaming::Phi, {.outside = {{"model.final_layernorm", {"model.norm"}}},
                                .inLayer = {{"self_attn.dense", {"self_attn.o_proj"}}, {"mlp.fc1", {"mlp.up_proj"}},
                                    {"mlp.fc2", {"mlp.down_proj"}}}}},
        {WeightNaming::Opt, {.layers = "model.decoder.layers.",
                                .outside = {{"model.decoder.embed_tokens", {"model.embed_tokens"}},
                                    {"model.decoder.embed_positions", {"model.embed_positions"}},
                                    {"model.decoder.final_layer_norm", {"model.norm"}}},
                                .inLayer = {{"self_attn.out_proj", {"self_attn.o_proj"}}, {"fc1", {"mlp.up_proj"}},
                                    {"fc2", {"mlp.down_proj"}}, {"self_attn_layer_norm", {"input_layernorm"}},
                                    {"final_layer_norm", {"post_attention_layernorm"}}},
                                .mayLack = "model."}},
        {WeightNaming::Mixtral, {.inLayer = {{"block_sparse_moe.gate", {"mlp.gate"}},
                                     {"block_sparse_moe.experts.#.w1", {"mlp.experts.#.gate_proj"}},
                                     {"block_sparse_moe.experts.#.w2", {"mlp.experts.#.down_proj"}},
                                     {"block_sparse_moe.experts.#.w3", {"mlp.experts.#.up_proj"}}}}},
    };
    static const FamilyNames ours;
    const auto found = all.find(naming);
    return found == all.end() ? ours : found->second;
}

const FamilyNames &namesOf(const ModelSpec &model)
{
    const ModelFamily *family = familyOfType(model.family);
    if (!family)
        throw std::logic_error("a model of an unknown family: " + model.family);
    return namesOf(family->weights);
}

// If the pattern matches `name`: the text that its '#' matches, or an empty string. Otherwise nothing.
std::optional<std::string_view> matched(std::string_view pattern, std::string_view name)
{
    const std::size_t at = pattern.find('#');
    if (at == std::string_view::npos)
        return pattern == name ? std::optional<std::string_view>("") : std::nullopt;
    const std::string_view end = pattern.substr(at + 1);
    if (name.size() <= pattern.size() - 1 || !name.starts_with(pattern.substr(0, at)) || !name.ends_with(end))
        return std::nullopt;
    const std::string_view number = name.substr(at, name.size() - at - end.size());
    return number.find('.') == std::string_view::npos ? std::optional(number) : std::nullopt;
}

std::string filled(std::string_view pattern, std::string_view number)
{
    const std::size_t at = pattern.find('#');
    return at == std::string_view::npos
               ? std::string(pattern)
               : std::string(pattern.substr(0, at)) + std::string(number) + std::string(pattern.substr(at + 1));
}

class TensorList {
public:
    explicit TensorList(const ModelSpec &model) : m_model(model), m_names(namesOf(model)) {}

    std::vector<HfTensor> all()
    {
        addAll(embeddingTensors(m_model), m_names.outside, "", "");
        const std::vector<WeightTensor> layer = layerTensors(m_model);
        for (int i = 0; i < m_model.layers; ++i)
            addAll(layer, m_names.inLayer, layerPrefix(i), std::string(m_names.layers) + std::to_string(i) + ".");
        addAll(headTensors(m_model), m_names.outside, "", "");
        return std::move(m_tensors);
    }

private:
    void addAll(const std::vector<WeightTensor> &tensors, const std::vector<Rule> &rules, const std::string &ourPrefix,
        const std::string &theirPrefix)
    {
        for (const WeightTensor &tensor : tensors) {
            for (const ModelWeight &part : tensor.parts)
                add(part, rules, ourPrefix, theirPrefix);
        }
    }

    // The parts of a tensor follow each other: the first one of them begins it.
    void add(
        ModelWeight part, const std::vector<Rule> &rules, const std::string &ourPrefix, const std::string &theirPrefix)
    {
        const std::size_t dot = part.name.rfind('.');
        const std::string stem = part.name.substr(0, dot), kind = part.name.substr(dot);
        part.name = ourPrefix + part.name;
        for (const Rule &rule : rules) {
            for (const std::string_view ours : rule.ours) {
                const std::optional<std::string_view> number = matched(ours, stem);
                if (!number)
                    continue;
                if (ours == rule.ours.front())
                    begin(theirPrefix + filled(rule.theirs, *number) + kind, rule);
                return append(std::move(part));
            }
        }
        begin(theirPrefix + stem + kind, Rule{});
        append(std::move(part));
    }

    void begin(std::string name, const Rule &rule)
    {
        if (rule.rows == HfRows::HeadByHead && m_model.attention.heads != m_model.attention.kvHeads)
            throw std::logic_error("heads that share keys cannot be interleaved");
        m_tensors.push_back({.name = std::move(name),
            .rows = rule.rows,
            .transposed = rule.transposed,
            .headDim = rule.rows == HfRows::HeadByHead ? m_model.attention.headDim : 0});
    }

    void append(ModelWeight part)
    {
        HfTensor &tensor = m_tensors.back();
        tensor.transposed = tensor.transposed && part.shape.size() > 1;
        const std::size_t rows = tensor.transposed ? 1 : 0;
        if (tensor.parts.empty()) {
            tensor.shape = part.shape;
            if (tensor.transposed)
                std::swap(tensor.shape[0], tensor.shape[1]);
        } else {
            tensor.shape[rows] += part.rows();
        }
        tensor.parts.push_back(std::move(part));
    }

    const ModelSpec &m_model;
    const FamilyNames &m_names;
    std::vector<HfTensor> m_tensors;
};

} // namespace

std::vector<HfTensor> hfTensors(const ModelSpec &model) { return TensorList(model).all(); }

std::string wholeHfName(const ModelSpec &model, std::string_view name)
{
    const std::string_view begin = namesOf(model).mayLack;
    const bool whole = name.starts_with(begin) || name.starts_with("lm_head.");
    return whole ? std::string(name) : std::string(begin) + std::string(name);
}

bool isDerivedHfTensor(const ModelSpec &model, std::string_view name)
{
    const FamilyNames &names = namesOf(model);
    if (name.ends_with("rotary_emb.inv_freq") || std::any_of(names.tables.begin(), names.tables.end(),
                                                     [name](std::string_view end) { return name.ends_with(end); }))
        return true;
    if (!model.head.tied)
        return false;
    const auto head = std::find_if(
        names.outside.begin(), names.outside.end(), [](const Rule &rule) { return rule.ours.front() == "lm_head"; });
    return name == std::string(head == names.outside.end() ? "lm_head" : head->theirs) + ".weight";
}

} // namespace slipway
