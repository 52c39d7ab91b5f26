// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/families.h"

#include <algorithm>

#include "base/ascii.h"

namespace slipway {

namespace {

constexpr double kSmallEps = 1e-6;

void withEps(ModelSpec &m) { m.norm.eps = kSmallEps; }

void qwen2(ModelSpec &m)
{
    withEps(m);
    m.attention.qkvBias = true;
}

void qwen3(ModelSpec &m)
{
    withEps(m);
    m.attention.qkNorm = QkNorm::Head;
}

void gemma(ModelSpec &m)
{
    m.norm = {.eps = kSmallEps, .onePlusWeight = true, .fp32Weight = true};
    m.mlp.activation = Activation::GeluTanh;
    m.head.tied = true;
    m.embedding.scale = 0;
}

void gemma2(ModelSpec &m)
{
    gemma(m);
    m.block.norms = NormPlacement::Both;
}

void gemma3(ModelSpec &m)
{
    gemma2(m);
    m.attention.qkNorm = QkNorm::Head;
    m.ropes = {Rope{.base = 1e6}, Rope{.base = 1e4}};
}

void smollm3(ModelSpec &m)
{
    withEps(m);
    m.head.tied = true;
    m.ropes.front().base = 2e6;
}

// LayerNorms with biases, GELU, and biases everywhere.
void classic(ModelSpec &m)
{
    m.norm = {.kind = NormKind::LayerNorm, .bias = true};
    m.mlp = {.gated = false, .activation = Activation::GeluErf, .bias = true};
    m.attention.qkvBias = m.attention.outBias = true;
}

void gpt2(ModelSpec &m)
{
    classic(m);
    m.mlp.activation = Activation::GeluTanh;
    m.mlp.byParts = true;
    m.position = Position::Learned;
    m.head.tied = m.dropout = true;
}

void gptNeoX(ModelSpec &m)
{
    classic(m);
    m.block.parallel = true;
    m.ropes.front().fraction = 0.25;
}

void opt(ModelSpec &m)
{
    classic(m);
    m.mlp.activation = Activation::Relu;
    m.position = Position::Learned;
    m.embedding.firstPosition = 2;
    m.attention.splitQkv = m.head.tied = m.dropout = true;
}

void phi(ModelSpec &m)
{
    classic(m);
    m.mlp.activation = Activation::GeluTanh;
    m.mlp.byParts = true;
    m.block = {.parallel = true, .sharedNorm = true};
    m.attention.splitQkv = m.head.bias = true;
    m.ropes.front().fraction = 0.5;
}

void starcoder2(ModelSpec &m)
{
    classic(m);
    m.mlp.activation = Activation::GeluTanh;
    m.attention.splitQkv = m.head.tied = true;
}

void stablelm(ModelSpec &m)
{
    m.norm = {.kind = NormKind::LayerNorm, .bias = true};
    m.attention.splitQkv = true;
    m.ropes.front().fraction = 0.25;
}

void olmo(ModelSpec &m)
{
    m.norm = {.kind = NormKind::LayerNorm, .weight = false};
    m.attention.splitQkv = true;
}

void olmo2(ModelSpec &m)
{
    m.block.norms = NormPlacement::After;
    m.attention.qkNorm = QkNorm::Full;
}

void arcee(ModelSpec &m)
{
    m.mlp.gated = false;
    m.mlp.activation = Activation::Relu2;
}

void mixtral(ModelSpec &m)
{
    m.ropes.front().base = 1e6;
    m.experts.normalizesTopK = true;
}

void qwen2Moe(ModelSpec &m)
{
    qwen2(m);
    m.experts.sharedGate = true;
}

void olmoe(ModelSpec &m) { m.attention.qkNorm = QkNorm::Full; }

void gptOss(ModelSpec &m)
{
    m.attention.qkvBias = m.attention.outBias = m.attention.sinks = true;
    m.mlp = {.activation = Activation::QuickGelu, .bias = true, .limit = 7, .onePlusUp = true};
    m.experts.routerBias = true;
    m.experts.softmaxBeforeTopK = false;
    m.ropes.front().base = 150'000;
}

void asLlama(ModelSpec &) {}

// Of the last ones, only plans are made.
constexpr std::size_t kPlannedOnly = 1;
constexpr std::array<ModelFamily, 25> kFamilies{{
    {"llama", "LlamaForCausalLM", withEps},
    {"mistral", "MistralForCausalLM", withEps},
    {"mobilellm", "MobileLLMForCausalLM", asLlama, {}, WeightNaming::Llama, "llama"},
    {"qwen2", "Qwen2ForCausalLM", qwen2, {"qwen2", "qwen1.5"}},
    {"qwen3", "Qwen3ForCausalLM", qwen3, {"qwen3"}},
    {"gemma", "GemmaForCausalLM", gemma, {"gemma"}},
    {"gemma2", "Gemma2ForCausalLM", gemma2, {"gemma-2-", "gemma2"}, WeightNaming::Gemma2},
    {"gemma3_text", "Gemma3ForCausalLM", gemma3, {"gemma-3-", "gemma3"}, WeightNaming::Gemma2},
    {"smollm3", "SmolLM3ForCausalLM", smollm3},
    {"granite", "GraniteForCausalLM", withEps},
    {"phi3", "Phi3ForCausalLM", asLlama, {"phi-3", "phi-4"}, WeightNaming::Phi3},
    {"gpt2", "GPT2LMHeadModel", gpt2, {}, WeightNaming::Gpt2},
    {"gpt_neox", "GPTNeoXForCausalLM", gptNeoX, {"pythia", "neox"}, WeightNaming::GptNeoX},
    {"opt", "OPTForCausalLM", opt, {"opt-"}, WeightNaming::Opt},
    {"phi", "PhiForCausalLM", phi, {"phi-"}, WeightNaming::Phi},
    {"starcoder2", "Starcoder2ForCausalLM", starcoder2, {"starcoder2"}, WeightNaming::Starcoder2},
    {"stablelm", "StableLmForCausalLM", stablelm, {"stablelm"}},
    {"olmo", "OlmoForCausalLM", olmo, {"olmo-1b", "olmo-7b"}},
    {"olmo2", "Olmo2ForCausalLM", olmo2, {"olmo-2-", "olmo2"}, WeightNaming::Olmo2},
    {"arcee", "ArceeForCausalLM", arcee, {"afm-"}},
    {"mixtral", "MixtralForCausalLM", mixtral, {}, WeightNaming::Mixtral},
    {"olmoe", "OlmoeForCausalLM", olmoe, {"olmoe"}},
    {"qwen2_moe", "Qwen2MoeForCausalLM", qwen2Moe, {"qwen1.5-moe", "qwen2-57b-a14b"}},
    {"qwen3_moe", "Qwen3MoeForCausalLM", qwen3, {"qwen3-30b-a3b", "qwen3-235b-a22b"}},
    {"gpt_oss", "GptOssForCausalLM", gptOss},
}};

// At the name's begin or after what ends a word: "adopt-1b" is no OPT.
bool startsWord(std::string_view name, std::string_view word)
{
    for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
        if (at == 0 || !(isLower(name[at - 1]) || isDigit(name[at - 1])))
            return true;
    }
    return false;
}

} // namespace

std::span<const ModelFamily> modelFamilies() { return std::span(kFamilies).first<kFamilies.size() - kPlannedOnly>(); }
std::span<const ModelFamily> plannedFamilies() { return std::span(kFamilies).last<kPlannedOnly>(); }

const ModelFamily *familyOfType(std::string_view type)
{
    const auto found = std::find_if(
        kFamilies.begin(), kFamilies.end(), [type](const ModelFamily &family) { return family.type == type; });
    return found == kFamilies.end() ? nullptr : &*found;
}

const ModelFamily *familyNamed(std::string_view lowerCaseName)
{
    const ModelFamily *named = nullptr;
    std::size_t longest = 0;
    for (const ModelFamily &family : kFamilies) {
        for (const std::string_view word : family.names) {
            if (word.size() > longest && startsWord(lowerCaseName, word)) {
                named = &family;
                longest = word.size();
            }
        }
    }
    return named;
}

std::string familyNames()
{
    std::string names;
    for (const ModelFamily &family : kFamilies)
        names += (names.empty() ? "" : ", ") + std::string(family.type);
    return names;
}

ModelSpec familyDefaults(const ModelFamily &family)
{
    ModelSpec model;
    model.family = family.type;
    family.describe(model);
    return model;
}

void applyFamily(const ModelFamily &family, ModelSpec &model)
{
    const ModelSpec plain = familyDefaults(family);
    const double eps = model.norm.eps;
    model.norm = plain.norm;
    model.norm.eps = eps;
    model.block = plain.block;
    model.attention.qkvBias = plain.attention.qkvBias;
    model.attention.outBias = plain.attention.outBias;
    model.attention.qkNorm = plain.attention.qkNorm;
    model.attention.splitQkv = plain.attention.splitQkv;
    model.mlp.bias = plain.mlp.bias;
    model.head.bias = plain.head.bias;
}

} // namespace slipway
