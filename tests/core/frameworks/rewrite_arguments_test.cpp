// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/rewrite_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/log_grammar.h"

namespace slipway {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Outcome {
    std::string command, error;
    std::vector<ChangedArgument> changes;
};

Outcome rewritten(
    const std::string &framework, const std::string &command, const std::string &set, const std::string &value)
{
    RewrittenCommand changed{.words = wordsOfLine(command), .changes = {}};
    const Result<void> done =
        rewriteArgument(changed, testing::shippedScriptInterface(framework).arguments, set, value);
    return {.command = done ? fmt::format("{}", fmt::join(changed.words, " ")) : std::string(),
        .error = done ? std::string() : done.error().message(),
        .changes = changed.changes};
}

TEST(RewriteArguments, KeepsThePlaceAndTheStyleOfAnArgument)
{
    EXPECT_EQ(
        rewritten("hf-trainer", "torchrun --nproc-per-node 8 train.py --max_steps 1000 --bf16", "steps", "10").command,
        "torchrun --nproc-per-node 8 train.py --max_steps 10 --bf16");
    EXPECT_EQ(rewritten("hf-trainer", "train.py --max-steps=1000 --bf16", "steps", "10").command,
        "train.py --max-steps=10 --bf16");
    EXPECT_EQ(rewritten("nanogpt", "python3 train.py config/a.py --max_iters=600000", "steps", "10").command,
        "python3 train.py config/a.py --max_iters=10");
    EXPECT_EQ(rewritten("maxtext", "python3 -m MaxText.train base.yml steps=500 x=1", "steps", "10").command,
        "python3 -m MaxText.train base.yml steps=10 x=1");
    EXPECT_EQ(rewritten("torchtitan", "train --training.steps 500 --training.seq_len 2048", "seq_len", "1024").command,
        "train --training.steps 500 --training.seq_len 1024");
    EXPECT_EQ(rewritten("megatron-lm", "pretrain_gpt.py --train-iters 500", "steps", "10").command,
        "pretrain_gpt.py --train-iters 10");
    EXPECT_EQ(rewritten("llm.c", "./train_gpt2cu -b 32 -x 19560 -t 1024", "steps", "10").command,
        "./train_gpt2cu -b 32 -x 10 -t 1024");
}

TEST(RewriteArguments, SaysWhatItChanged)
{
    EXPECT_THAT(rewritten("hf-trainer", "train.py --max_steps 1000", "steps", "10").changes,
        ElementsAre(ChangedArgument{.set = "steps", .argument = "--max_steps", .before = "1000", .after = "10"}));
    EXPECT_THAT(rewritten("hf-trainer", "train.py --max_steps 1000", "log_interval", "1").changes,
        ElementsAre(ChangedArgument{.set = "log_interval", .argument = "--logging_steps", .before = "", .after = "1"}));
    EXPECT_THAT(rewritten("hf-trainer", "train.py --max_steps 10", "steps", "10").changes, IsEmpty());
}

TEST(RewriteArguments, ChangesEveryRepetition)
{
    EXPECT_EQ(rewritten("", "train.py --max_steps 5 --max_steps=7", "steps", "10").command,
        "train.py --max_steps 10 --max_steps=10");
    EXPECT_EQ(rewritten("", "train.py --max_steps -1", "steps", "10").command, "train.py --max_steps 10");
}

TEST(RewriteArguments, AddsWhatTheProfileKnows)
{
    EXPECT_EQ(rewritten("hf-trainer", "train.py --per_device_train_batch_size 8", "steps", "10").command,
        "train.py --per_device_train_batch_size 8 --max_steps 10");
    EXPECT_EQ(rewritten("nanogpt", "train.py config/a.py --batch_size=12", "log_interval", "1").command,
        "train.py config/a.py --batch_size=12 --log_interval=1");
    EXPECT_EQ(rewritten("llama-factory", "llamafactory-cli train run.yaml", "steps", "10").command,
        "llamafactory-cli train run.yaml max_steps=10");
    EXPECT_EQ(
        rewritten("llama-factory", "llamafactory-cli train --per_device_train_batch_size 8", "steps", "10").command,
        "llamafactory-cli train --per_device_train_batch_size 8 --max_steps 10");
    EXPECT_EQ(
        rewritten("axolotl", "axolotl train run.yml", "steps", "10").command, "axolotl train run.yml --max-steps 10");
}

TEST(RewriteArguments, TurnSwitchesOnAndOff)
{
    const std::string command = "train.py --max_steps 9";
    EXPECT_EQ(
        rewritten("hf-trainer", command, "recompute", "full").command, command + " --gradient_checkpointing True");
    EXPECT_EQ(rewritten("hf-trainer", command + " --gradient_checkpointing true", "recompute", "none").command,
        command + " --gradient_checkpointing false");
    EXPECT_EQ(rewritten("hf-trainer", command + " --gradient_checkpointing", "recompute", "none").command,
        command + " --gradient_checkpointing=False");
    EXPECT_EQ(rewritten("hf-trainer", command + " --gradient_checkpointing", "recompute", "full").command,
        command + " --gradient_checkpointing");
    EXPECT_EQ(rewritten("torchtitan", "train --activation_checkpoint.mode selective", "recompute", "full").command,
        "train --activation_checkpoint.mode full");
    EXPECT_THAT(rewritten("megatron-lm", "pretrain.py --recompute-granularity selective", "recompute", "full").error,
        AllOf(HasSubstr("--recompute-granularity"), HasSubstr("recompute full")));
}

TEST(RewriteArguments, RefusesWhatTheProfileDoesNotKnow)
{
    EXPECT_THAT(rewritten("", "python3 train.py --epochs 3", "steps", "10").error,
        AllOf(HasSubstr("--probe"), HasSubstr("no argument for steps"), HasSubstr("steps 10 in the command")));
    EXPECT_THAT(rewritten("build-nanogpt", "python3 train_gpt2.py --batch_size=8", "steps", "10").error,
        HasSubstr("steps 10 in the command"));
    EXPECT_THAT(rewritten("", "train.py --max_steps", "steps", "10").error, HasSubstr("the command has --max_steps"));
}

TEST(RewriteArguments, NamesTheFileThatHasTheValue)
{
    EXPECT_THAT(rewritten("hf-trainer", "python3 run_clm.py args.json", "steps", "10").error,
        AllOf(HasSubstr("steps 10 in args.json"), HasSubstr("by hand")));
    EXPECT_THAT(rewritten("nanotron", "torchrun run_train.py --config-file run.yaml", "micro_batch", "4").error,
        HasSubstr("micro_batch 4 in run.yaml"));
    EXPECT_THAT(rewritten("hf-trainer", "bash run.sh", "steps", "10").error,
        AllOf(HasSubstr("run.sh may ignore"), HasSubstr("--max_steps 10 in the command")));
    EXPECT_THAT(
        rewritten("hf-trainer", "accelerate launch --config_file fsdp.yaml train.py --max_steps 9", "log_interval", "1")
            .command,
        HasSubstr("--logging_steps 1"))
        << "the file of the launcher has no settings of the script";
}

// A script without arguments would go on for all its steps.
TEST(RewriteArguments, AddsNothingToACommandThatShowsNoArguments)
{
    EXPECT_THAT(rewritten("hf-trainer", "torchrun --nproc-per-node 8 train.py", "steps", "10").error,
        AllOf(HasSubstr("may read none"), HasSubstr("--max_steps 10 in the command")));
}

TEST(RewriteArguments, AreOfALineThatNeedsNoShell)
{
    EXPECT_THAT(wordsOfCommand({"torchrun train.py \\\n  --steps 'a b'\n"}).value(),
        ElementsAre("torchrun", "train.py", "--steps", "a b"));
    EXPECT_THAT(wordsOfCommand({"a b", "c $d"}).value(), ElementsAre("a b", "c $d"));
    for (const char *const line : {"cd x && python3 train.py", "train.py > log", "train.py $ARGS", "A=1 train.py", " ",
             "train.py\nrm x", "train.py *.txt"})
        EXPECT_FALSE(wordsOfCommand({line})) << line;
}

} // namespace
} // namespace slipway
