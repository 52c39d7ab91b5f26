// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the executor's tests on the processor do not reach: the kernels of aten_ops/ that only a GPU's choice leads to.
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "aten_ops/attention.h"
#include "aten_ops/gemm.h"

namespace slipway::aten_ops {
namespace {

double distance(const at::Tensor &a, const at::Tensor &b)
{
    return ((a.to(at::kDouble) - b.to(at::kDouble)).norm() / b.to(at::kDouble).norm()).item<double>();
}

struct Attended {
    at::Tensor out, lse, dqkv;
};

Attended attend(FlashKernel kernel, const at::Tensor &qkv, const at::Tensor &dout)
{
    const Attended a{at::zeros_like(dout), at::zeros({qkv.size(0), dout.size(2), qkv.size(1)}), at::zeros_like(qkv)};
    flashAttention(kernel, qkv, a.out, a.lse);
    flashAttentionBackward(kernel, {.dout = dout, .qkv = qkv, .out = a.out, .lse = a.lse, .dqkv = a.dqkv});
    return a;
}

class BlocksTest : public ::testing::TestWithParam<std::pair<std::int64_t, std::int64_t>> {};

TEST_P(BlocksTest, AttentionByBlocksIsThatOfTheProcessorsKernel)
{
    const auto [seq, kvHeads] = GetParam();
    at::manual_seed(1);
    const at::Tensor qkv = at::randn({2, seq, 4 + 2 * kvHeads, 12}), dout = at::randn({2, seq, 4, 12});
    const Attended blocks = attend(FlashKernel::Blocks, qkv, dout),
                   processor = attend(FlashKernel::Processor, qkv, dout);
    EXPECT_LT(distance(blocks.out, processor.out), 1e-5);
    EXPECT_LT(distance(blocks.lse, processor.lse), 1e-5);
    EXPECT_LT(distance(blocks.dqkv, processor.dqkv), 1e-5);
}

TEST_P(BlocksTest, BlocksOfBf16StayWithinItsRounding)
{
    const auto [seq, kvHeads] = GetParam();
    at::manual_seed(1);
    const at::Tensor qkv = at::randn({2, seq, 4 + 2 * kvHeads, 12}).to(at::kBFloat16),
                     dout = at::randn({2, seq, 4, 12}).to(at::kBFloat16);
    const Attended blocks = attend(FlashKernel::Blocks, qkv, dout),
                   exact = attend(FlashKernel::Blocks, qkv.to(at::kFloat), dout.to(at::kFloat));
    EXPECT_LT(distance(blocks.out, exact.out), 0x1p-8);
    EXPECT_LT(distance(blocks.dqkv, exact.dqkv), 0x1p-7);
}

INSTANTIATE_TEST_SUITE_P(Lengths, BlocksTest, ::testing::Values(std::pair(1, 4), std::pair(80, 2), std::pair(300, 1)));

TEST(FlashKernelChoice, AGpuTakesFlashAttention2WhereItCan)
{
    const at::Device gpu(at::kCUDA, 0);
    EXPECT_EQ(flashKernel(gpu, at::kBFloat16, 64), FlashKernel::Gpu);
    EXPECT_EQ(flashKernel(gpu, at::kBFloat16, 256), FlashKernel::Gpu);
    EXPECT_EQ(flashKernel(gpu, at::kBFloat16, 12), FlashKernel::Blocks);
    EXPECT_EQ(flashKernel(gpu, at::kBFloat16, 264), FlashKernel::Blocks);
    EXPECT_EQ(flashKernel(gpu, at::kFloat, 64), FlashKernel::Blocks);
    EXPECT_EQ(flashKernel(at::kCPU, at::kBFloat16, 64), FlashKernel::Processor);
}

TEST(FlashKernelChoice, FlashAttention2IsNeverRunOnWhatItCannotCompute)
{
    const at::Tensor qkv = at::zeros({1, 8, 6, 64}), out = at::zeros({1, 8, 2, 64});
    EXPECT_THROW(flashAttention(FlashKernel::Gpu, qkv, out, at::zeros({1, 2, 8})), std::logic_error);
}

TEST(Fp32GradientGemm, NarrowAddsTheRoundedProductToTheWideGradient)
{
    at::manual_seed(1);
    const at::Tensor dy = at::randn({40, 24}).to(at::kBFloat16), x = at::randn({40, 16}).to(at::kBFloat16),
                     start = at::randn({24, 16});
    const at::Tensor narrow = start.clone(), exact = start.clone();
    gemm(GemmForm::WeightGradient, dy, x, narrow, narrow, Fp32GradientGemm::Bf16Result);
    gemm(GemmForm::WeightGradient, dy, x, exact, exact, Fp32GradientGemm::Upcast);
    EXPECT_EQ(narrow.scalar_type(), at::kFloat);
    EXPECT_LT(distance(narrow, exact), 0x1p-8);
    EXPECT_GT(distance(narrow, exact), 0);
}

} // namespace
} // namespace slipway::aten_ops
