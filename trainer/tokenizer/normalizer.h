// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The "normalizer" of a tokenizer.json: changes to the text before it is split into pieces.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tokenizer/json_fields.h"
#include "tokenizer/regex.h"

namespace slipway {

struct UnicodeForm {
    bool compatibility = false, composed = true; // NFC, NFD, NFKC, NFKD
};
struct Replace {
    std::string pattern; // if it is a plain text
    std::optional<Regex> regex;
    std::string content;
};
struct Prepend {
    std::string text;
};
struct Lowercase {};
struct Strip {
    bool left = false, right = false;
};
using NormalizerStep = std::variant<UnicodeForm, Replace, Prepend, Lowercase, Strip>;

// Sequences are flattened.
std::vector<NormalizerStep> readNormalizer(const nlohmann::json &value, const std::string &key, JsonDocument &document);

// {"String": "..."} or {"Regex": "..."}.
struct TextPattern {
    std::string text;
    std::optional<Regex> regex;
};
TextPattern readPattern(JsonFields &fields);

// Runs the steps. Each thread needs its own object.
class Normalizing {
public:
    explicit Normalizing(const std::vector<NormalizerStep> &steps);

    struct Section {
        std::string_view text;
        bool atStart = true; // the first character is the first of the document, or replaces it
    };
    // `continues`: an earlier part of the document was processed, so nothing is prepended. The result is valid until
    // the next call.
    Result<Section> run(std::string_view text, bool continues);

private:
    Result<bool> apply(std::size_t step, Section &section, bool continues, std::string &out); // false: unchanged

    const std::vector<NormalizerStep> &m_steps;
    std::vector<std::optional<RegexSearch>> m_searches;
    std::string m_buffers[2];
};

} // namespace slipway
