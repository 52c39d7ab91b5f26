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
        for (int i = 0; i < 60'000; ++i) {
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

    // Until the run is through, each time interrupted after so many questions.
    int runWithInterruptions(TokenizeRequest asked, int after)
    {
        for (int runs = 1;; ++runs) {
            int questions = 0;
            asked.interrupted = [&] { return ++questions > after; };
            const auto outcome = tokenizeTexts(asked);
            EXPECT_TRUE(outcome) << messageOf(outcome);
            if (!outcome || !outcome->interrupted || runs > 1000) {
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
    for (const int after : {1, 2, 5}) {
        const std::string out = "parts" + std::to_string(after);
        EXPECT_GT(runWithInterruptions(request(out.c_str()), after), 2);
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
    TokenizeRequest asked = request("killed");
    asked.interrupted = [asked = 0]() mutable { return ++asked > 3; };
    ASSERT_TRUE(tokenizeTexts(asked));
    writeBytes(folder / "killed/tokens.bin.part", readBytes(folder / "killed/tokens.bin.part") + "odd bytes");
    asked.interrupted = {};
    const auto outcome = tokenizeTexts(asked);
    ASSERT_TRUE(outcome) << messageOf(outcome);
    EXPECT_TRUE(outcome->resumed);
    EXPECT_TRUE(readBytes(folder / "killed/tokens.bin") == readBytes(folder / "whole/tokens.bin"));
}

TEST_F(TokenizeResume, BeginsAnewWhereTheRequestOrTheInputOrWhatWasLeftIsAnother)
{
    ASSERT_TRUE(tokenizeTexts(request("whole")));
    const auto interrupt = [&] {
        TokenizeRequest asked = request("out");
        asked.interrupted = [asked = 0]() mutable { return ++asked > 3; };
        const auto outcome = tokenizeTexts(asked);
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
    EXPECT_TRUE(fs::is_empty(folder / "out"));
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
