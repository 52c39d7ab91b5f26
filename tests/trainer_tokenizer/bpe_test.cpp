// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Merges and best paths that were worked out by hand.
#include "tokenizer/bpe.h"

#include <gmock/gmock.h>

#include "tokenizer/unigram.h"
#include "tokenizer/utf8.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Vocabulary vocabularyOf(const std::vector<std::string> &tokens)
{
    Vocabulary vocabulary;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        vocabulary.add(tokens[i], static_cast<TokenId>(i));
    return vocabulary;
}

std::vector<TokenId> encoded(const Bpe &bpe, std::string_view piece)
{
    Bpe::Scratch scratch;
    std::vector<TokenId> ids;
    bpe.encode(piece, scratch, ids);
    return ids;
}

Bpe bpeOf(BpeSettings settings)
{
    Result<Bpe> bpe = Bpe::create(std::move(settings), false);
    EXPECT_TRUE(bpe) << bpe.error().message();
    return std::move(*bpe);
}

TEST(Bpe, MergesTheFirstLearnedPairFirstAndFromTheLeft)
{
    // a b c: "b c" was learned before "a b". aabc -> aa + bc; abab -> ab ab.
    const Bpe bpe = bpeOf({.vocabulary = vocabularyOf({"a", "b", "c", "bc", "ab", "aa", "abab"}),
        .merges = {{"b", "c"}, {"a", "b"}, {"a", "a"}, {"ab", "ab"}}});
    EXPECT_THAT(encoded(bpe, "abc"), ElementsAre(0, 3));
    EXPECT_THAT(encoded(bpe, "aabc"), ElementsAre(5, 3));
    EXPECT_THAT(encoded(bpe, "aaa"), ElementsAre(5, 0));
    EXPECT_THAT(encoded(bpe, "ababab"), ElementsAre(6, 4));
    EXPECT_THAT(encoded(bpe, ""), IsEmpty());
}

TEST(Bpe, LongPiecesAreMergedAsShortOnes)
{
    const Bpe bpe = bpeOf({.vocabulary = vocabularyOf({"a", "b", "c", "bc", "ab", "aa", "abab"}),
        .merges = {{"b", "c"}, {"a", "b"}, {"a", "a"}, {"ab", "ab"}}});
    std::string text; // 1,000 times "aabc" + "abab"
    std::vector<TokenId> expected;
    for (int i = 0; i < 1000; ++i) {
        text += "aabcabab";
        expected.insert(expected.end(), {5, 3, 6});
    }
    EXPECT_EQ(encoded(bpe, text), expected);
}

TEST(Bpe, ATokenAsAWholeComesBeforeItsMergesWhereTheModelSaysSo)
{
    BpeSettings settings{.vocabulary = vocabularyOf({"a", "b", "c", "ab", "abc"}), .merges = {{"a", "b"}}};
    EXPECT_THAT(encoded(bpeOf(settings), "abc"), ElementsAre(3, 2));
    settings.ignoreMerges = true;
    EXPECT_THAT(encoded(bpeOf(settings), "abc"), ElementsAre(4));
}

TEST(Bpe, UnknownCharactersBecomeBytesOrOneTokenOrNothing)
{
    BpeSettings settings{.vocabulary = vocabularyOf({"<unk>", "a", "<0xC3>", "<0xA9>"}), .byteFallback = true};
    EXPECT_THAT(encoded(bpeOf(settings), "aéa"), ElementsAre(1, 2, 3, 1));
    EXPECT_THAT(encoded(bpeOf(settings), "añ"), ElementsAre(1)) << "one of its bytes is not in the vocabulary";
    settings.unknown = "<unk>";
    EXPECT_THAT(encoded(bpeOf(settings), "zza"), ElementsAre(0, 0, 1));
    settings.fuseUnknown = true;
    EXPECT_THAT(encoded(bpeOf(settings), "zza"), ElementsAre(0, 1));
}

TEST(Bpe, PartsThatNoMergeCrossesAreKnownWhereBytesStandForTheUnknown)
{
    std::vector<std::string> tokens{"a", "b", "▁", "▁a", "ab"};
    for (int byte = 0; byte < 256; ++byte) {
        char name[8];
        std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(byte));
        tokens.emplace_back(name);
    }
    const Bpe bpe =
        bpeOf({.vocabulary = vocabularyOf(tokens), .merges = {{"▁", "a"}, {"a", "b"}}, .byteFallback = true});
    EXPECT_EQ(bpe.independentPart("▁ab▁ab"), std::string("▁ab").size());
    EXPECT_EQ(bpe.independentPart("ba"), 1U);
    EXPECT_EQ(bpe.independentPart("ab"), 2U);
}

TEST(Bpe, MergesOfWhatTheVocabularyLacksAreRefused)
{
    const auto refusal = [](std::vector<std::pair<std::string, std::string>> merges) {
        return Bpe::create({.vocabulary = vocabularyOf({"a", "b"}), .merges = std::move(merges)}, false)
            .error()
            .message();
    };
    EXPECT_THAT(refusal({{"a", "c"}}), HasSubstr("model.merges[0]: names a token that is not in the vocabulary"));
    EXPECT_THAT(refusal({{"a", "b"}}), HasSubstr("makes a token that is not in the vocabulary"));
    EXPECT_THAT(Bpe::create({.vocabulary = vocabularyOf({"a"}), .unknown = "u"}, false).error().message(),
        HasSubstr("model.unk_token"));
}

TEST(Unigram, TakesThePathWithTheHighestScore)
{
    // The example of the package tokenizers.
    const Result<Unigram> unigram =
        Unigram::create({.pieces = {{"<unk>", 0.0}, {"a", 0.0}, {"b", 0.0}, {"c", 0.0}, {"d", 0.0}, {"cd", 1.0},
                             {"ab", 2.0}, {"abc", 5.0}, {"abcd", 10.0}},
            .unknown = 0});
    ASSERT_TRUE(unigram);
    Unigram::Scratch scratch;
    std::vector<TokenId> ids;
    ASSERT_TRUE(unigram->encode("abcdacdxx", scratch, ids));
    EXPECT_THAT(ids, ElementsAre(8, 1, 5, 0)); // abcd a cd, and one token for both x
}

TEST(Unigram, WithoutATokenForTheUnknownSaysSo)
{
    const Result<Unigram> unigram = Unigram::create({.pieces = {{"a", -1.0}}});
    ASSERT_TRUE(unigram);
    Unigram::Scratch scratch;
    std::vector<TokenId> ids;
    EXPECT_TRUE(unigram->encode("aa", scratch, ids));
    EXPECT_FALSE(unigram->encode("ab", scratch, ids));
}

TEST(Utf8, MalformedPartsAreReplacedAsPythonDoesIt)
{
    const auto replaced = [](std::string text) {
        replaceInvalidUtf8(text);
        return text;
    };
    const std::string mark = "\xEF\xBF\xBD";
    EXPECT_EQ(replaced("a\xFF\xC3"), "a" + mark + mark);
    EXPECT_EQ(replaced("\xE2\x82g"), mark + "g") << "one mark for the part that could begin a character";
    EXPECT_EQ(replaced("\xED\xA0\x80"), mark + mark + mark) << "a surrogate";
    EXPECT_EQ(replaced("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
    EXPECT_EQ(invalidUtf8At("0123456789\xC0\xAF"), 10U);
}

} // namespace
} // namespace slipway
