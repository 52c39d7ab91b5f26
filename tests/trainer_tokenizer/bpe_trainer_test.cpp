// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/bpe_trainer.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tokenizer/hf_tokenizer.h"
#include "trainer_run/scratch_folder.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace testing;

Result<std::string> learn(std::string_view text, int vocabSize)
{
    BpeTrainer trainer;
    if (const Result<void> added = trainer.add(text); !added)
        return added.error();
    return trainer.train(vocabSize);
}

std::vector<std::string> mergesOf(const Result<std::string> &json)
{
    return json ? nlohmann::json::parse(*json)["model"]["merges"].get<std::vector<std::string>>()
                : std::vector<std::string>{json.error().message()};
}

// "low" 5 times, "lower" twice, "newest" 6 times, "widest" 3 times, the example of Sennrich, Haddow and Birch. "es" and
// "st" stand 9 times, "we" 8 times until "es" takes its e; "lo" and "ow" 7 times. Of equals the lower ids come first.
constexpr std::string_view kWords = "low\nlow\nlow\nlow\nlow\nlower\nlower\nnewest\nnewest\nnewest\nnewest\nnewest\n"
                                    "newest\nwidest\nwidest\nwidest\n";

TEST(BpeTrainer, MergesTheMostFrequentPairFirst)
{
    EXPECT_THAT(mergesOf(learn(kWords, 257 + 4)), ElementsAre("e s", "es t", "l o", "lo w"));
}

TEST(BpeTrainer, IsTheSameEachTime) { EXPECT_EQ(learn(kWords, 266).value(), learn(kWords, 266).value()); }

TEST(BpeTrainer, WritesATokenizerThatGivesBackAnyText)
{
    const Result<std::string> json = learn(kWords, 264);
    ASSERT_TRUE(json) << messageOf(json);
    const Result<HfTokenizer> tokenizer = HfTokenizer::parse(*json, "tokenizer.json");
    ASSERT_TRUE(tokenizer) << messageOf(tokenizer);
    EXPECT_EQ(tokenizer->idLimit(), 264);
    EXPECT_EQ(tokenizer->idOf(kLearnedEnd), 0);
    for (const std::string text : {"lowest newer", "  two  blanks\n\n\tand 123", "naïve 東京 \U0001f600", ""}) {
        std::vector<TokenId> ids;
        ASSERT_TRUE(tokenizer->encoder()->encode(text, false, ids));
        EXPECT_EQ(tokenizer->decode(ids, true), text);
    }
}

TEST(BpeTrainer, SaysWhyAVocabularyCannotBeLearned)
{
    EXPECT_THAT(messageOf(learn(kWords, 256)), HasSubstr("--vocab-size: is 256 (accepted: at least 257)"));
    EXPECT_THAT(messageOf(learn("ab ab", 1000)), HasSubstr("--vocab-size: cannot learn 1000 tokens from this text"));
    EXPECT_TRUE(learn("", 257));
    EXPECT_FALSE(learn("", 258));
}

TEST(BpeTrainer, ThePackageTokenizersReadsItsFileAndGivesTheSameIds)
{
    const char *const chosen = std::getenv("SLIPWAY_PYTHON");
    const std::string python = chosen ? chosen : "python3";
    if (std::system(("'" + python + "' -c 'import tokenizers' >/dev/null 2>&1").c_str()) != 0)
        GTEST_SKIP() << "no Python with the package tokenizers on PATH or in SLIPWAY_PYTHON";
    const ScratchFolder folder;
    std::string text = "newest lowest\n\n  wider 2026 naïve 東京 \U0001f600 <|endoftext|> don't\t\tstop   ";
    for (int i = 0; i < 500; ++i)
        text += fmt::format("low{} newest widest {}\n", i % 7, i * 7919 % 1009);
    const Result<std::string> json = learn(text, 268);
    ASSERT_TRUE(json) << messageOf(json);
    writeBytes(folder / "tokenizer.json", *json);
    writeBytes(folder / "text", text);
    const std::string program =
        "import sys, array; from tokenizers import Tokenizer; t = Tokenizer.from_file(sys.argv[1] + "
        "\"/tokenizer.json\"); "
        "ids = t.encode(open(sys.argv[1] + \"/text\", encoding=\"utf-8\", newline=\"\").read()).ids; "
        "array.array(\"i\", ids).tofile(open(sys.argv[1] + \"/ids\", \"wb\"))";
    ASSERT_EQ(std::system(fmt::format("'{}' -c '{}' '{}'", python, program, folder.path().string()).c_str()), 0);
    const Result<HfTokenizer> tokenizer = HfTokenizer::parse(*json, "tokenizer.json");
    ASSERT_TRUE(tokenizer) << messageOf(tokenizer);
    std::vector<TokenId> ids;
    ASSERT_TRUE(tokenizer->encoder()->encode(text, false, ids));
    EXPECT_EQ(bytesOf(ids), readBytes(folder / "ids"));
}

} // namespace
} // namespace slipway
