// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Rows and tables that cannot be planned: what is said of them, and that the others are answered.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "measure/unsupported_features.h"
#include "measure/validate.h"
#include "table_fixture.h"

namespace slipway {
namespace {

using testing::kGood;
using testing::replaced;
using testing::Table;

TEST_F(Table, skipsRunsThatTrainOtherAddedWeightsOrMayUseADisk)
{
    for (const char *note : {"DoRA r=16", "DeepSeek-R1, DoRA", "ZeRO-Infinity"})
        EXPECT_NE(unsupportedFeature(note), "") << note;
    for (const char *note : {"", "exploration", "no LoRA", "LoRA", "QLoRA, nf4", "full finetuning, not LoRA", "no DoRA",
             "ZeRO-Offload", "explored on A100", "flora"})
        EXPECT_EQ(unsupportedFeature(note), "") << note;
    const std::string row = "l-1,lab,m,24,2048,16,16,8192,gelu2,50257,no,rope,1024,A100-80GB,1,8,\"none\",flash,none,"
                            "bf16_mixed,1,1,,adam,no,5000,40,reserved,0,\"DoRA, alpha 16\"\n";
    EXPECT_EQ(read(row).value().front().skipped,
        m_path.string() + ":2: notes: 'DoRA' uses adapters other than LoRA, which is not planned");
}

TEST_F(Table, saysWithLineAndColumnWhyARowIsSkippedAndAnswersTheOthers)
{
    std::string text = kGood, unknown = kGood, fp8 = kGood;
    text.replace(text.find(",24,"), 4, ",many,");
    unknown.replace(unknown.find("A100-80GB"), 9, "Abacus-1");
    fp8.replace(fp8.find("fp16_mixed"), 10, "fp8_mixed");
    const Validation v = validate(read(text + unknown + fp8 + kGood).value(), catalogue());
    ASSERT_EQ(v.rows.size(), 4U);
    EXPECT_EQ(v.rows[0].row.skipped, m_path.string() + ":2: n_layers is 'many', not a number");
    EXPECT_EQ(v.rows[1].row.skipped, m_path.string() + ":3: gpu 'Abacus-1' is not in the catalogue");
    EXPECT_NE(v.rows[2].row.skipped.find("has no fp8 GEMMs"), std::string::npos) << v.rows[2].row.skipped;
    EXPECT_TRUE(v.rows[3].tokensPerSecondPerGpu);
}

TEST_F(Table, answersTheRowsBetweenLinesThatAreNoRecords)
{
    const std::string garbage(200, 'x');
    const auto rows =
        read(kGood + "cut,lab,GPT\n" + garbage + '\0' + "\n\"never closed\n" + kGood + "\"a\" b,\n").value();
    ASSERT_EQ(rows.size(), 6U);
    EXPECT_EQ(rows[0].skipped, "");
    EXPECT_EQ(rows[1].skipped, m_path.string() + ":3: 3 cells where the header has 30");
    EXPECT_EQ(rows[1].id, "cut") << "what can be read of its id is not lost";
    EXPECT_EQ(rows[3].id, "line 5");
    EXPECT_EQ(rows[2].skipped, m_path.string() + ":4: 1 cells where the header has 30");
    EXPECT_NE(rows[3].skipped, "");
    EXPECT_EQ(rows[4].skipped, "");
    EXPECT_EQ(rows[5].skipped, m_path.string() + ":7: text after a closing quote");
}

TEST_F(Table, gathersThousandsOfBrokenLinesInOneRow)
{
    std::string broken;
    for (int i = 0; i < 5000; ++i)
        broken += "x\n";
    const auto rows = read(broken + kGood).value();
    ASSERT_EQ(rows.size(), kBrokenRows + 1);
    EXPECT_EQ(rows[kBrokenRows - 1].skipped, m_path.string() + ":1001: 4001 further lines are not rows of this table");
    EXPECT_EQ(rows.back().skipped, "");
}

TEST_F(Table, namesRowAndColumnOfWhatCannotBePlanned)
{
    const auto skipped = [&](const std::string &from, const std::string &to) {
        std::string row = kGood;
        row.replace(row.find(from), from.size(), to);
        const Validation v = validate(read(row + kGood).value(), catalogue());
        EXPECT_TRUE(v.rows.back().row.skipped.empty());
        return v.rows.front().row.skipped;
    };
    const std::string place = m_path.string() + ":2: ";
    EXPECT_EQ(skipped("2048,16,16", "2048,17,17"),
        place + "n_heads 17 is not a divisor of d_model 2048, and the notes give no head_dim");
    EXPECT_EQ(skipped("2048,16,16", "2048,16,5"), place + "n_kv_heads 5 is not a divisor of n_heads 16");
    EXPECT_TRUE(skipped("16,8,\"ddp+tp+pp;tp=2,pp=2,cp=1,dp=4\"", "128,8,\"ddp+pp;tp=1,pp=64,cp=1,dp=2\"")
            .starts_with(place + "parallelism: 64 pipeline stages exceed the 24 layers"));
}

TEST_F(Table, skipsSizesThatNoPlanCouldHoldAndAnswersTheOthers)
{
    const std::pair<std::string, std::string> huge[] = {{",24,2048", ",1000000000,2048"},
        {",24,2048,16,16", ",24,1000000000,1,1"}, {",8192,", ",1000000000,"}, {",50257,", ",1000000000,"},
        {",learned,2048,", ",learned,1000000000,"}, {"fp16_mixed,2,", "fp16_mixed,1000000000,"},
        {"16,8,\"ddp", "1000000000,8,\"ddp"}, {",131072,", ",1e300,"},
        {"tp=2,pp=2,cp=1,dp=4", "tp=4096,pp=4096,cp=4096,dp=4"}, {"16,16,8192", "1000000000,1000000000,8192"}};
    std::string rows;
    for (const auto &[from, to] : huge)
        rows += replaced(kGood, from, to);
    const Validation v = validate(read(rows + kGood).value(), catalogue());
    ASSERT_EQ(v.rows.size(), std::size(huge) + 1);
    for (std::size_t i = 0; i < std::size(huge); ++i)
        EXPECT_TRUE(v.rows[i].row.skipped.starts_with(m_path.string() + ":" + std::to_string(i + 2) + ": "))
            << huge[i].second << ": " << v.rows[i].row.skipped;
    EXPECT_TRUE(v.rows.back().peakGib);
}

TEST_F(Table, skipsWordsThatItDoesNotKnow)
{
    const std::pair<std::string, std::string> unknown[] = {{"fp16_mixed", "int3"}, {"vanilla", "linear"},
        {"full,fp16", "some,fp16"}, {"kernels", "perhaps"}, {"reserved,0", "reserved,2"},
        {",yes,learned", ",maybe,learned"}, {"5000,40", "-5000,40"}, {"5000,40", "5000,8e99"}};
    const char *const columns[] = {"precision 'int3'", "attention 'linear'", "recompute 'some'", "compiled 'perhaps'",
        "oom '2'", "tied_embeddings 'maybe'", "tokens_per_s_per_gpu is -5000", "peak_mem_gib is 8"};
    for (std::size_t i = 0; i < std::size(unknown); ++i) {
        const auto row = read(replaced(kGood, unknown[i].first, unknown[i].second)).value().front();
        EXPECT_TRUE(row.skipped.starts_with(m_path.string() + ":2: " + columns[i])) << row.skipped;
    }
}

TEST_F(Table, namesTheLineOfARowWithoutAnId)
{
    EXPECT_EQ(read(kGood + replaced(kGood, "a-1,", ",")).value().back().id, "line 3");
}

TEST_F(Table, namesTheColumnsThatAreMissing)
{
    const auto refused = [&](std::string_view text) {
        std::ofstream(m_path, std::ios::binary) << text;
        return readMeasurements(m_path, catalogue()).error().message();
    };
    EXPECT_EQ(refused("id,gpu\n1,A100\n"),
        m_path.string() +
            ":1: columns are missing: n_layers, d_model, n_heads, seq_len, n_gpus, parallelism, precision, "
            "micro_batch_size (accepted: a measurement table with the column names in its first line)");
    EXPECT_NE(refused("id;gpu\n1;A100\n").find("not by semicolons"), std::string::npos);
    EXPECT_NE(refused(std::string_view("\xff\xfei\0d\0\n\0", 8)).find("UTF-16"), std::string::npos);
}

} // namespace
} // namespace slipway
