// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include "plain_rates.h"
#include "speed/kernel_time.h"
#include "support/torch_version.h"

namespace slipway {
namespace {

using testing::plainRates;
using testing::withWork;

TEST(KernelTime, isTheLongerOfArithmeticAndBytes)
{
    const Kernel large = withWork({.kind = OpKind::Gemm, .m = 1000, .n = 1000, .k = 1000});
    EXPECT_DOUBLE_EQ(kernelTime(large, plainRates()), 2e9 / 1e12);
    const Kernel thin = withWork({.kind = OpKind::Gemm, .m = 1000, .n = 1, .k = 1000});
    EXPECT_DOUBLE_EQ(kernelTime(thin, plainRates()), 4.0 * (1000 * 1000 + 1000 + 1000) / 1e11);
    const Kernel add = withWork({.kind = OpKind::Add, .type = DType::Bf16, .m = 1000, .n = 1000});
    EXPECT_DOUBLE_EQ(kernelTime(add, plainRates()), 3 * 2e6 / 1e11);
}

TEST(KernelTime, ofAttentionToACacheCountsTheKeysThatItsWindowLeaves)
{
    DeviceRates rates = plainRates();
    rates.cacheTimePerKey = 1e-3;
    const auto seconds = [&rates](std::int32_t window) {
        return kernelTime(withWork({.kind = OpKind::FlashAttention,
                              .type = DType::Bf16,
                              .batch = 1,
                              .seq = 1,
                              .heads = 8,
                              .kvHeads = 8,
                              .headDim = 64,
                              .window = window,
                              .past = 1000,
                              .storedBits = 16}),
            rates);
    };
    EXPECT_NEAR(seconds(0), 1, 1e-3) << "no window";
    EXPECT_NEAR(seconds(100), 0.1, 1e-3);
}

TEST(KernelTime, ofACopyToTheHostIsItsBytesOverTheLinkAndNothingWhereThereIsNoLink)
{
    const Kernel copy{.kind = OpKind::HostCopy, .cost = CostClass::Communication, .messageBytes = 1000};
    DeviceRates rates = plainRates();
    rates.hostBandwidth = 1e9;
    EXPECT_DOUBLE_EQ(kernelTime(copy, rates), 1e-6);
    rates.hostBandwidth = 0;
    EXPECT_EQ(kernelTime(copy, rates), 0);
}

TEST(KernelTime, isNeverUnderTheFloor)
{
    DeviceRates rates = plainRates();
    rates.minKernelTime = 1e-3;
    EXPECT_DOUBLE_EQ(kernelTime(withWork({.kind = OpKind::Add, .m = 1, .n = 1}), rates), 1e-3);
}

TEST(KernelTime, hasTheGapBeforeTheNextKernelExceptWhereTheFloorHasIt)
{
    DeviceRates rates = plainRates();
    rates.kernelGap = 1e-3;
    const Kernel large = withWork({.kind = OpKind::Gemm, .m = 1000, .n = 1000, .k = 1000, .calls = 3});
    EXPECT_DOUBLE_EQ(kernelTime(large, rates), 3 * (kernelTime(large, plainRates()) / 3 + 1e-3));
    rates.minKernelTime = 2e-3;
    EXPECT_DOUBLE_EQ(kernelTime(withWork({.kind = OpKind::Add, .m = 1, .n = 1}), rates), 2e-3);
}

// 2 sequences, 4 query heads of 2 key-value heads: 2 x 2 GEMMs of 2 heads with scores as their result, and as many with
// scores as an operand, each of which also takes the time in which it starts. The softmax reads and writes 2 x 4 x 256
// x 256 scores of 2 bytes.
TEST(KernelTime, ofVanillaAttentionIsThatOfItsProductsAndItsSoftmax)
{
    DeviceRates rates = plainRates();
    rates.multiprocessors = 10;
    rates.minKernelTime = 1e-7;
    const auto product = [&](std::int64_t n, std::int64_t k) {
        return kernelTime(withWork({.kind = OpKind::Gemm,
                              .type = DType::Bf16,
                              .cost = CostClass::Attention,
                              .m = 256,
                              .n = n,
                              .k = k,
                              .batch = 2}),
                   rates) +
               1e-7;
    };
    const auto attention = [&](OpKind kind) {
        return kernelTime(
            withWork(
                {.kind = kind, .type = DType::Bf16, .batch = 2, .seq = 256, .heads = 4, .kvHeads = 2, .headDim = 64}),
            rates);
    };
    const Seconds products = 4 * (product(256, 64) + product(64, 256)), pass = 2.0 * 4 * 256 * 256 * 2 / 1e11;
    EXPECT_NEAR(attention(OpKind::VanillaAttention), products + 2 * pass, 1e-12);
    EXPECT_NEAR(attention(OpKind::VanillaAttentionBackward), 2 * products + 3 * pass, 1e-12);
}

// Four experts with 100 rows each.
TEST(KernelTime, ofExpertsThatAreLaunchedOneByOneIsThatOfTheirGemms)
{
    DeviceRates rates = plainRates();
    rates.multiprocessors = 10;
    rates.tileOverhead = 1e-5;
    for (const GemmForm form : {GemmForm::Forward, GemmForm::InputGradient, GemmForm::WeightGradient}) {
        Kernel one{.kind = OpKind::Gemm, .type = DType::Bf16, .form = form, .m = 100, .n = 512, .k = 256};
        if (form == GemmForm::WeightGradient)
            one.m = 256, one.k = 100;
        Kernel grouped = one;
        grouped.kind = OpKind::GroupedGemm;
        grouped.batch = grouped.calls = 4;
        (form == GemmForm::WeightGradient ? grouped.k : grouped.m) *= 4;
        EXPECT_DOUBLE_EQ(kernelTime(withWork(grouped), rates), 4 * kernelTime(withWork(one), rates)) << enumName(form);
    }
}

TEST(KernelTime, ofAProductIsQuantisedToWavesOfTiles)
{
    DeviceRates rates = plainRates();
    rates.multiprocessors = 10;
    rates.tileOverhead = 1e-5;
    const auto seconds = [&](std::int64_t m) {
        return kernelTime(withWork({.kind = OpKind::Gemm, .type = DType::Bf16, .m = m, .n = 2560, .k = 1024}), rates);
    };
    const double wave = 10 * 2.0 * 128 * 256 * 1024 / 1e12 + 1e-5;
    EXPECT_DOUBLE_EQ(seconds(128), wave) << "10 tiles: one wave";
    EXPECT_DOUBLE_EQ(seconds(129), 2 * wave) << "20 tiles";
}

TEST(KernelTime, ofAProductIsThatOfTheTileAndTheSplitOfKThatLeaveLeastIdleWhereLibrariesChoose)
{
    DeviceRates rates = plainRates();
    rates.multiprocessors = 10;
    rates.tileOverhead = 1e-5;
    const auto seconds = [&](std::int64_t m, std::int64_t n, std::int64_t k, bool fits) {
        rates.choosesTileShape = fits;
        return kernelTime(withWork({.kind = OpKind::Gemm, .type = DType::Bf16, .m = m, .n = n, .k = k}), rates);
    };
    const double wave = 10 * 2.0 * 128 * 256 * 1024 / 1e12 + 1e-5;
    EXPECT_DOUBLE_EQ(seconds(2560, 128, 1024, false), 2 * wave) << "20 tiles of 128 x 256, half of each outside";
    EXPECT_DOUBLE_EQ(seconds(2560, 128, 1024, true), wave) << "ten of 256 x 128";
    EXPECT_DOUBLE_EQ(seconds(1280, 256, 1024, true), wave) << "one wave of the usual tile";
    const double parts = 10 * 2.0 * 128 * 128 * 4096 / 1e12 + 1e-5 + 2 * 2.0 * 4 * 128 * 640 / 1e11;
    EXPECT_DOUBLE_EQ(seconds(128, 640, 8192, true), parts)
        << "five of 128 x 128, K in two: the parts are added up in fp32";
}

TEST(KernelTime, ofAProductIsHeldBackByThePowerLimitAndElseByItsTiles)
{
    DeviceRates rates = plainRates();
    rates.multiprocessors = 10;
    rates.choosesTileShape = true;
    rates.gemmBoost = 1.5;
    rates.tileOverhead = 1e-4;
    const auto flops = [&](std::int64_t k) {
        const Kernel gemm = withWork({.kind = OpKind::Gemm, .type = DType::Bf16, .m = 12800, .n = 2560, .k = k});
        return gemm.flops / kernelTime(gemm, rates);
    };
    EXPECT_DOUBLE_EQ(flops(8192), 1e12) << "its tiles would be faster";
    EXPECT_LT(flops(128), 1e12);
    EXPECT_GT(flops(1024), 2.0 * 12800 * 2560 * 1024 / (100 * (10 * 2.0 * 128 * 256 * 1024 / 1e12 + 1e-4)))
        << "at more than the sustained rate within its tiles";
}

TEST(KernelTime, ofCallsOneAfterAnotherIsTheirSum)
{
    DeviceRates rates = plainRates();
    rates.multiprocessors = 10;
    const auto seconds = [&](std::int32_t batch, std::int32_t calls) {
        return kernelTime(withWork({.kind = OpKind::Gemm,
                              .type = DType::Bf16,
                              .m = 128,
                              .n = 256,
                              .k = 512,
                              .batch = batch,
                              .calls = calls}),
            rates);
    };
    EXPECT_DOUBLE_EQ(seconds(0, 10), 10 * seconds(0, 1));
    EXPECT_DOUBLE_EQ(seconds(10, 1), seconds(0, 1)) << "a grouped product of ten tiles: one wave";
    rates.gemmFp32Flops = rates.gemmFlops / 8;
    const Kernel wide{.kind = OpKind::Gemm, .type = DType::Fp32, .m = 128, .n = 256, .k = 512, .batch = 10};
    EXPECT_DOUBLE_EQ(kernelTime(withWork(wide), rates), 8 * seconds(10, 1)) << "operands that stay fp32";
    const Kernel move{.kind = OpKind::Elementwise, .calls = 4, .bytesRead = 1'000'000, .bytesWritten = 1'000'000};
    EXPECT_DOUBLE_EQ(kernelTime(move, rates), 2e6 / 1e11) << "bytes are those of all calls";
}

TEST(KernelTime, ofFlashAttentionGrowsByItsLastTilesWhereThereAreFew)
{
    DeviceRates rates = plainRates();
    rates.multiprocessors = 16;
    rates.attentionTail = 2;
    const auto part = [&](std::int32_t heads) {
        const Kernel kernel = withWork({.kind = OpKind::FlashAttention,
            .type = DType::Bf16,
            .m = 4096,
            .n = heads * 64,
            .batch = 1,
            .seq = 4096,
            .heads = heads,
            .kvHeads = heads,
            .headDim = 64});
        return kernelTime(kernel, rates) / (kernel.flops / rates.attentionFlops);
    };
    EXPECT_DOUBLE_EQ(part(1), 1 + 2.0 * 16 / 32) << "32 tiles of 128 queries";
    EXPECT_DOUBLE_EQ(part(64), 1 + 2.0 * 16 / 2048);
}

TEST(KernelTime, ofFlashAttentionGrowsByTheDiagonalOfShortSequencesAndByHeadsThatAKernelSuitsLess)
{
    DeviceRates rates = plainRates();
    rates.attentionHead64Speedup = 0.8;
    const auto part = [&](std::int32_t seq, std::int32_t headDim) {
        const Kernel kernel = withWork({.kind = OpKind::FlashAttention,
            .type = DType::Bf16,
            .m = seq,
            .n = 16 * headDim,
            .k = seq,
            .batch = 1,
            .seq = seq,
            .heads = 16,
            .kvHeads = 16,
            .headDim = headDim});
        return kernelTime(kernel, rates) / (kernel.flops / rates.attentionFlops);
    };
    EXPECT_DOUBLE_EQ(part(4096, 128), 1) << "where rates were measured";
    EXPECT_DOUBLE_EQ(part(1024, 128), 1.125 / 1.03125) << "eight tiles a row and half of one more";
    EXPECT_DOUBLE_EQ(part(4096, 64), 1.25);
    EXPECT_DOUBLE_EQ(part(4096, 96), 1.125);
    rates.attentionHead64Speedup = 1;
    rates.attentionRowOverheadKeys = 512;
    EXPECT_DOUBLE_EQ(part(4096, 128), 1.125) << "a row takes as much longer as 512 more keys";
    EXPECT_DOUBLE_EQ(part(1024, 128), 1.5);
    EXPECT_DOUBLE_EQ(part(1024, 64), 2) << "and as long with narrow heads, of which keys take half";
}

TEST(KernelTime, isLongerOverOperandsOfTwoTypes)
{
    const Catalogue catalogue = loadCatalogue().value();
    RunConfig c;
    c.framework = Framework::PytorchEager;
    testing::setTorch(c, "1.12");
    const DeviceRates rates = deviceRates(catalogue.gpu("a100-sxm-40gb").value(), catalogue, c);
    Kernel kernel{.kind = OpKind::Elementwise, .bytesRead = Bytes{1} << 30, .bytesWritten = Bytes{1} << 29};
    const Seconds one = kernelTime(kernel, rates);
    kernel.mixed = true;
    EXPECT_GT(kernelTime(kernel, rates), 1.2 * one);
}

} // namespace
} // namespace slipway
