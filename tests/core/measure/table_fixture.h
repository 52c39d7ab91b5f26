// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A measurement table with the columns that most tests need, in a file that lives as long as the test.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "measure/measurement.h"
#include "support/shipped_catalogue.h"

namespace slipway::testing {

inline constexpr const char *kHeader =
    "id,source_repo_or_paper,model_name,n_layers,d_model,n_heads,n_kv_heads,d_ff,mlp_type,vocab,tied_embeddings,pos,"
    "seq_len,gpu,n_gpus,gpus_per_node,parallelism,attention,recompute,"
    "precision,micro_batch_size,grad_accum,global_batch_tokens,optimizer,compiled,tokens_per_s_per_gpu,peak_mem_gib,"
    "mem_kind,oom,notes\n";

class Table : public ::testing::Test {
protected:
    Table()
        : m_path(std::filesystem::temp_directory_path() / ("slipway_measure_" + std::to_string(::getpid()) + ".csv"))
    {
    }
    ~Table() override { std::filesystem::remove(m_path); }

    Result<std::vector<MeasuredRow>> read(const std::string &rows, const std::optional<RowFilter> &only = {})
    {
        std::ofstream(m_path) << kHeader << rows;
        return readMeasurements(m_path, catalogue(), only);
    }
    std::filesystem::path m_path;
};

inline const std::string kGood =
    "a-1,lab,GPT,24,2048,16,16,8192,gelu2,50257,yes,learned,2048,A100-80GB,16,8,\"ddp+tp+pp;tp=2,pp=2,cp=1,dp=4\","
    "vanilla,full,fp16_mixed,2,,131072,adam,kernels,5000,40,reserved,0,torch 1.12.1\n";

inline std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    EXPECT_NE(text.find(from), std::string::npos) << from;
    return text.replace(text.find(from), from.size(), to);
}

} // namespace slipway::testing
