// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/attention_choice.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

using aten_ops::AttentionShape;
using aten_ops::FlashKernel;

// cuDNN, as far as it is asked: what it answers and what it was asked for.
struct StandInForCudnn {
    std::string answer;
    std::vector<AttentionShape> asked = {};
    AttentionChoice choose(FlashKernel usual, bool faster, const AttentionShape &shape)
    {
        return chooseAttention(usual, faster, shape, [this](const AttentionShape &tried) {
            asked.push_back(tried);
            return answer;
        });
    }
};

TEST(AttentionChoice, TriesCudnnOnceWithTheShapeThatTheRunHas)
{
    RunConfig config = smallConfig();
    config.microBatch = 3;
    config.seqLen = 72;
    const AttentionShape shape = attentionShape(planOf(config, smallModel()), smallModel());
    StandInForCudnn cudnn;
    EXPECT_EQ(cudnn.choose(FlashKernel::Gpu, true, shape).kernel, FlashKernel::Cudnn);
    EXPECT_THAT(cudnn.asked,
        ::testing::ElementsAre(AttentionShape{.sequences = 3, .tokens = 72, .heads = 4, .kvHeads = 2, .headDim = 12}));
}

TEST(AttentionChoice, FallsBackToFlashAttention2AndSaysWhyWhereCudnnRefuses)
{
    StandInForCudnn cudnn{.answer = "cuDNN error: CUDNN_STATUS_NOT_SUPPORTED"};
    const AttentionChoice choice = cudnn.choose(FlashKernel::Gpu, true, {});
    EXPECT_EQ(choice.kernel, FlashKernel::Gpu);
    EXPECT_THAT(choice.refused, ::testing::HasSubstr("FlashAttention-2"));
    EXPECT_THAT(choice.refused, ::testing::HasSubstr("CUDNN_STATUS_NOT_SUPPORTED"));
    EXPECT_EQ(cudnn.asked.size(), 1U);
}

TEST(AttentionChoice, AsksNoCudnnWhereItIsNotFasterOrHasNoSuchHeads)
{
    StandInForCudnn cudnn;
    EXPECT_EQ(cudnn.choose(FlashKernel::Gpu, false, {}).kernel, FlashKernel::Gpu);
    EXPECT_EQ(cudnn.choose(FlashKernel::Blocks, true, {}).kernel, FlashKernel::Blocks);
    EXPECT_EQ(cudnn.choose(FlashKernel::Processor, true, {}).kernel, FlashKernel::Processor);
    EXPECT_TRUE(cudnn.asked.empty());
}

TEST(AttentionChoice, AsksNoCudnnWhereAllAttentionHasWhatItLacks)
{
    const ModelSpec plain = smallModel();
    RunConfig config = smallConfig();
    EXPECT_TRUE(hasPlainFlash(planOf(config, plain), plain));
    ModelSpec other = plain;
    other.pattern = {{.window = 16}};
    EXPECT_FALSE(hasPlainFlash(planOf(config, other), other)) << "a window in every layer";
    other.pattern = {{.window = 16}, {}};
    EXPECT_TRUE(hasPlainFlash(planOf(config, other), other)) << "every other layer sees all";
    other = plain;
    other.attention.softCap = 50;
    EXPECT_FALSE(hasPlainFlash(planOf(config, other), other));
    other = plain;
    other.position = Position::Alibi;
    EXPECT_FALSE(hasPlainFlash(planOf(config, other), other));
    config.attention = Attention::Vanilla;
    EXPECT_FALSE(hasPlainFlash(planOf(config, plain), plain));
}

TEST(AttentionChoice, IsCudnnsOnlyWhereAllRanksHaveIt)
{
    std::vector<bool> said;
    const auto group = [&said](bool another) {
        return [&said, another](bool own) {
            said.push_back(own);
            return own || another;
        };
    };
    const AttentionChoice has{.kernel = FlashKernel::Cudnn}, lacks{.kernel = FlashKernel::Gpu, .refused = "no cuDNN"};
    EXPECT_EQ(agreed(has, group(false)).kernel, FlashKernel::Cudnn);
    const AttentionChoice follows = agreed(has, group(true));
    EXPECT_EQ(follows.kernel, FlashKernel::Gpu);
    EXPECT_THAT(follows.refused, ::testing::HasSubstr("another rank"));
    EXPECT_EQ(agreed(lacks, group(false)).refused, "no cuDNN");
    EXPECT_EQ(said, (std::vector<bool>{false, false, true})) << "every rank asks, once";
}

// On the processor neither of the two GPU kernels is there: a failure like any other.
TEST(AttentionChoice, TakesAFailureOfTheTrialAsARefusal)
{
    const std::string refused =
        aten_ops::cudnnRefuses(at::kCPU, {.sequences = 1, .tokens = 8, .heads = 2, .kvHeads = 1, .headDim = 8});
    EXPECT_THAT(refused, ::testing::HasSubstr("does not support"));
}

} // namespace
} // namespace slipway::testing
