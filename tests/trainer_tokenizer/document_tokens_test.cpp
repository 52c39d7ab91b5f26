// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/document_tokens.h"

#include <gmock/gmock.h>

#include "trainer_run/byte_tokenizer.h"
#include "trainer_run/scratch_folder.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace testing;

class DocumentTokensTest : public ::testing::Test {
protected:
    Result<DocumentTokens> tokensOf(const nlohmann::json &json) const
    {
        const Result<HfTokenizer> tokenizer = HfTokenizer::parse(json.dump(), "tokenizer.json");
        return tokenizer ? documentTokens(*tokenizer, folder.path()) : tokenizer.error();
    }
    void config(const std::string &text) const { writeBytes(folder / "tokenizer_config.json", text); }

    ScratchFolder folder;
};

TEST_F(DocumentTokensTest, ComeFromThePostProcessorAndTheConfig)
{
    EXPECT_THAT(tokensOf(byteTokenizer())->before, IsEmpty());
    EXPECT_THAT(tokensOf(byteTokenizer())->after, IsEmpty());
    EXPECT_THAT(tokensOf(byteTokenizerThatBegins())->before, ElementsAre(kBeginId));
    config(R"({"bos_token": null, "eos_token": "<end>"})");
    EXPECT_THAT(tokensOf(byteTokenizer())->before, IsEmpty());
    EXPECT_THAT(tokensOf(byteTokenizer())->after, ElementsAre(kEndId));
    config(R"({"bos_token": {"content": "<begin>"}, "add_bos_token": true,
        "add_eos_token": false, "eos_token": "<end>"})");
    EXPECT_THAT(tokensOf(byteTokenizer())->before, ElementsAre(kBeginId));
    EXPECT_THAT(tokensOf(byteTokenizer())->after, ElementsAre(kEndId));
    config(R"({"bos_token": "<begin>", "add_bos_token": false})");
    EXPECT_THAT(tokensOf(byteTokenizerThatBegins())->before, IsEmpty());
}

TEST_F(DocumentTokensTest, OfTwoFilesTheFirstThatNamesATokenCounts)
{
    writeBytes(folder / "special_tokens_map.json", R"({"eos_token": "<end>"})");
    EXPECT_THAT(tokensOf(byteTokenizer())->after, ElementsAre(kEndId));
    config(R"({"eos_token": "<begin>"})");
    EXPECT_THAT(tokensOf(byteTokenizer())->after, ElementsAre(kBeginId));
}

TEST_F(DocumentTokensTest, AKnownNameEndsDocumentsWhereNoFileSaysMore)
{
    nlohmann::json json = byteTokenizer();
    json["added_tokens"][1]["content"] = "<|endoftext|>";
    EXPECT_THAT(tokensOf(json)->after, ElementsAre(kEndId));
    json["added_tokens"][1]["special"] = false;
    EXPECT_THAT(tokensOf(json)->after, IsEmpty());
}

TEST_F(DocumentTokensTest, WhatIsNotUnderstoodIsRefusedWithItsFile)
{
    config("{\n\"eos_token\": \"</s>\"}");
    EXPECT_THAT(messageOf(tokensOf(byteTokenizer())),
        HasSubstr("tokenizer_config.json:2: eos_token names a token that tokenizer.json lacks"));
    config(R"({"eos_token": 7})");
    EXPECT_THAT(messageOf(tokensOf(byteTokenizer())), HasSubstr("eos_token is not a token"));
    config(R"({"add_bos_token": "yes"})");
    EXPECT_THAT(messageOf(tokensOf(byteTokenizer())), HasSubstr("add_bos_token is neither true nor false"));
    config("[]");
    EXPECT_THAT(messageOf(tokensOf(byteTokenizer())), HasSubstr("is not a JSON object"));
    config("{");
    EXPECT_THAT(messageOf(tokensOf(byteTokenizer())), HasSubstr("tokenizer_config.json:1: is not valid JSON"));
}

} // namespace
} // namespace slipway
