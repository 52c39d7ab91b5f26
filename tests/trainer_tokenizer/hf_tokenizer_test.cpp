// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/hf_tokenizer.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tokenizer/byte_level.h"
#include "tokenizer/utf8.h"

namespace slipway {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

// Byte-level BPE with the merges of "the" and " the"; "<|end|>" has the id 260.
Json document()
{
    Json vocab = Json::object();
    for (int byte = 0; byte < 256; ++byte) {
        std::string character;
        appendUtf8(character, byteLevelCharacter(static_cast<unsigned char>(byte)));
        vocab[character] = byte;
    }
    vocab["th"] = 256;
    vocab["the"] = 257;
    vocab["Ġthe"] = 258;
    vocab["Ġ!"] = 259;
    return {{"version", "1.0"}, {"truncation", nullptr}, {"padding", nullptr}, {"normalizer", nullptr},
        {"added_tokens", {{{"id", 260}, {"content", "<|end|>"}, {"single_word", false}, {"lstrip", false},
                             {"rstrip", false}, {"normalized", false}, {"special", true}}}},
        {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}}},
        {"post_processor", nullptr}, {"decoder", {{"type", "ByteLevel"}}},
        {"model", {{"type", "BPE"}, {"dropout", nullptr}, {"unk_token", nullptr}, {"vocab", vocab},
                      {"merges", {"t h", "th e", "Ġ the", "Ġ !"}}}}};
}

std::vector<TokenId> encoded(const HfTokenizer &tokenizer, std::string_view text, bool continues = false)
{
    std::vector<TokenId> ids;
    EXPECT_TRUE(tokenizer.encoder()->encode(text, continues, ids));
    return ids;
}

HfTokenizer parsed(const Json &json)
{
    Result<HfTokenizer> tokenizer = HfTokenizer::parse(json.dump(), "t.json");
    EXPECT_TRUE(tokenizer) << tokenizer.error().message();
    return std::move(*tokenizer);
}

std::string refusal(const Json &json)
{
    const Result<HfTokenizer> tokenizer = HfTokenizer::parse(json.dump(), "t.json");
    return tokenizer ? "accepted" : tokenizer.error().message();
}

TEST(HfTokenizer, EncodesAndDecodesByHand)
{
    const HfTokenizer tokenizer = parsed(document());
    EXPECT_EQ(tokenizer.idLimit(), 261);
    EXPECT_THAT(encoded(tokenizer, "the the<|end|> !é"), ElementsAre(257, 258, 260, 259, 0xC3, 0xA9));
    EXPECT_EQ(tokenizer.decode(encoded(tokenizer, "the the<|end|> !é"), true), "the the !é");
    EXPECT_EQ(tokenizer.decode(encoded(tokenizer, "the the<|end|> !é"), false), "the the<|end|> !é");
}

TEST(HfTokenizer, MergesMayBeTextsOrPairs)
{
    Json pairs = document();
    pairs["model"]["merges"] = Json::array();
    for (const auto &[left, right] : {std::pair{"t", "h"}, {"th", "e"}, {"Ġ", "the"}, {"Ġ", "!"}})
        pairs["model"]["merges"].push_back(Json::array({left, right}));
    EXPECT_EQ(encoded(parsed(pairs), "the the !"), encoded(parsed(document()), "the the !"));
}

TEST(HfTokenizer, PutsTheTemplatesTokensAroundAText)
{
    Json json = document();
    json["post_processor"] = {{"type", "Sequence"},
        {"processors",
            {{{"type", "ByteLevel"}, {"trim_offsets", true}},
                {{"type", "TemplateProcessing"},
                    {"single", {{{"SpecialToken", {{"id", "<|end|>"}, {"type_id", 0}}}},
                                   {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
                    {"pair", Json::array()},
                    {"special_tokens", {{"<|end|>", {{"id", "<|end|>"}, {"ids", {260}}, {"tokens", {"<|end|>"}}}}}}}}}};
    EXPECT_THAT(parsed(json).before(), ElementsAre(260));
    json["post_processor"]["processors"][1]["special_tokens"]["<|end|>"]["ids"] = {700};
    EXPECT_THAT(refusal(json),
        HasSubstr("post_processor.processors[1].single[0].SpecialToken.id has an id that is not in the vocabulary"));
}

TEST(HfTokenizer, BringsTextIntoTheFormOfUnicodeThatItNames)
{
    Json json = document();
    const auto form = [&json](const std::string &name, std::string_view text) {
        json["normalizer"] = {{"type", name}};
        return encoded(parsed(json), text);
    };
    EXPECT_THAT(form("NFC", "é"), ElementsAre(0xC3, 0xA9));
    EXPECT_THAT(form("NFC", "e\u0301"), ElementsAre(0xC3, 0xA9));
    EXPECT_THAT(form("NFD", "é"), ElementsAre('e', 0xCC, 0x81));
    EXPECT_THAT(form("NFC", "²"), ElementsAre(0xC2, 0xB2));
    EXPECT_THAT(form("NFKC", "²"), ElementsAre('2'));
    EXPECT_THAT(form("NFKD", "²é"), ElementsAre('2', 'e', 0xCC, 0x81));
}

TEST(HfTokenizer, PutsABlankOnlyBeforeTheTextNotBehindASpecialTokenWhoseNextCharacterIsReplaced)
{
    Json json = document();
    json["model"]["vocab"]["▁"] = 260;
    json["added_tokens"][0]["id"] = 261;
    json["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", "x"}}}, {"content", "y"}};
    json["pre_tokenizer"] = {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "first"}, {"split", true}};
    EXPECT_THAT(encoded(parsed(json), "x<|end|>x"), ElementsAre(260, 'y', 261, 'y'));
    const Json replace = json["normalizer"];
    json["normalizer"] = {{"type", "Sequence"},
        {"normalizers", Json::array({{{"type", "Strip"}, {"strip_left", true}, {"strip_right", false}}, replace})}};
    EXPECT_THAT(encoded(parsed(json), " x"), ElementsAre('y')) << "the text began with a blank";
}

TEST(HfTokenizer, AMetaspaceIsDecodedAsABlankAndTheFirstOneIsDroppedWhereEncodingAddsIt)
{
    Json json = document();
    json["model"]["vocab"]["▁"] = 260;
    json["added_tokens"][0]["id"] = 261;
    json["decoder"] = {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}, {"split", true}};
    const std::vector<TokenId> ids{260, 'a', 'b', 260, 'c'};
    EXPECT_EQ(parsed(json).decode(ids, true), "ab c");
    json["decoder"]["prepend_scheme"] = "never";
    EXPECT_EQ(parsed(json).decode(ids, true), " ab c");
}

TEST(HfTokenizer, ThePartsOfADocumentGiveTheTokensOfTheWhole)
{
    Json json = document();
    json["pre_tokenizer"]["add_prefix_space"] = true;
    const HfTokenizer tokenizer = parsed(json);
    const std::vector<TokenId> whole = encoded(tokenizer, "the end\nthe end");
    const std::vector<TokenId> rest = encoded(tokenizer, "the end", true);
    std::vector<TokenId> parts = encoded(tokenizer, "the end\n");
    parts.insert(parts.end(), rest.begin(), rest.end());
    EXPECT_EQ(parts, whole);
}

TEST(HfTokenizer, WhatIsNotUnderstoodIsRefusedWithItsKeyAndWhatWouldBe)
{
    Json json = document();
    json["pre_tokenizer"] = {{"type", "Whitespace"}};
    EXPECT_THAT(refusal(json), HasSubstr("t.json:1: pre_tokenizer.type is \"Whitespace\" (accepted: ByteLevel, Split, "
                                         "Digits, Metaspace, Sequence)"));
    json = document();
    json["pre_tokenizer"] = {{"type", "Sequence"},
        {"pretokenizers",
            {{{"type", "Split"}, {"pattern", {{"Regex", "(?<n>a)"}}}, {"behavior", "Isolated"}, {"invert", false}}}}};
    EXPECT_THAT(
        refusal(json), HasSubstr("pre_tokenizer.pretokenizers[0].pattern.Regex has a group that is not understood"));
    json = document();
    json["normalizer"] = {{"type", "Precompiled"}};
    EXPECT_THAT(refusal(json), AllOf(HasSubstr("normalizer.type is \"Precompiled\""), HasSubstr("NFKC")));
    json = document();
    json["model"]["type"] = "WordPiece";
    EXPECT_THAT(refusal(json), HasSubstr("model.type is \"WordPiece\" (accepted: BPE, Unigram)"));
    json = document();
    json["model"]["dropout"] = 0.1;
    EXPECT_THAT(refusal(json), HasSubstr("model.dropout makes tokenization random"));
    json = document();
    json["model"]["speed"] = 1;
    EXPECT_THAT(refusal(json), HasSubstr("model.speed is not understood"));
    json = document();
    json["pre_tokenizer"]["extra"] = 1;
    EXPECT_THAT(refusal(json),
        HasSubstr("pre_tokenizer.extra is not understood (accepted: add_prefix_space, trim_offsets, type, use_regex)"));
    json = document();
    json["decoder"] = {{"type", "CTC"}};
    EXPECT_THAT(refusal(json), HasSubstr("decoder.type is \"CTC\""));
    json = document();
    json["version"] = "2.0";
    EXPECT_THAT(refusal(json), HasSubstr("version is \"2.0\" (accepted: 1.0)"));
}

TEST(HfTokenizer, ErrorsNameTheLine)
{
    EXPECT_THAT(HfTokenizer::parse(R"({"version": "1.0",
"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [],
  "dropout": 0.1}})",
                    "t.json")
                    .error()
                    .message(),
        HasSubstr("t.json:3: model.dropout makes tokenization random"));
    EXPECT_THAT(HfTokenizer::parse(R"({"version": "1.0",
"pre_tokenizer": {"type": "Sequence", "pretokenizers": [
  {"type": "Digits", "individual_digits": true},
  {"type": "Novel"}]},
"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}})",
                    "t.json")
                    .error()
                    .message(),
        HasSubstr("t.json:4: pre_tokenizer.pretokenizers[1].type is \"Novel\""));
}

TEST(HfTokenizer, ContradictionsAreRefused)
{
    Json json = document();
    json["model"]["vocab"]["th"] = 257;
    EXPECT_THAT(refusal(json), HasSubstr("model.vocab has two tokens with the id 257"));
    json = document();
    json["model"]["vocab"]["th"] = -1;
    EXPECT_THAT(refusal(json), HasSubstr("model.vocab has a token with an invalid id"));
    json = document();
    json["model"]["vocab"]["th"] = 99'999'999;
    EXPECT_THAT(refusal(json), HasSubstr("model.vocab has a token with an invalid id"));
    json = document();
    json["added_tokens"][0]["id"] = 300;
    EXPECT_THAT(refusal(json), HasSubstr("added_tokens[0].id is 300, where the package tokenizers would give 260"));
    json = document();
    json["added_tokens"][0]["content"] = "";
    EXPECT_THAT(refusal(json), HasSubstr("added_tokens[0].content is empty"));
    json = document();
    json["model"]["merges"].push_back("a b c");
    EXPECT_THAT(refusal(json), HasSubstr("model.merges[4] is not understood"));
    json = document();
    json.erase("model");
    EXPECT_THAT(refusal(json), HasSubstr("model is missing"));
}

TEST(HfTokenizer, TextThatIsNoJsonIsRefused)
{
    const std::string text = document().dump();
    for (const std::string &cut : {std::string(), std::string("[]"), std::string("null"),
             text.substr(0, text.size() / 2), std::string(100'000, '[')})
        EXPECT_FALSE(HfTokenizer::parse(cut, "t.json")) << cut.substr(0, 20);
}

} // namespace
} // namespace slipway
