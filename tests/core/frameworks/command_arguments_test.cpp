// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/command_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/log_grammar.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<std::string> read(const std::string &framework, const std::string &command)
{
    std::vector<std::string> list;
    for (const ReadArgument &one :
        readArguments(wordsOfLine(command), testing::shippedScriptInterface(framework).arguments))
        list.push_back(one.set + "=" + one.value);
    return list;
}

TEST(CommandArguments, OfWellKnownScriptsAreRead)
{
    EXPECT_THAT(read("hf-trainer",
                    "torchrun --nproc-per-node 8 run_clm.py --per_device_train_batch_size=4 --block_size 1024 --bf16 "
                    "True --gradient_accumulation_steps 2 --model_name_or_path gpt2 --max_steps 100"),
        UnorderedElementsAre("ranks_per_node=8", "micro_batch=4", "seq_len=1024", "precision=bf16-mixed",
            "grad_accum=2", "model=gpt2", "steps=100"));
    EXPECT_THAT(read("megatron-lm", "pretrain_gpt.py --micro-batch-size 4 --seq-length 2048 --train-iters 50 --bf16"),
        UnorderedElementsAre("micro_batch=4", "seq_len=2048", "steps=50", "precision=bf16-mixed"));
    EXPECT_THAT(read("nanogpt", "python train.py config/a.py --batch_size=12 --block_size=256"),
        UnorderedElementsAre("micro_batch=12", "seq_len=256"));
    EXPECT_THAT(read("torchtitan", "run --training.local_batch_size 2 --training.seq_len 8192"),
        UnorderedElementsAre("micro_batch=2", "seq_len=8192"));
    EXPECT_THAT(read("llm.c", "./train_gpt2cu -b 32 -t 1024 -x 19560"),
        UnorderedElementsAre("micro_batch=32", "seq_len=1024", "steps=19560"));
}

TEST(CommandArguments, OfAFlagThatIsTurnedOffAreNone)
{
    EXPECT_THAT(read("", "train.py --bf16 False --fp16=0"), IsEmpty());
    EXPECT_THAT(read("", "train.py --batch_size"), IsEmpty()) << "a flag without its value";
}

// Several trainers recompute unless a flag says no.
TEST(CommandArguments, OfRecomputationAreReadAlsoWhereTheyTurnItOff)
{
    EXPECT_THAT(read("trl", "trl sft --gradient_checkpointing False"), ElementsAre("recompute=none"));
    EXPECT_THAT(read("trl", "trl sft --gradient_checkpointing"), ElementsAre("recompute=full"));
    EXPECT_THAT(read("llama-factory", "train.py --disable_gradient_checkpointing true"), ElementsAre("recompute=none"));
    EXPECT_THAT(read("llama-factory", "train.py --disable_gradient_checkpointing false"), IsEmpty());
    EXPECT_THAT(read("torchtitan", "run --activation_checkpoint.mode full"), ElementsAre("recompute=full"));
    EXPECT_THAT(read("megatron-lm", "pretrain_gpt.py --recompute-granularity full --use-flash-attn"),
        UnorderedElementsAre("recompute=full", "attention=flash"));
}

TEST(CommandArguments, ALineIsSplitAsAShellDoes)
{
    EXPECT_THAT(wordsOfLine("a  'b c' \"d'e\" f\\ g ''"), ElementsAre("a", "b c", "d'e", "f g", ""));
    EXPECT_THAT(wordsOfLine("'open"), ElementsAre("open"));
    EXPECT_THAT(wordsOfLine(" "), IsEmpty());
}

} // namespace
} // namespace slipway
