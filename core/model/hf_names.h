// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The tensors in a family's Hugging Face files, and the weights of model_weights.h that each of them contains.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_weights.h"

namespace slipway {

// How a tensor combines the rows of several weights: one weight after the other, or one head of each in turn.
enum class HfRows : std::uint8_t { Stacked, HeadByHead };

struct HfTensor {
    std::string name;                     // "transformer.wte.weight"
    std::vector<std::int64_t> shape = {}; // in the file
    std::vector<ModelWeight> parts = {};  // our weights, by their full names
    HfRows rows = HfRows::Stacked;
    bool transposed = false;  // [in, out]
    std::int64_t headDim = 0; // of HeadByHead: rows that stay together
    bool operator==(const HfTensor &) const = default;
};

// Every weight of the model is part of exactly one tensor. Throws std::logic_error if the family is unknown, or if its
// files interleave heads that share keys and values.
std::vector<HfTensor> hfTensors(const ModelSpec &model);

// The name that hfTensors() uses, for a file that omits a prefix ("wte.weight" of GPT-2).
std::string wholeHfName(const ModelSpec &model, std::string_view name);

// Whether a file may contain this tensor in addition to the weights: tables that follow from the configuration, and a
// tied LM head.
bool isDerivedHfTensor(const ModelSpec &model, std::string_view name);

} // namespace slipway
