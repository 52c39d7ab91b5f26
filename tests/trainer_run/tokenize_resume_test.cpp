// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs of tokenize that are interrupted: the same command continues, and the result is the same byte for byte.
#include <gmock/gmock.h>

#include "byte_tokenizer.h"
#include "data/tokenize.h"
#include "data/tokenize_journal.h"
#include "packed.h"
#include "scratch_folder.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using namespace testing;
namespace fs = std::filesystem;

class TokenizeResume : public ::testing::Test {
protected:
    void SetUp() override
    {
        writeBytes(folder / "tokenizer.json", byteTokenizer().dump());
        std::string text, lines;
        for (std::int64_t i = 0; i < 60'000; ++i) {
            text += "line " + std::to_string(i * 104'729 % 10'007) + " of the text\n";
            lines += i % 1000 == 7 ? "bad\n"
                                   : "{\"text\": \"line " + std::to_string(i * 7919 % 10'007) + " of the lines\"}\n";
        }
        writeBytes(folder / "a.jsonl.gz", gzipped(lines));
        for (const char *name : {"b.txt", "c.txt", "d.txt"})
            writeBytes(folder / name, text);
        writeBytes(folder / "e.txt", "");
        writeBytes(folder / "f.jsonl", lines);
    }

    [[nodiscard]] TokenizeRequest request(const char *out) const
    {
        TokenizeRequest asked{.out = folder / out, .tokenizer = folder / "tokenizer.json", .evalFraction = 0.05};
        for (const char *name : {"a.jsonl.gz", "b.txt", "c.txt", "d.txt", "e.txt", "f.jsonl"})
            asked.texts.push_back(folder / name);
        asked.skipBad = true;
        asked.threads = 2;
        asked.journalEvery = 1;
        return asked;
    }

    // Interrupted when so many pieces are written, however long it waits for them.
    static Result<TokenizeOutcome> runFor(TokenizeRequest asked, int pieces)
    {
        int written = 0;
        asked.interrupted = [&written, pieces] { return written >= pieces; };
        return tokenizeTexts(
            asked, [&written](const TokenizeProgress &progress) { written += progress.textBytes > 0 ? 1 : 0; });
    }

    // Until the run is through; three pieces are the most that must be written in one go.
    int runWithInterruptions(const TokenizeRequest &asked, int pieces)
    {
        for (int runs = 1;; ++runs) {
            const auto outcome = runFor(asked, pieces);
            EXPECT_TRUE(outcome) << messageOf(outcome);
            if (!outcome || !outcome->interrupted || runs > 100) {
                last = outcome ? *outcome : TokenizeOutcome();
                return runs;
            }
            EXPECT_FALSE(fs::exists(asked.out / "tokens.bin"));
        }
    }

    ScratchFolder folder;
    TokenizeOutcome last;
};

TEST_F(TokenizeResume, TheSameCommandContinuesAndTheResultIsTheSame)
{
    const auto whole = tokenizeTexts(request("whole"));
    ASSERT_TRUE(whole) << messageOf(whole);
    EXPECT_FALSE(whole->resumed);
    EXPECT_EQ(whole->badLines, 120);
    for (const int pieces : {3, 4, 7}) {
        const std::string out = "parts" + std::to_string(pieces);
        EXPECT_GT(runWithInterruptions(request(out.c_str()), pieces), 1);
        EXPECT_TRUE(last.resumed);
        EXPECT_EQ(last.tokens, whole->tokens);
        EXPECT_EQ(last.evalTokens, whole->evalTokens);
        EXPECT_EQ(last.documents, whole->documents);
        EXPECT_EQ(last.badLines, whole->badLines);
        for (const char *name : {"tokens.bin", "eval.bin"})
            EXPECT_TRUE(readBytes(folder / out / name) == readBytes(folder / "whole" / name)) << name;
        for (const char *name : {"tokens.bin.part", "eval.bin.part", "tokenize.journal.json"})
            EXPECT_FALSE(fs::exists(folder / out / name)) << name;
    }
}

TEST_F(TokenizeResume, WhatWasWrittenBehindTheJournalIsDropped)
{
    ASSERT_TRUE(tokenizeTexts(request("whole")));
    const TokenizeRequest asked = request("killed");
    ASSERT_TRUE(runFor(asked, 4));
    writeBytes(folder / "killed/tokens.bin.part", readBytes(folder / "killed/tokens.bin.part") + "odd bytes");
    const auto outcome = tokenizeTexts(asked);
    ASSERT_TRUE(outcome) << messageOf(outcome);
    EXPECT_TRUE(outcome->resumed);
    EXPECT_TRUE(readBytes(folder / "killed/tokens.bin") == readBytes(folder / "whole/tokens.bin"));
}

TEST_F(TokenizeResume, BeginsAnewWhereTheRequestOrTheInputOrWhatWasLeftIsAnother)
{
    ASSERT_TRUE(tokenizeTexts(request("whole")));
    const auto interrupt = [&] {
        const auto outcome = runFor(request("out"), 4);
        EXPECT_TRUE(outcome && outcome->interrupted);
        EXPECT_TRUE(readJournal(folder / "out"));
    };
    const auto again = [&] {
        const auto outcome = tokenizeTexts(request("out"));
        EXPECT_TRUE(outcome) << messageOf(outcome);
        EXPECT_FALSE(outcome->resumed);
        EXPECT_TRUE(readBytes(folder / "out/tokens.bin") == readBytes(folder / "whole/tokens.bin"));
    };
    interrupt();
    writeBytes(folder / "out/tokens.bin.part", "short");
    again();
    for (const std::string journal : {"", "{", "[]", "{\"version\": 2}", "{\"version\": 1, \"input\": -1}"}) {
        interrupt();
        writeBytes(folder / "out/tokenize.journal.json", journal);
        again();
    }
    interrupt();
    TokenizeRequest asked = request("out");
    asked.evalFraction = 0;
    const auto other = tokenizeTexts(asked);
    ASSERT_TRUE(other) << messageOf(other);
    EXPECT_FALSE(other->resumed);
    interrupt();
    writeBytes(folder / "d.txt", "another text");
    const auto changed = tokenizeTexts(request("out"));
    ASSERT_TRUE(changed) << messageOf(changed);
    EXPECT_FALSE(changed->resumed);
}

TEST_F(TokenizeResume, AnErrorOfTheInputLeavesNothing)
{
    TokenizeRequest asked = request("out");
    asked.skipBad = false;
    EXPECT_THAT(messageOf(tokenizeTexts(asked)), HasSubstr("a.jsonl.gz:8: "));
    EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(TokenizeResume, TwoRunsDoNotWriteTheSameFiles)
{
    TokenizeRequest asked = request("out"), second = request("out");
    std::string refusal;
    asked.interrupted = [&] {
        if (refusal.empty())
            refusal = messageOf(tokenizeTexts(second));
        return false;
    };
    ASSERT_TRUE(tokenizeTexts(asked));
    EXPECT_THAT(refusal, HasSubstr("tokens.bin.part: is written by another process"));
}

} // namespace
} // namespace slipway
