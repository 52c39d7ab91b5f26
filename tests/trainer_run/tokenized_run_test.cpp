// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs on tokens of real text: documents kept apart, and tokenizers that are not the data's.
#include <gmock/gmock.h>

#include "data/tokenize.h"
#include "run/run_loop.h"
#include "scratch_folder.h"
#include "support/shipped_catalogue.h"
#include "tiny_run.h"

namespace slipway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace testing;

class TokenizedRun : public ::testing::Test {
protected:
    void SetUp() override { tokenize("data", "three boats sail past the long pier "); }

    void tokenize(const std::string &name, const std::string &words)
    {
        std::filesystem::create_directories(folder / (name + "-text"));
        for (int document = 0; document < 60; ++document) {
            std::string text;
            for (int line = 0; line <= document % 5; ++line)
                text += words + std::to_string(document * 7919 % 1000 + line) + " times " +
                        words.substr(static_cast<std::size_t>(document + line) % 20) + "\n";
            writeBytes(folder / (name + "-text") / std::to_string(document), text);
        }
        const Result<TokenizeOutcome> outcome = tokenizeTexts(
            {.texts = {folder / (name + "-text")}, .out = folder / name, .vocabSize = 300, .evalFraction = 0});
        ASSERT_TRUE(outcome) << messageOf(outcome);
    }

    [[nodiscard]] RunPaths makeRun(const std::string &name, const std::vector<std::string> &changes)
    {
        const RunPaths run =
            makeTinyRun(folder / name, {"vocab: 300", "data: ../data/tokens.bin", "eval_data: ../data/tokens.bin",
                                           "tokenizer: ../data/tokenizer.model", "eval_every: 3"});
        rewriteConfig(run, changes);
        return run;
    }

    static Result<int> trainIn(const RunPaths &run, bool resume = false)
    {
        const Result<RunJob> job = prepareRun(run.directory, catalogue());
        if (!job)
            return job.error();
        return train(*job, {.resume = resume, .threads = 1});
    }

    ScratchFolder folder;
};

TEST_F(TokenizedRun, KeepsDocumentsApartOnAnyNumberOfRanksAndAfterAResume)
{
    const RunPaths packed = makeRun("packed", {"grad_accum: 4"}),
                   whole = makeRun("whole", {"grad_accum: 4", "documents: apart"});
    const RunPaths parts = makeRun("parts", {"grad_accum: 2", "documents: apart", "gpus: 2", "parallel: fsdp-full"});
    ASSERT_TRUE(trainIn(packed));
    ASSERT_TRUE(trainIn(whole));
    writeBytes(parts.stopRequest(), "");
    ASSERT_EQ(trainIn(parts).value(), 143);
    std::filesystem::remove(parts.stopRequest());
    rewriteConfig(parts, {"grad_accum: 1", "gpus: 4", "parallel: ddp"});
    ASSERT_EQ(trainIn(parts, true).value(), 0);
    const std::vector<StepMetrics> one = metricsOf(whole), other = metricsOf(parts);
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i)
        EXPECT_NEAR(other[i].loss / one[i].loss, 1.0, 1e-6) << i;
    EXPECT_NEAR(*one.back().evalLoss / *other.back().evalLoss, 1.0, 1e-6);
    EXPECT_NE(one.front().loss, metricsOf(packed).front().loss) << "what crosses documents counted";
}

TEST_F(TokenizedRun, WithoutATokenizerCannotTellDocumentsApart)
{
    const Result<int> refused = trainIn(makeRun("r", {"documents: apart", "tokenizer: \"\""}));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("documents: apart needs the tokenizer"));
}

TEST_F(TokenizedRun, RefusesATokenizerThatDidNotMakeTheTokens)
{
    tokenize("other", "seven wide rivers meet the quiet sea ");
    const RunPaths run = makeRun("r", {"tokenizer: ../other/tokenizer.model"});
    const Result<int> refused = trainIn(run);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().fault, Fault::Input);
    EXPECT_THAT(refused.error().message(),
        AllOf(HasSubstr("tokens.bin: was written with another tokenizer than"), HasSubstr("other/tokenizer.model")));
    EXPECT_TRUE(metricsOf(run).empty());
}

TEST_F(TokenizedRun, RefusesATokenizerLargerThanTheModelsVocabulary)
{
    const Result<int> refused = trainIn(makeRun("r", {"vocab: 299"}));
    ASSERT_FALSE(refused);
    const Result<int> missing = trainIn(makeRun("m", {"tokenizer: none.model"}));
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message(), HasSubstr("none.model"));
}

} // namespace
} // namespace slipway
