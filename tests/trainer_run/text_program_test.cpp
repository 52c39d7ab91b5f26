// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The commands of slipway-train around a run: tokenize, sample and export.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "scratch_folder.h"
#include "train_program.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace testing;

std::string countedLines()
{
    std::string text;
    for (int i = 0; i < 3000; ++i)
        text += "line " + std::to_string(i * 7919 % 1000) + " says that slipway number " + std::to_string(i % 13) +
                " is ready\n";
    return text;
}

// A run of the counted lines, which knows its tokenizer.
RunPaths makeTextRun(const ScratchFolder &folder, std::vector<std::string> settings = {})
{
    writeBytes(folder / "book.txt", countedLines());
    EXPECT_EQ(trainer({"tokenize", folder / "book.txt", "--out", folder / "data", "--vocab-size", "300"}).status, 0);
    settings.insert(settings.end(), {"vocab: 300", "data: ../data/tokens.bin", "tokenizer: ../data/tokenizer.model"});
    return makeTinyRun(folder / "r", settings);
}

TEST(Program, TokenizesTextThatItCanTrainOn)
{
    const ScratchFolder folder;
    writeBytes(folder / "book.txt", countedLines());
    const Ended ended = trainer({"tokenize", folder / "book.txt", "--out", folder / "data", "--vocab-size", "300"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("in 1 document, vocabulary size 300"));
    const RunPaths run = makeTinyRun(
        folder / "r", {"vocab: 300", "data: ../data/tokens.bin", "eval_data: ../data/eval.bin", "eval_every: 3"});
    const Ended trained = trainerRun(run);
    EXPECT_EQ(trained.status, 0) << trained.err;
    EXPECT_TRUE(metricsOf(run).back().evalLoss);
}

TEST(Program, SamplesTextFromARunsNewestCheckpoint)
{
    const ScratchFolder folder;
    const RunPaths run = makeTextRun(folder);
    const std::vector<std::string> command{
        "sample", run.directory.string(), "--prompt", "line 7", "--tokens", "8", "--seed", "5"};
    const Ended early = trainer(command);
    EXPECT_EQ(early.status, 2);
    EXPECT_THAT(early.err, HasSubstr("has no checkpoint yet"));
    ASSERT_EQ(trainerRun(run).status, 0);
    const Ended first = trainer(command);
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_THAT(first.out, StartsWith("line 7"));
    EXPECT_EQ(trainer(command).out, first.out);
}

TEST(Program, SamplesNoEscapeSequences)
{
    const ScratchFolder folder;
    const RunPaths run = makeTextRun(folder);
    ASSERT_EQ(trainerRun(run).status, 0);
    const Ended sampled = trainer({"sample", run.directory.string(), "--prompt", "line \x1b[31m7", "--tokens", "1"});
    EXPECT_EQ(sampled.status, 0) << sampled.err;
    EXPECT_THAT(sampled.out, StartsWith("line \\u001b[31m7"));
}

TEST(Program, SamplesNoMoreThanTheModelHasPositionsFor)
{
    const ScratchFolder folder;
    writeBytes(folder / "short.yaml", "layers: 2\nhidden: 32\nheads: 4\nffn: 64\nvocab: 300\ncontext_length: 24\n");
    const RunPaths run = makeTextRun(folder, {"model: ../short.yaml"});
    ASSERT_EQ(trainerRun(run).status, 0);
    const auto sample = [&run](const std::string &prompt, const std::vector<std::string> &more) {
        std::vector<std::string> command{"sample", run.directory.string(), "--prompt", prompt, "--temperature", "0"};
        command.insert(command.end(), more.begin(), more.end());
        return trainer(command);
    };
    const Ended all = sample("line 7", {}); // past seq_len, which is 16, up to the positions
    EXPECT_EQ(all.status, 0) << all.err;
    const Ended answer = sample("line 7", {"--tokens", "24"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, HasSubstr("--tokens: "));
    EXPECT_THAT(answer.err, HasSubstr("exceed the 24 positions of"));
    const Ended prompt = sample(std::string(200, 'x'), {});
    EXPECT_EQ(prompt.status, 2);
    EXPECT_THAT(prompt.err, HasSubstr("--prompt: a prompt of "));
    EXPECT_THAT(prompt.err, HasSubstr("does not fit into the 24 positions of"));
    EXPECT_THAT(prompt.err, HasSubstr("accepted: 1 to 23"));
}

TEST(Program, ExportsARunByItsNameToo)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "share/slipway/runs/by-name");
    ASSERT_EQ(trainerRun(run).status, 0);
    const auto before = [&folder] { ::setenv("XDG_DATA_HOME", std::string(folder / "share").c_str(), 1); };
    const Ended named = trainer({"export-hf", "by-name", "--out", folder / "model"}, before);
    EXPECT_EQ(named.status, 0) << named.err;
    const Ended unknown = trainer({"export-hf", "by-nam", "--out", folder / "other"}, before);
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.err, HasSubstr("by-name"));
}

TEST(Program, TokenizingReportsItsFaultsByTheirStatus)
{
    const ScratchFolder folder;
    const Ended missing = trainer({"tokenize", folder / "none.txt", "--out", folder / "data"});
    EXPECT_EQ(missing.status, 2);
    EXPECT_THAT(missing.err, HasSubstr("none.txt"));
    writeBytes(folder / "a.txt", "text");
    EXPECT_EQ(trainer({"tokenize", folder / "a.txt", "--out", folder / "a.txt/data"}).status, 3);
    EXPECT_EQ(trainer({"tokenize", folder / "a.txt", "--out", folder / "data", "--vocab-size", "-1"}).status, 2);
    writeBytes(folder / "bad.model", "nonsense");
    EXPECT_EQ(
        trainer({"tokenize", folder / "a.txt", "--out", folder / "data", "--tokenizer", folder / "bad.model"}).status,
        5);
}

} // namespace
} // namespace slipway
