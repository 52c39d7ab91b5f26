// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The "decoder" of a tokenizer.json: how tokens are converted to text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tokenizer/json_fields.h"
#include "tokenizer/regex.h"

namespace slipway {

struct ByteLevelDecoder {};
struct ByteFallbackDecoder {};
struct FuseDecoder {};
struct StripDecoder {
    char32_t character = 0;
    std::size_t start = 0, stop = 0; // highest number of characters to strip at the start and end of each token
};
struct ReplaceDecoder {
    Regex regex;
    std::string content;
};
struct MetaspaceDecoder {
    std::string replacement;
    bool dropsFirst = false; // removes the prefix of the first token
};
using DecoderStep =
    std::variant<ByteLevelDecoder, ByteFallbackDecoder, FuseDecoder, StripDecoder, ReplaceDecoder, MetaspaceDecoder>;

// Sequences are flattened.
std::vector<DecoderStep> readDecoder(const nlohmann::json &value, const std::string &key, JsonDocument &document);

// Without a decoder, tokens are joined by spaces.
std::string decodeTokens(const std::optional<std::vector<DecoderStep>> &steps, std::vector<std::string> tokens);

} // namespace slipway
