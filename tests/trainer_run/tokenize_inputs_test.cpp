// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What becomes of text files, folders and JSON lines, plain or compressed, good or bad.
#include <cmath>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "byte_tokenizer.h"
#include "data/text_cuts.h"
#include "data/token_file.h"
#include "data/tokenize.h"
#include "data/tokenize_journal.h"
#include "data/tokenizer.h"
#include "packed.h"
#include "scratch_folder.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace testing;
namespace fs = std::filesystem;

class TokenizeInputs : public ::testing::Test {
protected:
    void SetUp() override { writeBytes(folder / "tokenizer.json", byteTokenizer().dump()); }

    [[nodiscard]] TokenizeRequest request(const std::vector<fs::path> &texts, double evalFraction = 0) const
    {
        return {.texts = texts,
            .out = folder / "out",
            .tokenizer = folder / "tokenizer.json",
            .evalFraction = evalFraction};
    }

    [[nodiscard]] std::vector<std::int32_t> idsIn(const char *name) const
    {
        const Result<TokenFile> file = TokenFile::open(folder / "out" / name, kByteVocabulary);
        EXPECT_TRUE(file) << messageOf(file);
        std::vector<std::int32_t> ids(file ? static_cast<std::size_t>(file->size()) : 0);
        EXPECT_TRUE(file && file->read(0, ids));
        return ids;
    }

    // The text of each document in a token file; an end mark follows each.
    [[nodiscard]] std::vector<std::string> documentsIn(const char *name) const
    {
        std::vector<std::string> documents(1);
        for (const std::int32_t id : idsIn(name)) {
            if (id == kEndId)
                documents.emplace_back();
            else if (id == kThId || id == kTheId)
                documents.back() += id == kThId ? "th" : "the";
            else
                documents.back() += static_cast<char>(id);
        }
        EXPECT_EQ(documents.back(), "");
        documents.pop_back();
        return documents;
    }

    ScratchFolder folder;
};

TEST_F(TokenizeInputs, TheFractionForEvaluationIsBelowOne)
{
    writeBytes(folder / "a.txt", "the text");
    for (const double fraction : {-0.1, 1.0, std::nan("")}) {
        const auto done = tokenizeTexts(request({folder / "a.txt"}, fraction));
        ASSERT_FALSE(done) << fraction;
        EXPECT_EQ(done.error().where, "--eval-fraction");
    }
}

TEST_F(TokenizeInputs, TheTokenFileSaysTheTokenizerTheVocabularyAndTheMarks)
{
    writeBytes(folder / "tokenizer.json", byteTokenizerThatBegins().dump());
    writeBytes(folder / "tokenizer_config.json", R"({"eos_token": {"content": "<end>"}, "chat_template": "{{x}}"})");
    writeBytes(folder / "a.txt", "the a");
    auto asked = request({folder / "a.txt"});
    asked.tokenizer = folder.path();
    const auto outcome = tokenizeTexts(asked);
    ASSERT_TRUE(outcome) << messageOf(outcome);
    EXPECT_THAT(idsIn("tokens.bin"), ElementsAre(kBeginId, kTheId, ' ', 'a', kEndId));
    const auto tokenizer = Tokenizer::load(folder / "out");
    ASSERT_TRUE(tokenizer) << messageOf(tokenizer);
    EXPECT_EQ(tokenizer->eos(), kEndId) << "the files around the tokenizer came along";
    const auto file = TokenFile::open(folder / "out/tokens.bin", kByteVocabulary);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->extent().tokenizer, tokenizer->checksum());
    EXPECT_EQ(file->extent().vocabulary, (TokenVocabulary{.size = kByteVocabulary, .begin = kBeginId, .end = kEndId}));
}

TEST_F(TokenizeInputs, AContradictionInTheTokenFilesHeaderIsDamage)
{
    writeBytes(folder / "a.txt", "text");
    ASSERT_TRUE(tokenizeTexts(request({folder / "a.txt"})));
    std::string bytes = readBytes(folder / "out/tokens.bin");
    const std::int32_t begin = kByteVocabulary;
    bytes.replace(8 * sizeof begin, sizeof begin, reinterpret_cast<const char *>(&begin), sizeof begin);
    writeBytes(folder / "out/tokens.bin", bytes);
    EXPECT_THAT(messageOf(TokenFile::open(folder / "out/tokens.bin", 1000)), HasSubstr("header contradicts itself"));
}

TEST_F(TokenizeInputs, FoldersAreReadInTheOrderOfTheirNamesAndLinesOfJsonAreDocuments)
{
    writeBytes(folder / "tokenizer_config.json", R"({"eos_token": "<end>"})");
    fs::create_directories(folder / "texts/b");
    writeBytes(folder / "texts/a.txt", "first\n");
    writeBytes(folder / "texts/b/1.jsonl", "{\"text\": \"second\"}\n\n{\"id\": 1, \"text\": \"third\\n\"}");
    writeBytes(folder / "texts/b/2.jsonl.gz", gzipped("{\"text\": \"\"}\r\n{\"text\": \"fourth \\u00e9\"}\n"));
    writeBytes(folder / "texts/c.ndjson.zst", zstandard("{\"text\": \"fifth\"}"));
    writeBytes(folder / "texts/d.txt.xz", xzipped("sixth"));
    writeBytes(folder / "texts/e.json", "{\"text\": \"seventh\"}");
    const auto outcome = tokenizeTexts(request({folder / "texts"}));
    ASSERT_TRUE(outcome) << messageOf(outcome);
    EXPECT_THAT(documentsIn("tokens.bin"),
        ElementsAre("first\n", "second", "third\n", "", "fourth é", "fifth", "sixth", "{\"text\": \"seventh\"}"));
    EXPECT_EQ(outcome->documents, 8);
    // With a field, .json holds lines as well.
    auto asked = request({folder / "texts/e.json"});
    asked.field = "text";
    ASSERT_TRUE(tokenizeTexts(asked));
    EXPECT_THAT(documentsIn("tokens.bin"), ElementsAre("seventh"));
}

TEST_F(TokenizeInputs, TheProgressGrowsToTheSizeOfAllFiles)
{
    writeBytes(folder / "a.txt", "first\n");
    writeBytes(folder / "b.txt", "second\n");
    std::vector<Bytes> read;
    ASSERT_TRUE(tokenizeTexts(request({folder / "a.txt", folder / "b.txt"}), [&](const TokenizeProgress &progress) {
        read.push_back(progress.taken);
        EXPECT_EQ(progress.total, 13);
    }));
    EXPECT_THAT(read, ElementsAre(0, 6, 13));
}

TEST_F(TokenizeInputs, OfLinesOfJsonWholeDocumentsGoToTheEvaluation)
{
    writeBytes(folder / "tokenizer_config.json", R"({"eos_token": "<end>"})");
    std::string lines;
    for (int i = 0; i < 10; ++i)
        lines += "{\"text\": \"" + std::to_string(i) + "\"}\n";
    writeBytes(folder / "a.jsonl", lines);
    ASSERT_TRUE(tokenizeTexts(request({folder / "a.jsonl"}, 0.2)));
    EXPECT_THAT(documentsIn("eval.bin"), ElementsAre("4", "9"));
    EXPECT_THAT(documentsIn("tokens.bin"), SizeIs(8));
}

struct BadLine {
    const char *name, *line, *message;
};
class BadLines : public TokenizeInputs, public ::testing::WithParamInterface<BadLine> {};

TEST_P(BadLines, AreAnErrorWithFileAndLineOrAreLeftOutAndCounted)
{
    writeBytes(folder / "tokenizer_config.json", R"({"eos_token": "<end>"})");
    writeBytes(folder / "good.jsonl", "{\"text\": \"good\"}\n");
    writeBytes(folder / "a.jsonl",
        "{\"text\": \"one\"}\n{\"text\": \"two\"}\n" + std::string(GetParam().line) + "\n{\"text\": \"three\"}\n");
    TokenizeRequest asked = request({folder / "good.jsonl", folder / "a.jsonl"});
    const auto refused = tokenizeTexts(asked);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().fault, Fault::Input);
    EXPECT_EQ(refused.error().where, (folder / "a.jsonl").string() + ":3");
    EXPECT_THAT(refused.error().message(), HasSubstr(GetParam().message));
    EXPECT_FALSE(fs::exists(folder / "out")) << "nothing half written";
    asked.skipBad = true;
    const auto outcome = tokenizeTexts(asked);
    ASSERT_TRUE(outcome) << messageOf(outcome);
    EXPECT_EQ(outcome->badLines, 1);
    ASSERT_THAT(outcome->bad, SizeIs(1));
    EXPECT_EQ(outcome->bad[0].message(), refused.error().message());
    EXPECT_THAT(documentsIn("tokens.bin"), ElementsAre("good", "one", "two", "three"));
}

INSTANTIATE_TEST_SUITE_P(All, BadLines,
    ::testing::Values(BadLine{"Missing", R"({"body": "x", "id": 3})", "has no field \"text\" (accepted: --field body)"},
        BadLine{"Number", R"({"text": 7})", "the field \"text\" is not a text"},
        BadLine{"Null", R"({"text": null})", "the field \"text\" is not a text"},
        BadLine{"List", R"(["text"])", "is not a JSON object"},
        BadLine{"Cut", R"({"text": "x)", "is not valid JSON at column "},
        BadLine{
            "CutAtAQuote", R"({"text": "x")", "is not valid JSON at column 13 (accepted: a JSON object in each line)"},
        BadLine{"Latin1", "{\"text\": \"caf\xe9\"}", "byte 14 of the line is not UTF-8"},
        BadLine{"Surrogate", R"({"text": "\ud800"})", "is not valid JSON at column "},
        BadLine{"Deep", "{\"text\": \"x\", \"a\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
            "more than 64 deep"}),
    [](const auto &bad) { return bad.param.name; });

TEST_F(TokenizeInputs, ALineThatIsNoUtf8IsAnErrorOrLeftOutOfItsText)
{
    writeBytes(folder / "tokenizer_config.json", R"({"eos_token": "<end>"})");
    writeBytes(folder / "a.txt", "one\ntwo \xff\xfe\nthree\n\xe2\x82");
    TokenizeRequest asked = request({folder / "a.txt"});
    EXPECT_THAT(messageOf(tokenizeTexts(asked)), HasSubstr("a.txt:2: byte 5 of the line is not UTF-8"));
    asked.skipBad = true;
    const auto outcome = tokenizeTexts(asked);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->badLines, 2);
    EXPECT_THAT(documentsIn("tokens.bin"), ElementsAre("one\nthree\n"));
}

TEST_F(TokenizeInputs, AFileThatPacksAnEndlessLineFillsNoMemory)
{
    writeBytes(folder / "tokenizer_config.json", R"({"eos_token": "<end>"})");
    // A line of 80 MiB of blanks, then a good one.
    std::string packed = zstandard("{\"text\": \"");
    const std::string blanks = zstandard(std::string(16 << 20, ' '));
    for (int i = 0; i < 5; ++i)
        packed += blanks;
    writeBytes(folder / "a.jsonl.zst", packed + zstandard("\"}\n{\"text\": \"good\"}\n"));
    TokenizeRequest asked = request({folder / "a.jsonl.zst"});
    EXPECT_THAT(messageOf(tokenizeTexts(asked)), HasSubstr("a.jsonl.zst:1: is longer than 67108864 bytes"));
    asked.skipBad = true;
    const auto outcome = tokenizeTexts(asked);
    ASSERT_TRUE(outcome) << messageOf(outcome);
    EXPECT_EQ(outcome->badLines, 1);
    EXPECT_THAT(documentsIn("tokens.bin"), ElementsAre("good"));
}

TEST_F(TokenizeInputs, ADamagedFileLeavesNothingHalfWritten)
{
    const std::string packed = gzipped("a text that is cut");
    writeBytes(folder / "a.txt.gz", packed.substr(0, packed.size() - 3));
    const auto outcome = tokenizeTexts(request({folder / "a.txt.gz"}));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().fault, Fault::Damaged);
    EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(TokenizeInputs, ARefusedTokenizerLeavesNoFolderButOneThatWasThere)
{
    writeBytes(folder / "a.txt", "the text");
    writeBytes(folder / "tokenizer.json", "{");
    EXPECT_FALSE(tokenizeTexts(request({folder / "a.txt"})));
    EXPECT_FALSE(fs::exists(folder / "out"));
    fs::create_directory(folder / "out");
    EXPECT_FALSE(tokenizeTexts(request({folder / "a.txt"})));
    EXPECT_TRUE(fs::is_empty(folder / "out"));
}

TEST_F(TokenizeInputs, PipesInATokenizersFolderAreNotWaitedFor)
{
    fs::create_directory(folder / "packed");
    ASSERT_EQ(::mkfifo((folder / "packed/tokenizer.json").c_str(), 0600), 0);
    EXPECT_THAT(messageOf(Tokenizer::load(folder / "packed")), HasSubstr("tokenizer.json: is a pipe"));
    fs::remove(folder / "packed/tokenizer.json");
    fs::create_symlink("../tokenizer.json", folder / "packed/tokenizer.json"); // as in the cache of Hugging Face
    EXPECT_TRUE(Tokenizer::load(folder / "packed"));
    ASSERT_EQ(::mkfifo((folder / "packed/tokenizer_config.json").c_str(), 0600), 0);
    EXPECT_THAT(messageOf(Tokenizer::load(folder / "packed")), HasSubstr("tokenizer_config.json: is a pipe"));
}

TEST_F(TokenizeInputs, TheJournalIsNotWrittenThroughALinkThatSomebodyLeft)
{
    writeBytes(folder / "mine", "precious");
    fs::create_symlink("mine", journalPath(folder.path()));
    ASSERT_TRUE(writeJournal(folder.path(), {}));
    EXPECT_EQ(readBytes(folder / "mine"), "precious");
    EXPECT_TRUE(readJournal(folder.path()));
}

TEST_F(TokenizeInputs, StandardInputNeedsATokenizer)
{
    TokenizeRequest asked = request({"-"});
    asked.tokenizer.clear();
    EXPECT_THAT(messageOf(tokenizeTexts(asked)), HasSubstr("standard input: can be read only once"));
    asked.texts = {"-", "-"};
    EXPECT_THAT(messageOf(tokenizeTexts(asked)), HasSubstr("-: is named twice"));
}

TEST_F(TokenizeInputs, TheResultDoesNotDependOnTheNumberOfThreads)
{
    std::string lines, text;
    for (std::int64_t i = 0; i < 30'000; ++i) {
        lines += "{\"text\": \"line " + std::to_string(i * 7919 % 10'007) + " of the lines\"}\n";
        text += "line " + std::to_string(i * 104'729 % 10'007) + " of the text\n";
    }
    writeBytes(folder / "a.jsonl", lines + lines);
    for (int i = 0; i < 20; ++i)
        writeBytes(folder / ("b" + std::to_string(i) + ".txt"), text.substr(static_cast<std::size_t>(i) * 9));
    std::vector<fs::path> texts{folder / "a.jsonl"};
    for (int i = 0; i < 20; ++i)
        texts.push_back(folder / ("b" + std::to_string(i) + ".txt"));
    TokenizeRequest asked = request(texts, 0.05);
    asked.threads = 1;
    ASSERT_TRUE(tokenizeTexts(asked));
    const std::string tokens = readBytes(folder / "out/tokens.bin"), eval = readBytes(folder / "out/eval.bin");
    for (const int threads : {2, 3, 8}) {
        asked.threads = threads;
        ASSERT_TRUE(tokenizeTexts(asked));
        EXPECT_TRUE(readBytes(folder / "out/tokens.bin") == tokens) << threads;
        EXPECT_TRUE(readBytes(folder / "out/eval.bin") == eval) << threads;
    }
    asked.threads = -1;
    EXPECT_THAT(messageOf(tokenizeTexts(asked)), HasSubstr("--threads: is -1"));
}

TEST_F(TokenizeInputs, OfSeveralBadLinesTheFirstIsTheErrorWhateverTheThreads)
{
    std::string lines;
    for (int i = 0; i < 200'000; ++i)
        lines += i % 50'000 == 49'999 ? "bad\n" : "{\"text\": \"good " + std::to_string(i) + "\"}\n";
    writeBytes(folder / "a.jsonl", lines);
    for (const int threads : {1, 4}) {
        TokenizeRequest asked = request({folder / "a.jsonl"});
        asked.threads = threads;
        EXPECT_THAT(messageOf(tokenizeTexts(asked)), HasSubstr("a.jsonl:50000: is not valid JSON"));
    }
}

TEST(TextCuts, LieBehindALineWithoutBlanksAround)
{
    EXPECT_EQ(splitPosition("one\ntwo\n three", 11), 4U) << "a blank follows the second line";
    EXPECT_EQ(splitPosition("one\ntwo\n\nthree", 11), 4U) << "an empty line is one blank";
    EXPECT_EQ(splitPosition("one\n two three", 11), 4U) << "no better one";
    EXPECT_EQ(splitPosition("aaaaaaaaaaé", 11), 10U) << "not within a character";
    EXPECT_EQ(splitPosition("aaaaaaaaaaaaaa", 11), 11U);
    EXPECT_EQ(splitPosition("東京\n東京東京東京", 11), 7U);
    EXPECT_GT(splitPosition(std::string(20, '\x80'), 11), 0U);
    EXPECT_EQ(splitPosition("aaa\naaa\n\xff\xff\xff\xff", 9), 8U) << "bytes of no character are no blank";
    for (std::size_t most = 9; most < 30; ++most)
        EXPECT_LE(splitPosition(std::string(40, '\n'), most), most);
}

} // namespace
} // namespace slipway
