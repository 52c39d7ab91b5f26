// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The list of model families: the modules of each that its config.json does not describe, and the names in Hugging
// Face's files. A family has a record here and a mapping of keys in hf_keys.cpp.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "model/model_spec.h"

namespace slipway {

// The naming scheme of a family's weights in Hugging Face's files.
enum class WeightNaming { Llama, Gemma2, Olmo2, Phi3, Gpt2, GptNeoX, Starcoder2, Phi, Mixtral, Opt };

struct ModelFamily {
    std::string_view type;                      // Transformers' model_type
    std::string_view architecture;              // and its class
    void (*describe)(ModelSpec &);              // changes a plain LLaMA to the defaults of the class
    std::array<std::string_view, 2> names = {}; // prefixes of model names, in lower case, without a config.json
    WeightNaming weights = WeightNaming::Llama;
    std::string_view writtenAs = {}; // the family whose class computes the same, where Transformers has none of it
};

// Those that the trainer runs, and whose weights it exchanges with Hugging Face.
std::span<const ModelFamily> modelFamilies();
// Those that only plans of frameworks describe: the trainer lacks one of their modules.
std::span<const ModelFamily> plannedFamilies();

// The family with this model_type of Transformers; nullptr if there is none.
const ModelFamily *familyOfType(std::string_view type);
// By a model's name ("EleutherAI/pythia-1.4b"), and the longest word that it begins with ("gemma-2-9b" is no Gemma 1);
// nullptr where no name tells.
const ModelFamily *familyNamed(std::string_view lowerCaseName);
// "llama, mistral, ...": for messages.
std::string familyNames();

// A model of the family that says nothing of itself: without sizes.
ModelSpec familyDefaults(const ModelFamily &family);

// Norms, biases and what a block joins; sizes, positions, scales and the activation stay.
void applyFamily(const ModelFamily &family, ModelSpec &model);

} // namespace slipway
