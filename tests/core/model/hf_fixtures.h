// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <string>
#include <string_view>

#include "model/hf_config.h"

namespace slipway {

inline Result<ModelSpec> read(std::string_view json) { return modelFromHfConfig(json, "config.json"); }

inline const std::string kSizes = R"("num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 4,
    "intermediate_size": 96, "vocab_size": 100)";

inline Result<ModelSpec> readType(const std::string &type, const std::string &more)
{
    return read(R"({"model_type": ")" + type + "\", " + kSizes + more + "}");
}

} // namespace slipway
