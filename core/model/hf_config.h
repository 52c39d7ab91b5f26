// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Converts the config.json of a Hugging Face model to a ModelSpec, and back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/model_spec.h"

namespace slipway {

// `model_type` decides the meaning and the defaults of the keys. An unknown `model_type` or key is an error that lists
// what is accepted. The result is validated.
Result<ModelSpec> modelFromHfConfig(std::string_view json, const std::string &where);
// Named "Llama-3.2-1B (llama)": by `_name_or_path`, else by the file or, for config.json, by its folder.
Result<ModelSpec> readHfConfig(const std::filesystem::path &path);

// The config.json of the model's family. An error if Transformers cannot represent the model.
struct HfMarks {
    std::optional<int> bos = 1, eos = 2; // LLaMA's; empty: none
};
struct HfConfigText {
    std::string_view type;      // of the weights: "float32", "bfloat16"
    std::int64_t positions = 0; // of the longest sequence that it was trained on
    HfMarks marks = {};         // ids of the tokenizer that begin and end a document
};
Result<std::string> hfConfigOf(const ModelSpec &model, const HfConfigText &text);

} // namespace slipway
