// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/probe_command.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/propose_probe.h"
#include "support/log_grammar.h"

namespace slipway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<ArgumentRule> &rulesOf(const std::string &framework)
{
    static std::map<std::string, std::vector<ArgumentRule>> known;
    if (!known.contains(framework))
        known[framework] = testing::shippedScriptInterface(framework).arguments;
    return known[framework];
}

RunConfig runOf(const std::string &command)
{
    RunConfig config;
    config.microBatch = 8;
    config.seqLen = 1024;
    config.training.command = wordsOfLine(command);
    return config;
}

std::string rewrittenFor(const std::string &framework, const RunConfig &planned, const RunConfig &probe)
{
    const Result<RewrittenCommand> command = probeCommand(planned, probe, rulesOf(framework), "run-probe");
    if (!command)
        return command.error().message();
    std::string text;
    for (const std::string &word : command->words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

TEST(ProbeCommand, IsShortAndHasALogLineOfEachStepAndAnOutputFolderOfItsOwn)
{
    const RunConfig planned =
        runOf("torchrun train.py --per_device_train_batch_size 8 --max_steps 1000 --output_dir o/");
    RunConfig probe = planned;
    probe.microBatch = 16;
    EXPECT_EQ(rewrittenFor("hf-trainer", planned, probe),
        "torchrun train.py --per_device_train_batch_size 16 --max_steps 10 --output_dir o-run-probe --logging_steps 1");
    EXPECT_EQ(rewrittenFor("hf-trainer", planned, planned),
        "torchrun train.py --per_device_train_batch_size 8 --max_steps 10 --output_dir o-run-probe --logging_steps 1");
}

// What the plan assumes is what runs, also where the command said something else.
TEST(ProbeCommand, AgreesWithThePlanOfTheProbe)
{
    RunConfig planned = runOf("train.py --per_device_train_batch_size 4 --max_steps 9 --gradient_accumulation_steps 8");
    planned.gradAccum = 8;
    RunConfig probe = planned;
    probe.gradAccum = probeGradAccum(planned);
    ASSERT_EQ(probe.gradAccum, 2);
    EXPECT_THAT(rewrittenFor("hf-trainer", planned, probe),
        AllOf(HasSubstr("--per_device_train_batch_size 8 "), HasSubstr("--gradient_accumulation_steps 2 ")));
}

TEST(ProbeCommand, SetsTheBatchOfAllRanksWhereAScriptCountsIt)
{
    RunConfig planned = runOf("pretrain_gpt.py --micro-batch-size 8 --global-batch-size 512 --train-iters 9");
    planned.parallel.gpus = 4;
    planned.parallel.tp = 2;
    RunConfig probe = planned;
    probe.microBatch = 4;
    probe.gradAccum = 2;
    EXPECT_THAT(rewrittenFor("megatron-lm", planned, probe),
        AllOf(HasSubstr("--micro-batch-size 4 --global-batch-size 16 --train-iters 10"), HasSubstr("--log-interval 1")))
        << "two replicas";
    planned.training.command = wordsOfLine("train.py --batch_size=8 --gradient_accumulation_steps=40 --max_iters=9");
    EXPECT_THAT(rewrittenFor("nanogpt", planned, probe), HasSubstr("--batch_size=4 --gradient_accumulation_steps=4 "));
    planned.training.command = wordsOfLine("litgpt pretrain --train.micro_batch_size 8 --train.max_tokens 300000000");
    EXPECT_THAT(rewrittenFor("litgpt", planned, probe),
        AllOf(HasSubstr("--train.max_tokens 163840"), HasSubstr("--train.global_batch_size 16")));
}

TEST(ProbeCommand, IsRefusedWithWhatToChangeByHand)
{
    const RunConfig planned = runOf("python3 train.py --max_steps 100");
    RunConfig probe = planned;
    probe.microBatch = 16;
    EXPECT_THAT(rewrittenFor("pytorch", planned, probe), HasSubstr("micro_batch 16 in the command"));
    probe = planned;
    probe.seqLen = 2048;
    EXPECT_THAT(rewrittenFor("pytorch", planned, probe), HasSubstr("seq_len 2048"))
        << "data of a fixed length may be cut";
    probe = planned;
    probe.recompute = Recompute::Full;
    EXPECT_THAT(rewrittenFor("pytorch", planned, probe), HasSubstr("recompute full"));
    EXPECT_EQ(rewrittenFor("pytorch", planned, planned), "python3 train.py --max_steps 10");
    EXPECT_THAT(rewrittenFor("litgpt", runOf("litgpt pretrain --train.micro_batch_size 8"), runOf("litgpt")),
        HasSubstr("steps 10"))
        << "it counts tokens, and takes no notice of steps";
}

TEST(ProbeCommand, KeepsTheMicroBatchesOfAScriptThatDoesNotSayThem)
{
    RunConfig planned = runOf("python3 train.py --max_steps 100");
    planned.gradAccum = 8;
    EXPECT_FALSE(canShortenSteps(planned, rulesOf("pytorch")));
    planned.training.command = wordsOfLine("python3 train.py --grad_accum 8");
    EXPECT_TRUE(canShortenSteps(planned, rulesOf("pytorch")));
}

TEST(ProbeCommand, HasItsLogInItsOwnOutputFolder)
{
    RunConfig planned = runOf("train.py --max_steps 9 --output_dir out");
    const RewrittenCommand command = probeCommand(planned, planned, rulesOf("hf-trainer"), "p").value();
    planned.training.log = "out/runs";
    EXPECT_EQ(withCommand(planned, command).training.log, "out-p/runs");
    planned.training.log = "output.log";
    EXPECT_EQ(withCommand(planned, command).training.log, "output.log");
    EXPECT_EQ(withCommand(planned, command).training.command, command.words);
}

} // namespace
} // namespace slipway
