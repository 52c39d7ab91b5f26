// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The "normalizer" of a tokenizer.json: what is done to the text before it is cut into pieces.
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
    std::string pattern; // where it is a plain text
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

// Runs the steps; each thread has its own.
class Normalizing {
public:
    explicit Normalizing(const std::vector<NormalizerStep> &steps);

    struct Section {
        std::string_view text;
        bool atStart = true; // the first character is the first one of the document, or stands for it
    };
    // `continues`: something of the document comes before, so nothing is prepended. The result is valid until the next
    // call.
    Result<Section> run(std::string_view text, bool continues);

private:
    Result<bool> apply(std::size_t step, Section &section, bool continues, std::string &out); // false: unchanged

    const std::vector<NormalizerStep> &m_steps;
    std::vector<std::optional<RegexSearch>> m_searches;
    std::string m_buffers[2];
};

} // namespace slipway
