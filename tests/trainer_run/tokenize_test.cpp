// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/tokenize.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "data/token_file.h"
#include "data/tokenizer.h"
#include "scratch_folder.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using testing::messageOf;
using testing::readBytes;
using testing::ScratchFolder;
using testing::writeBytes;

// Some thousand words of a made-up language, the same each time.
std::string madeUpText(std::uint32_t seed, int lines)
{
    static constexpr const char *kSyllables[] = {"ka", "lo", "mi", "ran", "tes", "vo", "shi", "del", "pur", "an"};
    std::string text;
    for (int line = 0; line < lines; ++line) {
        for (int word = 0; word < 8; ++word) {
            for (int syllable = 0; syllable < 3; ++syllable) {
                seed = seed * 1664525U + 1013904223U;
                text += kSyllables[(seed >> 16U) % 10];
            }
            text += word == 7 ? ".\n" : " ";
        }
    }
    return text;
}

TEST(Tokenizer, GivesBackAnyText)
{
    const ScratchFolder folder;
    ASSERT_TRUE(Tokenizer::train(std::vector<std::string>{madeUpText(1, 300)}, 400, folder / "m.model"));
    const auto tokenizer = Tokenizer::load(folder / "m.model");
    ASSERT_TRUE(tokenizer) << messageOf(tokenizer);
    EXPECT_EQ(tokenizer->vocabSize(), 400);
    for (const std::string text : {"karan lotes", "two  blanks\n\n\tand a tab", "naïve 東京 \U0001f600", "  leading"}) {
        const auto ids = tokenizer->encode(text);
        ASSERT_TRUE(ids);
        const auto back = tokenizer->decode(*ids);
        ASSERT_TRUE(back);
        EXPECT_EQ(*back, text);
    }
}

TEST(Tokenizer, IsTheSameEachTime)
{
    const ScratchFolder folder;
    const std::vector<std::string> texts{madeUpText(1, 300)};
    ASSERT_TRUE(Tokenizer::train(texts, 400, folder / "a.model"));
    ASSERT_TRUE(Tokenizer::train(texts, 400, folder / "b.model"));
    EXPECT_EQ(readBytes(folder / "a.model"), readBytes(folder / "b.model"));
}

TEST(Tokenizer, SaysWhyAVocabularyCannotBeLearned)
{
    const ScratchFolder folder;
    EXPECT_THAT(messageOf(Tokenizer::train(std::vector<std::string>{"a b c"}, 5000, folder / "m.model")),
        HasSubstr("--vocab-size: cannot learn 5000 pieces"));
    EXPECT_THAT(messageOf(Tokenizer::train(std::vector<std::string>{"a b c"}, -5, folder / "m.model")),
        HasSubstr("--vocab-size: is -5 (accepted: at least 300)"));
    EXPECT_THAT(messageOf(Tokenizer::train(std::vector<std::string>{""}, 400, folder / "m.model")),
        HasSubstr("contain no text"));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Tokenizer, RefusesWhatIsNoModel)
{
    const ScratchFolder folder;
    for (const std::string content : {"", "hello", "\x0a\xff\xff\xff\xff"}) {
        writeBytes(folder / "m.model", content);
        const auto tokenizer = Tokenizer::load(folder / "m.model");
        ASSERT_FALSE(tokenizer);
        EXPECT_EQ(tokenizer.error().fault, Fault::Damaged);
    }
    EXPECT_EQ(Tokenizer::load(folder / "none").error().fault, Fault::Input);
}

TEST(Tokenize, LearnsFromEveryLineOfATextThatIsShort)
{
    const ScratchFolder folder;
    const std::string text = madeUpText(1, 300);
    writeBytes(folder / "a.txt", text);
    for (const char *name : {"pieces", "pairs", "of all"})
        std::filesystem::create_directory(folder / name);
    ASSERT_TRUE(Tokenizer::train(std::vector<std::string>{text}, 400, folder / "of all/tokenizer.model"));
    ASSERT_TRUE(Tokenizer::trainBpe(text, 400, folder / "of all"));
    const struct {
        LearnedTokenizer learned;
        const char *folder, *file;
    } cases[] = {{LearnedTokenizer::SentencePiece, "pieces", "tokenizer.model"},
        {LearnedTokenizer::Bpe, "pairs", "tokenizer.json"}};
    for (const auto &one : cases) {
        ASSERT_TRUE(tokenizeTexts(
            {.texts = {folder / "a.txt"}, .out = folder / one.folder, .vocabSize = 400, .learned = one.learned}));
        EXPECT_EQ(readBytes(folder / one.folder / one.file), readBytes(folder / "of all" / one.file)) << one.file;
    }
}

TEST(Tokenize, PutsMarksAroundDocumentsAndTheirEndsAside)
{
    const ScratchFolder folder;
    std::filesystem::create_directories(folder / "texts/deep");
    writeBytes(folder / "texts/a.txt", madeUpText(1, 200));
    writeBytes(folder / "texts/deep/b.txt", madeUpText(2, 200));
    const auto outcome =
        tokenizeTexts({.texts = {folder / "texts"}, .out = folder / "out/new", .vocabSize = 400, .evalFraction = 0.1});
    ASSERT_TRUE(outcome) << messageOf(outcome);
    EXPECT_EQ(outcome->documents, 2);
    EXPECT_EQ(outcome->vocab, 400);
    const auto tokenizer = Tokenizer::load(folder / "out/new/tokenizer.model");
    ASSERT_TRUE(tokenizer);
    for (const char *name : {"tokens.bin", "eval.bin"}) {
        const auto file = TokenFile::open(folder / "out/new" / name, outcome->vocab);
        ASSERT_TRUE(file) << messageOf(file);
        std::vector<std::int32_t> ids(static_cast<std::size_t>(file->size()));
        ASSERT_TRUE(file->read(0, ids));
        EXPECT_EQ(ids.front(), tokenizer->bos());
        EXPECT_EQ(ids.back(), tokenizer->eos());
        EXPECT_EQ(std::count(ids.begin(), ids.end(), tokenizer->bos()), 2);
        EXPECT_EQ(std::count(ids.begin(), ids.end(), tokenizer->eos()), 2);
    }
    EXPECT_NEAR(static_cast<double>(outcome->evalTokens) / static_cast<double>(outcome->tokens + outcome->evalTokens),
        0.1, 0.01);
}

TEST(Tokenize, UsesATokenizerAsItIs)
{
    const ScratchFolder folder;
    writeBytes(folder / "a.txt", madeUpText(1, 200));
    ASSERT_TRUE(tokenizeTexts({.texts = {folder / "a.txt"}, .out = folder / "first", .vocabSize = 400}));
    const auto outcome = tokenizeTexts(
        {.texts = {folder / "a.txt"}, .out = folder / "second", .tokenizer = folder / "first/tokenizer.model"});
    ASSERT_TRUE(outcome) << messageOf(outcome);
    EXPECT_EQ(readBytes(folder / "first/tokens.bin"), readBytes(folder / "second/tokens.bin"));
    EXPECT_EQ(readBytes(folder / "first/tokenizer.model"), readBytes(folder / "second/tokenizer.model"));
}

TEST(Tokenize, SaysWhichTextIsMissingAndWhichFolderCannotBeMade)
{
    const ScratchFolder folder;
    const auto missing = tokenizeTexts({.texts = {folder / "none.txt"}, .out = folder / "out"});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().fault, Fault::Input);
    EXPECT_THAT(missing.error().message(), HasSubstr("none.txt"));
    writeBytes(folder / "a.txt", "text");
    const auto blocked = tokenizeTexts({.texts = {folder / "a.txt"}, .out = folder / "a.txt/out"});
    ASSERT_FALSE(blocked);
    EXPECT_EQ(blocked.error().fault, Fault::Outside);
    std::filesystem::create_directories(folder / "empty");
    EXPECT_THAT(messageOf(tokenizeTexts({.texts = {folder / "empty"}, .out = folder / "out"})),
        HasSubstr("names no text file"));
}

} // namespace
} // namespace slipway
