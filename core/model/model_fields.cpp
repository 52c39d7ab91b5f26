// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/model_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <vector>

namespace slipway {

namespace {

constexpr std::size_t kMostItems = 4096; // of a list

template<typename E>
TextAccessor choiceAt(E &value)
{
    return {.get = [&value] { return std::string(enumName(value)); },
        .set =
            [&value](std::string_view text) {
                const std::optional<E> named = enumFromName<E>(text);
                value = named.value_or(value);
                return named.has_value();
            },
        .accepted = enumChoices<E>()};
}

std::vector<std::string_view> wordsOf(std::string_view text)
{
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t begin = text.find_first_not_of(' ');
        if (begin == std::string_view::npos)
            return words;
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        text.remove_prefix(end);
    }
}

template<typename T>
std::optional<std::vector<T>> numbersOf(std::string_view text)
{
    std::vector<T> numbers;
    for (const std::string_view word : wordsOf(text)) {
        T value{};
        const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (fault != std::errc() || end != word.data() + word.size() || numbers.size() >= kMostItems)
            return std::nullopt;
        numbers.push_back(value);
    }
    return numbers;
}

TextAccessor factorsAt(std::vector<double> &factors)
{
    return {.get = [&factors] { return fmt::format("{}", fmt::join(factors, " ")); },
        .set =
            [&factors](std::string_view text) {
                const auto read = numbersOf<double>(text);
                factors = read.value_or(factors);
                return read.has_value();
            },
        .accepted = "numbers with spaces between them"};
}

// Which of the MLPs with a name of their own: the activation may be another one.
TextAccessor mlpAt(MlpModule &mlp)
{
    return {.get = [&mlp] { return std::string(mlp.gated ? "swiglu" : "gelu"); },
        .set =
            [&mlp](std::string_view text) {
                const bool swiglu = text == "swiglu", geglu = text == "geglu";
                if (!swiglu && !geglu && text != "gelu")
                    return false;
                mlp.gated = swiglu || geglu;
                mlp.activation = swiglu ? Activation::Silu : geglu ? Activation::GeluTanh : Activation::GeluErf;
                return true;
            },
        .accepted = "swiglu, geglu, gelu"};
}

// A number for each layer of the pattern; one list makes room for the other.
TextAccessor patternAt(ModelSpec &model, int LayerKind::*member)
{
    return {.get =
                [&model, member] {
                    std::string text;
                    for (const LayerKind &kind : model.pattern)
                        text += (text.empty() ? "" : " ") + std::to_string(kind.*member);
                    return text;
                },
        .set =
            [&model, member](std::string_view text) {
                const auto read = numbersOf<int>(text);
                if (!read || read->empty())
                    return false;
                if (model.pattern.size() == 1 && read->size() > 1)
                    model.pattern.resize(read->size(), model.pattern.front());
                if (read->size() != 1 && read->size() != model.pattern.size())
                    return false;
                for (std::size_t i = 0; i < model.pattern.size(); ++i)
                    model.pattern[i].*member = (*read)[i % read->size()];
                return true;
            },
        .accepted = "a number for each layer of the pattern, with spaces between them"};
}

// The bases of further RoPE modules after the first. Their other fields have default values.
TextAccessor furtherRopesAt(ModelSpec &model)
{
    return {.get =
                [&model] {
                    std::string text;
                    for (std::size_t i = 1; i < model.ropes.size(); ++i)
                        text += fmt::format("{}{}", i > 1 ? " " : "", model.ropes[i].base);
                    return text;
                },
        .set =
            [&model](std::string_view text) {
                const auto read = numbersOf<double>(text);
                if (!read)
                    return false;
                model.ropes.resize(1);
                for (const double base : *read)
                    model.ropes.push_back({.base = base});
                return true;
            },
        .accepted = "bases with spaces between them"};
}

using M = ModelSpec;
using P = FieldPointer;
constexpr InManifest kAlways = InManifest::Always;

constexpr std::array kFields{
    ModelField{"layers", [](M &m) -> P { return &m.layers; }, kAlways},
    ModelField{"hidden", [](M &m) -> P { return &m.hidden; }, kAlways},
    ModelField{"heads", [](M &m) -> P { return &m.attention.heads; }, kAlways},
    ModelField{"kv_heads", [](M &m) -> P { return &m.attention.kvHeads; }, kAlways},
    ModelField{"head_dim", [](M &m) -> P { return &m.attention.headDim; }, kAlways},
    ModelField{"ffn", [](M &m) -> P { return &m.mlp.width; }, kAlways},
    ModelField{"vocab", [](M &m) -> P { return &m.vocab; }, kAlways},
    ModelField{"tied", [](M &m) -> P { return &m.head.tied; }, kAlways},
    ModelField{"mlp", [](M &m) -> P { return mlpAt(m.mlp); }, kAlways},
    ModelField{"activation", [](M &m) -> P { return choiceAt(m.mlp.activation); }},
    ModelField{"gelu_by_parts", [](M &m) -> P { return &m.mlp.byParts; }, InManifest::Never},
    ModelField{"norm", [](M &m) -> P { return choiceAt(m.norm.kind); }, kAlways},
    ModelField{"position", [](M &m) -> P { return choiceAt(m.position); }, kAlways},
    ModelField{"max_positions", [](M &m) -> P { return &m.embedding.positions; }, kAlways},
    ModelField{"context_length", [](M &m) -> P { return &m.contextLength; }, InManifest::Never},
    ModelField{"rope_theta", [](M &m) -> P { return &m.ropes.front().base; }, kAlways},
    ModelField{"norm_eps", [](M &m) -> P { return &m.norm.eps; }, kAlways},
    ModelField{"qkv_bias", [](M &m) -> P { return &m.attention.qkvBias; }, kAlways},
    ModelField{"attention_out_bias", [](M &m) -> P { return &m.attention.outBias; }, kAlways},
    ModelField{"mlp_bias", [](M &m) -> P { return &m.mlp.bias; }, kAlways},
    ModelField{"mlp_limit", [](M &m) -> P { return &m.mlp.limit; }},
    ModelField{"mlp_one_plus_up", [](M &m) -> P { return &m.mlp.onePlusUp; }},
    ModelField{"head_bias", [](M &m) -> P { return &m.head.bias; }, kAlways},
    ModelField{"norm_bias", [](M &m) -> P { return &m.norm.bias; }, kAlways},
    ModelField{"experts", [](M &m) -> P { return &m.experts.count; }, kAlways},
    ModelField{"experts_per_token", [](M &m) -> P { return &m.experts.perToken; }, kAlways},
    ModelField{"norm_weight", [](M &m) -> P { return &m.norm.weight; }},
    ModelField{"norm_one_plus", [](M &m) -> P { return &m.norm.onePlusWeight; }},
    ModelField{"wide_norm", [](M &m) -> P { return &m.norm.fp32Weight; }, InManifest::Never},
    ModelField{"norm_placement", [](M &m) -> P { return choiceAt(m.block.norms); }},
    ModelField{"parallel_block", [](M &m) -> P { return &m.block.parallel; }},
    ModelField{"shared_norm", [](M &m) -> P { return &m.block.sharedNorm; }},
    ModelField{"branch_scale", [](M &m) -> P { return &m.block.branchScale; }},
    ModelField{"split_qkv", [](M &m) -> P { return &m.attention.splitQkv; }, InManifest::Never},
    ModelField{"qk_norm", [](M &m) -> P { return choiceAt(m.attention.qkNorm); }},
    ModelField{"qk_norm_after_rope", [](M &m) -> P { return &m.attention.qkNormAfterRope; }},
    ModelField{"attention_scale", [](M &m) -> P { return &m.attention.scale; }},
    ModelField{"attention_soft_cap", [](M &m) -> P { return &m.attention.softCap; }},
    ModelField{"attention_sinks", [](M &m) -> P { return &m.attention.sinks; }},
    ModelField{"embedding_scale", [](M &m) -> P { return &m.embedding.scale; }},
    ModelField{"first_position", [](M &m) -> P { return &m.embedding.firstPosition; }},
    ModelField{"logit_scale", [](M &m) -> P { return &m.head.logitScale; }},
    ModelField{"logit_soft_cap", [](M &m) -> P { return &m.head.softCap; }},
    ModelField{"rotary_fraction", [](M &m) -> P { return &m.ropes.front().fraction; }},
    ModelField{"rope_scaling", [](M &m) -> P { return choiceAt(m.ropes.front().scaling); }},
    ModelField{"rope_factor", [](M &m) -> P { return &m.ropes.front().factor; }},
    ModelField{"rope_trained_positions", [](M &m) -> P { return &m.ropes.front().trainedPositions; }},
    ModelField{"rope_low_frequency_factor", [](M &m) -> P { return &m.ropes.front().lowFrequencyFactor; }},
    ModelField{"rope_high_frequency_factor", [](M &m) -> P { return &m.ropes.front().highFrequencyFactor; }},
    ModelField{"rope_beta_fast", [](M &m) -> P { return &m.ropes.front().betaFast; }},
    ModelField{"rope_beta_slow", [](M &m) -> P { return &m.ropes.front().betaSlow; }},
    ModelField{"rope_mscale", [](M &m) -> P { return &m.ropes.front().mscale; }},
    ModelField{"rope_mscale_all_dim", [](M &m) -> P { return &m.ropes.front().mscaleAllDim; }},
    ModelField{"rope_truncates", [](M &m) -> P { return &m.ropes.front().truncates; }},
    ModelField{"rope_attention_factor", [](M &m) -> P { return &m.ropes.front().attentionFactor; }},
    ModelField{"rope_short_factors", [](M &m) -> P { return factorsAt(m.ropes.front().shortFactors); }},
    ModelField{"rope_long_factors", [](M &m) -> P { return factorsAt(m.ropes.front().longFactors); }},
    ModelField{"further_rope_thetas", [](M &m) -> P { return furtherRopesAt(m); }},
    ModelField{"windows", [](M &m) -> P { return patternAt(m, &LayerKind::window); }},
    ModelField{"ropes", [](M &m) -> P { return patternAt(m, &LayerKind::rope); }},
    ModelField{"router_bias", [](M &m) -> P { return &m.experts.routerBias; }},
    ModelField{"shared_expert_ffn", [](M &m) -> P { return &m.experts.sharedWidth; }},
    ModelField{"shared_expert_gate", [](M &m) -> P { return &m.experts.sharedGate; }},
    ModelField{"softmax_before_top_k", [](M &m) -> P { return &m.experts.softmaxBeforeTopK; }},
    ModelField{"normalizes_top_k", [](M &m) -> P { return &m.experts.normalizesTopK; }},
    ModelField{"aux_loss", [](M &m) -> P { return &m.experts.auxLoss; }, InManifest::Never},
    ModelField{"router_z_loss", [](M &m) -> P { return &m.experts.zLoss; }, InManifest::Never},
    ModelField{"capacity_factor", [](M &m) -> P { return &m.experts.capacityFactor; }},
    ModelField{"dropout", [](M &m) -> P { return &m.dropout; }, InManifest::Never},
};

} // namespace

std::span<const ModelField> modelFields() { return kFields; }

std::string differenceOf(const ModelSpec &model, const ModelSpec &wanted)
{
    struct Text {
        std::string operator()(const int *place) const { return std::to_string(*place); }
        std::string operator()(const double *place) const { return fmt::format("{}", *place); }
        std::string operator()(const bool *place) const { return *place ? "true" : "false"; }
        std::string operator()(const TextAccessor &place) const { return "'" + place.get() + "'"; }
    };
    ModelSpec a = model, b = wanted;
    for (const ModelField &field : kFields) {
        const std::string is = std::visit(Text{}, field.at(a)), asked = std::visit(Text{}, field.at(b));
        if (field.inManifest != InManifest::Never && is != asked)
            return std::string(field.key) + " is " + is + ", not " + asked;
    }
    return {};
}

} // namespace slipway
