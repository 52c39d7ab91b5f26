// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the author of a measurement table should look at, though its rows are answered.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "measure/validate.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

class TableWarnings : public ::testing::Test {
protected:
    TableWarnings()
        : m_path(std::filesystem::temp_directory_path() / ("slipway_warnings_" + std::to_string(::getpid()) + ".csv"))
    {
    }
    ~TableWarnings() override { std::filesystem::remove(m_path); }

    // Rows of an id and a kind of memory, otherwise alike.
    Validation validated(const std::vector<std::pair<std::string, std::string>> &rows)
    {
        std::ofstream file(m_path);
        file << "id,n_layers,d_model,n_heads,seq_len,gpu,n_gpus,parallelism,precision,micro_batch_size,tokens_per_s_"
                "per_gpu,peak_mem_gib,mem_kind\n";
        for (const auto &[id, kind] : rows)
            file << id << ",12,768,12,1024,A100-80GB,1,none,bf16_mixed,8,100000,20," << kind << "\n";
        file.close();
        return validate(readMeasurements(m_path, catalogue()).value(), catalogue());
    }
    [[nodiscard]] std::string line(int number) const { return m_path.string() + ":" + std::to_string(number); }

    std::filesystem::path m_path;
};

TEST_F(TableWarnings, AreAboutAnIdThatStandsTwiceWithBothLines)
{
    const Validation v = validated({{"a", ""}, {"b", ""}, {"a", ""}});
    ASSERT_EQ(v.rows.size(), 3u);
    EXPECT_TRUE(v.rows[0].row.warnings.empty());
    EXPECT_TRUE(v.rows[1].row.warnings.empty());
    ASSERT_EQ(v.rows[2].row.warnings.size(), 1u);
    EXPECT_TRUE(v.rows[2].row.warnings[0].starts_with(line(4) + ": the id 'a' already appears in line 2"))
        << v.rows[2].row.warnings[0];
    for (const PredictedRow &row : v.rows)
        EXPECT_TRUE(row.tokensPerSecondPerGpu) << "all are answered";
}

TEST_F(TableWarnings, AreAboutAKindOfMemoryThatNobodyKnowsWithTheNearest)
{
    const Validation v = validated({{"a", "alocated"}, {"b", "rss"}, {"c", "unknown"}, {"d", ""}, {"e", "nvidia_smi"},
        {"f", "max_memory_allocated"}});
    ASSERT_EQ(v.rows[0].row.warnings.size(), 1u);
    EXPECT_EQ(v.rows[0].row.warnings[0], line(2) + ": unknown mem_kind 'alocated'; did you mean allocated? (accepted: "
                                                   "allocated, reserved, nvidia-smi, unknown)");
    ASSERT_EQ(v.rows[1].row.warnings.size(), 1u);
    EXPECT_EQ(v.rows[1].row.warnings[0].find("did you mean"), std::string::npos);
    EXPECT_EQ(v.rows[0].peakGib, v.rows[3].peakGib) << "compared as an empty cell is, with reserved memory";
    for (std::size_t row = 2; row < v.rows.size(); ++row)
        EXPECT_TRUE(v.rows[row].row.warnings.empty()) << v.rows[row].row.id;
}

TEST_F(TableWarnings, StandInTextJsonAndCsv)
{
    const Validation v = validated({{"a", "rss"}, {"a", ""}});
    const std::string text = toText(v), csv = toCsv(v);
    EXPECT_NE(text.find("warning for a: " + line(2)), std::string::npos) << text;
    EXPECT_NE(text.find("warning for a: " + line(3)), std::string::npos) << text;
    EXPECT_NE(text.find("2 rows, 0 skipped"), std::string::npos);
    EXPECT_NE(csv.find("unknown mem_kind 'rss'"), std::string::npos);
    const auto json = toJson(v);
    ASSERT_EQ(json["rows"].size(), 2u);
    EXPECT_EQ(json["rows"][1]["warnings"].size(), 1u);
    EXPECT_TRUE(json["rows"][0]["skipped"].is_null());
}

} // namespace
} // namespace slipway
