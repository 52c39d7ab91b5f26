// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/script_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hardware/user_prices.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct CommandDifferences : ::testing::Test {
    RunConfig config{.gpu = "h100-sxm-80gb", .microBatch = 8, .seqLen = 2048};

    std::vector<std::string> of(const std::string &command)
    {
        config.training.command = {command};
        std::vector<std::string> list;
        for (const CommandDifference &one : commandDifferences(config, loadUserCatalogue()->frameworks))
            list.push_back(one.said.set + " " + one.said.value + ", not " + one.planned);
        return list;
    }
};

TEST_F(CommandDifferences, AreSizesOfTheStepThatThePlanDoesNotAssume)
{
    EXPECT_THAT(of("python train.py --batch_size 16 --seq_len 2048 --steps 5"), ElementsAre("micro_batch 16, not 8"));
    EXPECT_THAT(of("python train.py --batch_size=8 --seq_len 4096 --grad_accum 2"),
        UnorderedElementsAre("seq_len 4096, not 2048", "grad_accum 2, not 1"));
    EXPECT_THAT(of("python train.py --batch_size 8"), IsEmpty());
    EXPECT_THAT(of("python train.py --batch_size $SIZE"), IsEmpty()) << "nobody knows it beforehand";
    EXPECT_THAT(of("python train.py"), IsEmpty());
}

TEST_F(CommandDifferences, AreOfMicroBatchesThatAScriptCountsOnAllRanks)
{
    config.software = "nanogpt";
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 8, .gpusPerNode = 8};
    config.gradAccum = 5;
    EXPECT_THAT(of("torchrun train.py --gradient_accumulation_steps=40"), IsEmpty());
    EXPECT_THAT(of("torchrun train.py --gradient_accumulation_steps=8"), ElementsAre("grad_accum 1, not 5"));
}

TEST_F(CommandDifferences, CountTheRanksOfAllNodes)
{
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 16, .gpusPerNode = 8};
    EXPECT_THAT(of("torchrun --nproc_per_node 8 --nnodes 2 train.py"), IsEmpty());
    EXPECT_THAT(of("torchrun --nproc_per_node 8 train.py"), IsEmpty()) << "the host may start it on both nodes";
    EXPECT_THAT(of("torchrun --nproc_per_node 8 --nnodes $N train.py"), IsEmpty());
    EXPECT_THAT(of("torchrun --nproc_per_node auto train.py"), IsEmpty());
    EXPECT_THAT(of("torchrun --nproc_per_node 8 --nnodes 4 train.py"), ElementsAre("gpus 32, not 16"));
    EXPECT_THAT(of("torchrun --nproc_per_node 4 train.py"), ElementsAre("gpus_per_node 4, not 8"));
    config.parallel = {};
    EXPECT_THAT(of("torchrun --nproc_per_node 8 train.py"), ElementsAre("gpus 8, not 1"));
}

// Frameworks count a batch on one rank or on all of them.
TEST(PlanScript, ReadsTheMicroBatchesOfAStepFromABatchOfAllRanks)
{
    const auto accumulation = [](const std::string &framework, const std::string &command) {
        RunConfig config;
        config.software = framework;
        config.training.command = {command};
        return planScript(config, {}, *loadUserCatalogue()).value().config.gradAccum;
    };
    EXPECT_EQ(accumulation("nanogpt", "torchrun --nproc_per_node 8 train.py --gradient_accumulation_steps=40"), 5);
    EXPECT_EQ(accumulation("hf-trainer", "torchrun --nproc_per_node 8 train.py --gradient_accumulation_steps=40"), 40);
    EXPECT_EQ(
        accumulation("megatron-lm",
            "torchrun --nproc_per_node 8 pretrain.py --micro-batch-size 2 --seq-length 64 --global-batch-size 64"),
        4);
    EXPECT_EQ(accumulation("llm.c", "mpirun ./train_gpt2cu -b 16 -t 1024 -d 131072"), 8);
    EXPECT_EQ(accumulation("llm.c", "mpirun ./train_gpt2cu -b 16 -t 1024 -d 100000"), 1) << "no whole number";
}

TEST_F(CommandDifferences, OfOurOwnTrainerOrAnUnknownFrameworkAreNone)
{
    config.software = "nobody-knows-it";
    EXPECT_THAT(of("python train.py --batch_size 16"), IsEmpty());
    config.software.clear();
    config.training.command.clear();
    EXPECT_THAT(commandDifferences(config, loadUserCatalogue()->frameworks), IsEmpty());
}

} // namespace
} // namespace slipway
