// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A tokenizer.json whose ids are known by hand: a byte's id is the byte, "th" and "the" follow, then two marks.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "tokenizer/byte_level.h"
#include "tokenizer/utf8.h"

namespace slipway::testing {

inline constexpr int kThId = 256, kTheId = 257, kBeginId = 258, kEndId = 259, kByteVocabulary = 260;

inline nlohmann::json byteTokenizer()
{
    using Json = nlohmann::json;
    Json vocab = Json::object();
    for (int byte = 0; byte < 256; ++byte) {
        std::string character;
        appendUtf8(character, byteLevelCharacter(static_cast<unsigned char>(byte)));
        vocab[character] = byte;
    }
    vocab["th"] = kThId;
    vocab["the"] = kTheId;
    const auto added = [](int id, const char *content) {
        return Json{{"id", id}, {"content", content}, {"single_word", false}, {"lstrip", false}, {"rstrip", false},
            {"normalized", false}, {"special", true}};
    };
    return {{"version", "1.0"}, {"truncation", nullptr}, {"padding", nullptr}, {"normalizer", nullptr},
        {"added_tokens", {added(kBeginId, "<begin>"), added(kEndId, "<end>")}},
        {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}}},
        {"post_processor", nullptr}, {"decoder", {{"type", "ByteLevel"}}},
        {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", {"t h", "th e"}}}}};
}

// The same with a post-processor that puts the begin mark before a text.
inline nlohmann::json byteTokenizerThatBegins()
{
    nlohmann::json json = byteTokenizer();
    json["post_processor"] = {{"type", "TemplateProcessing"},
        {"single",
            {{{"SpecialToken", {{"id", "<begin>"}, {"type_id", 0}}}}, {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
        {"pair", nlohmann::json::array()},
        {"special_tokens", {{"<begin>", {{"id", "<begin>"}, {"ids", {kBeginId}}, {"tokens", {"<begin>"}}}}}}};
    return json;
}

} // namespace slipway::testing
