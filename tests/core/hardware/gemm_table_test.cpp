// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/gemm_table.h"

#include <gtest/gtest.h>

#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

Result<std::vector<GemmTable>> tablesOf(
    const std::string &rows, const std::string &header = "gpu,type,m,n,k,batch,seconds")
{
    return readGemmTables(parseCsv(header + "\n" + rows, "products.csv").value(), catalogue());
}

void expectRefused(const Result<std::vector<GemmTable>> &tables, std::initializer_list<const char *> words)
{
    ASSERT_FALSE(tables);
    for (const char *word : words)
        EXPECT_NE(tables.error().message().find(word), std::string::npos) << tables.error().message();
}

TEST(GemmTable, readsBackWhatItWrote)
{
    const std::vector<GemmTable> tables{{.gpu = "a100-sxm-80gb",
        .gemms = {{.type = GemmType::Half, .m = 8192, .n = 4096, .k = 1024, .seconds = 3.5e-4},
            {.type = GemmType::Half, .m = 8192, .n = 4096, .k = 2048, .batch = 2, .seconds = 1.5e-3}}}};
    EXPECT_EQ(readGemmTables(parseCsv(toCsv(tables), "x").value(), catalogue()).value(), tables);
}

TEST(GemmTable, takesTflopsInPlaceOfSeconds)
{
    const auto tables = tablesOf("NVIDIA H100 80GB HBM3,bf16,8192,8192,8192,600\n", "gpu,type,m,n,k,tflops");
    ASSERT_TRUE(tables) << tables.error().message();
    EXPECT_DOUBLE_EQ(tables->front().gemms.front().seconds, 2.0 * 8192 * 8192 * 8192 / 600e12);
}

TEST(GemmTable, keepsTheMeanOfAShapeThatStandsThereTwiceOrInSeveralFiles)
{
    auto tables =
        tablesOf("a100-sxm-80gb,bf16,4096,4096,4096,1,0.0006\na100-sxm-80gb,bf16,4096,4096,4096,1,0.0008\n").value();
    ASSERT_EQ(tables.front().gemms.size(), 1U);
    EXPECT_DOUBLE_EQ(tables.front().gemms.front().seconds, 0.0007);
    addGemms(tables, tablesOf("a100-sxm-80gb,bf16,4096,4096,4096,1,0.0009\n").value().front());
    addGemms(tables, tablesOf("h100-sxm-80gb,bf16,4096,4096,4096,1,0.0009\n").value().front());
    ASSERT_EQ(tables.size(), 2U);
    EXPECT_EQ(tables.front().gemms.size(), 1U);
}

TEST(GemmTable, leavesOutWhatNoCardDoesAndWhatIsALaunch)
{
    const auto tables = tablesOf("a100-sxm-80gb,bf16,8192,8192,8192,1,0.003\na100-sxm-80gb,bf16,64,64,64,1,0.00001\n");
    ASSERT_TRUE(tables) << tables.error().message();
    EXPECT_TRUE(tables->front().gemms.empty());
    ASSERT_EQ(tables->front().leftOut.size(), 2U);
    EXPECT_NE(tables->front().leftOut[0].find("products.csv:2 is faster than the GPU's peak rate"), std::string::npos)
        << tables->front().leftOut[0];
    EXPECT_NE(tables->front().leftOut[1].find("launch"), std::string::npos);
}

// An A100 computes 312 TFLOP/s in bf16, 156 in TF32 and 19.5 in fp32; an H100 computes 1979 in fp8 and 989 in bf16.
TEST(GemmTable, KeepsFp32GemmsThatRunInTf32AndFp8GemmsAboveTheHalfRate)
{
    const auto tf32 = tablesOf("a100-sxm-80gb,fp32,8192,8192,8192,100\n", "gpu,type,m,n,k,tflops");
    ASSERT_TRUE(tf32) << tf32.error().message();
    EXPECT_EQ(tf32->front().gemms.size(), 1U);
    const auto fp8 = tablesOf("h100-sxm-80gb,fp8,8192,8192,8192,1400\n", "gpu,type,m,n,k,tflops");
    ASSERT_TRUE(fp8) << fp8.error().message();
    EXPECT_EQ(fp8->front().gemms.size(), 1U);
}

TEST(GemmTable, namesLineAndColumnOfWhatItCannotRead)
{
    expectRefused(tablesOf("a100-sxm-80gb,bf16,fast,4096,4096,1,0.001\n"), {"products.csv:2", "m is 'fast'"});
    expectRefused(tablesOf("a100-sxm-80gb,bf16,4096,0,4096,1,0.001\n"), {"n is '0'"});
    expectRefused(tablesOf("a100-sxm-80gb,bf16,4096,4096,1e300,1,0.001\n"), {"k is '1e300'"});
    expectRefused(tablesOf("a100-sxm-80gb,int4,4096,4096,4096,1,0.001\n"), {"type is 'int4'", "bf16"});
    expectRefused(tablesOf("a100-sxm-80gb,bf16,4096,4096,4096,1,-1\n"), {"seconds is '-1'"});
    expectRefused(tablesOf("a100-sxm-80gb,bf16,4096,4096,4096,1,nan\n"), {"seconds"});
    expectRefused(tablesOf("a100-sxm-80gb,bf16,4096,4096,4096,1,\n"), {"tflops is ''"});
    expectRefused(tablesOf("b999,bf16,4096,4096,4096,1,0.001\n"), {"products.csv:2"});
    expectRefused(tablesOf("bf16,1,1,1\n", "type,m,n,k"), {"no column gpu"});
}

TEST(GemmTable, isToldFromATableOfRuns)
{
    EXPECT_TRUE(isGemmTable(parseCsv("gpu,type,m,n,k,tflops\n", "x").value()));
    EXPECT_FALSE(isGemmTable(parseCsv("id,n_layers,d_model\n", "x").value()));
}

} // namespace
} // namespace slipway
