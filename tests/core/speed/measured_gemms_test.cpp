// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/measured_gemms.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "plan/kernel_work.h"
#include "speed/kernel_time.h"

namespace slipway {
namespace {

DeviceRates tiledRates()
{
    return {.gemmFlops = 2.5e14,
        .gemmFp8Flops = 5e14,
        .memoryBandwidth = 1.5e12,
        .multiprocessors = 108,
        .tileOverhead = 3e-6,
        .minKernelTime = 2e-6};
}

Kernel gemm(std::int64_t m, std::int64_t n, std::int64_t k, DType type = DType::Bf16)
{
    Kernel kernel{.kind = OpKind::Gemm, .type = type, .m = m, .n = n, .k = k};
    addWork(kernel);
    return kernel;
}

TEST(Products, ofHalfNumbersTakeLongerWhereAWidthIsOdd)
{
    DeviceRates rates = tiledRates();
    const Seconds even = kernelTime(gemm(8192, 50272, 1024), rates),
                  single = kernelTime(gemm(8192, 50257, 1024, DType::Fp32), rates);
    EXPECT_DOUBLE_EQ(kernelTime(gemm(8192, 50257, 1024), rates), even) << "as many tiles";
    rates.oddWidthSlowdown = 2.3;
    EXPECT_DOUBLE_EQ(kernelTime(gemm(8192, 50257, 1024), rates), 2.3 * even);
    EXPECT_DOUBLE_EQ(
        kernelTime(gemm(8192, 1024, 50257), rates), 2.3 * kernelTime(gemm(8192, 1024, 50257), tiledRates()));
    EXPECT_DOUBLE_EQ(kernelTime(gemm(8192, 50272, 1024), rates), even);
    EXPECT_DOUBLE_EQ(kernelTime(gemm(8192, 50257, 1024, DType::Fp32), rates), single);
}

TEST(MeasuredGemms, takeTheirMeasuredTimeByThemselves)
{
    const DeviceRates rates = withMeasuredGemms(tiledRates(),
        {{.m = 8192, .n = 4096, .k = 1024, .seconds = 3e-4}, {.m = 8192, .n = 4096, .k = 4096, .seconds = 9e-4}});
    EXPECT_NEAR(kernelTime(gemm(8192, 4096, 1024), rates), 3e-4, 1e-12);
    EXPECT_NEAR(kernelTime(gemm(8192, 4096, 4096), rates), 9e-4, 1e-12);
}

TEST(MeasuredGemms, ofOneFactorEverywhereScaleEveryGemmByIt)
{
    std::vector<MeasuredGemm> table;
    for (const std::int64_t k : {512, 2048, 8192})
        table.push_back(
            {.m = 4096, .n = 4096, .k = k, .seconds = 1.25 * kernelTime(gemm(4096, 4096, k), tiledRates())});
    const DeviceRates rates = withMeasuredGemms(tiledRates(), table);
    for (const auto &[m, n, k] :
        {std::array{1024, 1024, 1024}, std::array{65536, 1024, 4096}, std::array{128, 50304, 768}})
        EXPECT_NEAR(kernelTime(gemm(m, n, k), rates) / kernelTime(gemm(m, n, k), tiledRates()), 1.25, 1e-9);
}

TEST(MeasuredGemms, weighByTheInverseSquareOfTheirDistance)
{
    // One twice as slow as modeled, one as modeled; log n of the third shape lies at a quarter of the way.
    const Seconds modeled = kernelTime(gemm(4096, 4096, 4096), tiledRates());
    const MeasuredGemms measured({{.m = 4096, .n = 256, .k = 4096, .seconds = 2 * modeled},
                                     {.m = 4096, .n = 4096, .k = 4096, .seconds = modeled}},
        {modeled, modeled});
    EXPECT_NEAR(measured.factor(gemm(4096, 512, 4096)), std::pow(2.0, 9.0 / 10), 1e-9) << "weights 9 to 1";
    EXPECT_NEAR(measured.factor(gemm(4096, 1024, 4096)), std::sqrt(2.0), 1e-9);
    EXPECT_DOUBLE_EQ(measured.factorWithout(0), 1);
    EXPECT_DOUBLE_EQ(measured.factorWithout(1), 2);
}

TEST(MeasuredGemms, countTheRowsOfAllMatricesOfABatch)
{
    // Eight matrices of 512 rows lie where one of 4096 rows does: its factor holds alone.
    const MeasuredGemms measured(
        {{.m = 512, .n = 256, .k = 128, .batch = 8, .seconds = 3}, {.m = 512, .n = 256, .k = 128, .seconds = 1}},
        {1, 1});
    EXPECT_DOUBLE_EQ(measured.factor(gemm(4096, 256, 128)), 3);
    Kernel batched = gemm(64, 256, 128);
    batched.batch = 64;
    EXPECT_DOUBLE_EQ(measured.factor(batched), 3);
    EXPECT_DOUBLE_EQ(measured.factor(gemm(512, 256, 128)), 1);
}

TEST(MeasuredGemms, sayNothingOfAnotherType)
{
    const std::vector<MeasuredGemm> table{{.m = 8192, .n = 8192, .k = 8192, .seconds = 1}};
    EXPECT_EQ(kernelTime(gemm(8192, 8192, 8192, DType::Fp8), withMeasuredGemms(tiledRates(), table)),
        kernelTime(gemm(8192, 8192, 8192, DType::Fp8), tiledRates()));
}

TEST(MeasuredGemms, ofNoneChangeNothing) { EXPECT_EQ(withMeasuredGemms(tiledRates(), {}), tiledRates()); }

} // namespace
} // namespace slipway
