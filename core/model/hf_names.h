// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The tensors that a family's files on Hugging Face consist of, and which of our weights (model_weights.h) each holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_weights.h"

namespace slipway {

// How the rows of several weights stand in one tensor: one weight below the other, or a head of each in turn.
enum class HfRows : std::uint8_t { Stacked, HeadByHead };

struct HfTensor {
    std::string name;                     // "transformer.wte.weight"
    std::vector<std::int64_t> shape = {}; // in the file
    std::vector<ModelWeight> parts = {};  // ours, by their whole names
    HfRows rows = HfRows::Stacked;
    bool transposed = false;  // [in, out]
    std::int64_t headDim = 0; // of HeadByHead: rows that stay together
    bool operator==(const HfTensor &) const = default;
};

// Every weight of the model is a part of exactly one. The model's family is known, and where its files interleave
// heads, each has its own keys and values: std::logic_error otherwise.
std::vector<HfTensor> hfTensors(const ModelSpec &model);

// The same name without what some files leave out ("wte.weight" of GPT-2), as hfTensors() has it.
std::string wholeHfName(const ModelSpec &model, std::string_view name);

// Whether a file may hold it beside the weights: tables that follow from the configuration, and a head that is tied.
bool isDerivedHfTensor(const ModelSpec &model, std::string_view name);

} // namespace slipway
