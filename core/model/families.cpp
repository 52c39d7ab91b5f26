// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/families.h"

#include <algorithm>

namespace slipway {

namespace {

constexpr std::array<ModelFamily, 14> kFamilies{{
    {.type = "llama"},
    {.type = "mistral"},
    {.type = "mobilellm"},
    {.type = "qwen2", .names = {"qwen2", "qwen1.5"}, .qkvBias = true},
    {.type = "qwen3", .names = {"qwen3"}, .qkNorm = QkNorm::Head},
    {.type = "gemma", .names = {"gemma"}, .fp32NormWeight = true, .tied = true},
    {.type = "gpt2",
        .mlp = Mlp::Gelu,
        .norm = Norm::LayerNorm,
        .position = Position::Learned,
        .qkvBias = true,
        .attentionOutBias = true,
        .mlpBias = true,
        .normBias = true,
        .tied = true,
        .dropout = true,
        .activation = "gelu_new"},
    {.type = "gpt_neox",
        .names = {"pythia", "neox"},
        .mlp = Mlp::Gelu,
        .norm = Norm::LayerNorm,
        .qkvBias = true,
        .attentionOutBias = true,
        .mlpBias = true,
        .normBias = true,
        .parallelBlock = true,
        .rotaryFraction = 0.25},
    {.type = "opt",
        .names = {"opt-"},
        .mlp = Mlp::Gelu,
        .norm = Norm::LayerNorm,
        .position = Position::Learned,
        .qkvBias = true,
        .attentionOutBias = true,
        .mlpBias = true,
        .normBias = true,
        .splitQkv = true,
        .tied = true,
        .dropout = true,
        .activation = "relu",
        .extraPositions = 2},
    {.type = "phi",
        .names = {"phi-"},
        .mlp = Mlp::Gelu,
        .norm = Norm::LayerNorm,
        .qkvBias = true,
        .attentionOutBias = true,
        .mlpBias = true,
        .headBias = true,
        .normBias = true,
        .blockNorms = 1,
        .splitQkv = true,
        .parallelBlock = true,
        .rotaryFraction = 0.5,
        .activation = "gelu_new"},
    {.type = "stablelm",
        .names = {"stablelm"},
        .norm = Norm::LayerNorm,
        .normBias = true,
        .splitQkv = true,
        .rotaryFraction = 0.25},
    {.type = "olmo", .names = {"olmo-1b", "olmo-7b"}, .norm = Norm::LayerNorm, .normWeight = false, .splitQkv = true},
    {.type = "mixtral"},
    {.type = "olmoe", .names = {"olmoe"}, .qkNorm = QkNorm::Full},
}};

// At the name's begin or after what ends a word: "adopt-1b" is no OPT.
bool startsWord(std::string_view name, std::string_view word)
{
    for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
        if (at == 0 || !((name[at - 1] >= 'a' && name[at - 1] <= 'z') || (name[at - 1] >= '0' && name[at - 1] <= '9')))
            return true;
    }
    return false;
}

} // namespace

std::span<const ModelFamily> modelFamilies() { return kFamilies; }

const ModelFamily *familyNamed(std::string_view lowerCaseName)
{
    for (const ModelFamily &family : kFamilies) {
        if (std::any_of(family.names.begin(), family.names.end(),
                [&](std::string_view word) { return !word.empty() && startsWord(lowerCaseName, word); }))
            return &family;
    }
    return nullptr;
}

void applyFamily(const ModelFamily &family, ModelSpec &model)
{
    model.norm = family.norm;
    model.normBias = family.normBias;
    model.normWeight = family.normWeight;
    model.blockNorms = family.blockNorms;
    model.qkvBias = family.qkvBias;
    model.attentionOutBias = family.attentionOutBias;
    model.mlpBias = family.mlpBias;
    model.headBias = family.headBias;
    model.qkNorm = family.qkNorm;
    model.splitQkv = family.splitQkv;
    model.parallelBlock = family.parallelBlock;
    model.fp32NormWeight = family.fp32NormWeight;
}

} // namespace slipway
