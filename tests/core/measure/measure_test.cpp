// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "measure/validate.h"
#include "table_fixture.h"

namespace slipway {
namespace {

using testing::kGood;
using testing::kHeader;
using testing::replaced;
using testing::Table;

TEST_F(Table, readsARowAsTheConfigurationThatItWas)
{
    const MeasuredRow row = read(kGood).value().front();
    EXPECT_EQ(row.skipped, "");
    const RunConfig &c = row.resolved.config;
    EXPECT_EQ(c.parallel, (Parallelism{.kind = ParallelKind::Ddp, .gpus = 16, .gpusPerNode = 8, .tp = 2, .pp = 2}));
    EXPECT_EQ(c.gradAccum, 131072 / (2048 * 2 * 4)) << "from the global batch where the cell is empty";
    EXPECT_EQ(c.framework, Framework::Megatron);
    EXPECT_EQ(c.precision, Precision::Fp16Mixed);
    EXPECT_EQ(c.simulated.torch, "1.12.1");
    EXPECT_EQ(row.resolved.model.norm.kind, NormKind::LayerNorm);
    EXPECT_EQ(row.resolved.gpu.id, "a100-sxm-80gb");
    EXPECT_EQ(row.measured.tokensPerSecondPerGpu, 5000);
}

TEST_F(Table, summaryHasTheQuantilesThatRangesAreReadOff)
{
    std::string rows;
    for (int i = 0; i < 11; ++i)
        rows += replaced(replaced(kGood, "a-1", "a-" + std::to_string(i)), "5000", std::to_string(1000 * (i + 1)));
    const Validation v = validate(read(rows).value(), catalogue());
    const double predicted = v.rows.front().tokensPerSecondPerGpu->value;
    const ErrorSummary &all = *std::find_if(v.summary.begin(), v.summary.end(),
        [](const ErrorSummary &s) { return s.by == "all" && s.metric == "tokens_per_s_per_gpu"; });
    EXPECT_DOUBLE_EQ(all.p10, 2000 / predicted);
    EXPECT_DOUBLE_EQ(all.p50, 6000 / predicted);
    EXPECT_DOUBLE_EQ(all.p90, 10000 / predicted);
    EXPECT_DOUBLE_EQ(toJson(v)["summary"][1]["residual_p50"].get<double>(), all.p50);
}

TEST_F(Table, readsChoicesInTheTablesWordsTheFlagsAndWhatElsePeopleWrite)
{
    const auto configOf = [&](const std::string &from, const std::string &to) {
        const MeasuredRow row = read(replaced(kGood, from, to)).value().front();
        EXPECT_EQ(row.skipped, "") << to;
        return row.resolved.config;
    };
    EXPECT_EQ(configOf("fp16_mixed", "BF16-Mixed").precision, Precision::Bf16Mixed);
    EXPECT_EQ(configOf("fp16_mixed", "bf16").precision, Precision::Bf16) << "as the flag has it";
    EXPECT_EQ(configOf("vanilla", "Eager").attention, Attention::Vanilla);
    EXPECT_EQ(configOf("vanilla", "flash_attention_2").simulated.attentionKernel, AttentionKernel::Flash2);
    EXPECT_EQ(configOf("vanilla", "sdpa").attention, Attention::Flash);
    EXPECT_EQ(configOf("full,fp16", "Full,fp16").recompute, Recompute::Full);
    EXPECT_EQ(configOf("full,fp16", "no,fp16").recompute, Recompute::None);
    EXPECT_EQ(configOf("kernels", "True").framework, Framework::PytorchCompile);
    EXPECT_EQ(configOf("ddp+tp+pp;tp=2,pp=2,cp=1,dp=4", "ZeRO_3 + TP; tp=4, dp=4").parallel,
        (Parallelism{.kind = ParallelKind::FsdpFull, .gpus = 16, .gpusPerNode = 8, .tp = 4}));
    EXPECT_EQ(configOf("adam,", "Adam8bit,").optimizer, OptimizerKind::AdamW8bit);
    for (const std::string oom : {"1", "yes", "True", "1.0"})
        EXPECT_EQ(read(replaced(kGood, "reserved,0", "reserved," + oom)).value().front().measured.oom, true) << oom;
    EXPECT_EQ(
        read(replaced(kGood, ",reserved,", ",Nvidia-SMI,")).value().front().measured.memoryKind, MemoryKind::Device);
}

TEST_F(Table, readsWordsByTheirLastPartThatItKnows)
{
    const auto config = [&](const char *from, const char *to) {
        return read(replaced(kGood, from, to)).value().front();
    };
    EXPECT_EQ(config("vanilla", "sdpa_cudnn").resolved.config.simulated.attentionKernel, AttentionKernel::Cudnn);
    EXPECT_EQ(config("full,fp16", "full (all layers),fp16").resolved.config.recompute, Recompute::Full);
    EXPECT_EQ(config("full,fp16", "selective-op,fp16").resolved.config.recompute, Recompute::Selective);
    EXPECT_EQ(config("ddp+tp+pp", "deepspeed_zero3+tp+pp").resolved.config.parallel.kind, ParallelKind::FsdpFull);
    EXPECT_FALSE(config("vanilla", "no-flash").skipped.empty()) << "which says what it is not";
}

TEST_F(Table, listsWhatEachEmptyCellIsTakenFor)
{
    std::ofstream(m_path) << kHeader << "e-1,lab,GPT,24,2048,16,,,,,,,,A100-80GB,,,,,,,,,,,,5000,40,,0,\n";
    const MeasuredRow row = readMeasurements(m_path, catalogue()).value().front();
    EXPECT_EQ(row.skipped, "");
    EXPECT_EQ(row.assumed, (std::vector<std::string>{"n_kv_heads 16", "mlp_type gelu2", "pos learned", "d_ff 8192",
                               "tied_embeddings yes", "vocab 50257", "n_gpus 1", "gpus_per_node 1", "seq_len 1024",
                               "micro_batch_size 8", "grad_accum 1", "framework pytorch-eager", "optimizer adamw",
                               "torch 2.5 (assumed)", "precision bf16-mixed", "attention flash", "mem_kind reserved"}));
}

TEST_F(Table, takesTheSequenceFromTheBatchWhereItsCellIsEmpty)
{
    const MeasuredRow row =
        read(replaced(replaced(kGood, ",learned,2048,", ",learned,,"), ",2,,131072,", ",2,8,131072,")).value().front();
    EXPECT_EQ(row.skipped, "");
    EXPECT_EQ(row.resolved.config.seqLen, 131072 / (2 * 8 * 4));
    EXPECT_EQ(row.resolved.model.embedding.positions, row.resolved.config.seqLen);
}

TEST_F(Table, readsGroupedThousandsAndNothingThatOnlyLooksLikeThem)
{
    EXPECT_EQ(
        read(replaced(kGood, ",5000,", ",\"1,234,567.5\",")).value().front().measured.tokensPerSecondPerGpu, 1234567.5);
    for (const char *cell : {"1,23", "12,3456", ",123", "1,234,56", "1.5,123", "1.234,5", "a,123", "1e,234", "1,,234"})
        EXPECT_NE(read(replaced(kGood, ",5000,", std::string(",\"") + cell + "\","))
                      .value()
                      .front()
                      .skipped.find("not a number"),
            std::string::npos)
            << cell;
}

TEST_F(Table, readsSizesWithoutAKindAndPartsOfStages)
{
    const auto parallel = [&](const std::string &cell) {
        return read(replaced(kGood, "ddp+tp+pp;tp=2,pp=2,cp=1,dp=4", cell)).value().front().resolved.config.parallel;
    };
    EXPECT_EQ(parallel("tp=2,pp=2,dp=4"),
        (Parallelism{.kind = ParallelKind::Ddp, .gpus = 16, .gpusPerNode = 8, .tp = 2, .pp = 2}));
    EXPECT_EQ(parallel("pp;pp=4,vpp=2,dp=4").virtualStages, 2);
    EXPECT_EQ(parallel("fsdp2;dp=16").kind, ParallelKind::FsdpFull);
}

TEST_F(Table, takesColumnsInAnyOrderWithOthersBetween)
{
    const auto usual = read(kGood).value().front().resolved;
    std::ofstream(m_path) << "\xEF\xBB\xBF more , "
                             "notes,oom,gpu,id,precision,d_model,n_layers,n_heads,d_ff,seq_len,n_gpus,parallelism,"
                             "micro_batch_size,attention,recompute,compiled,optimizer,mlp_type,global_batch_tokens\r\n"
                          << "x,\"torch 1.12.1\r\nsecond "
                             "line\",0,A100-80GB,a-1,fp16_mixed,2048,24,16,8192,2048,16,\"ddp+tp+pp;tp=2,pp=2,cp=1,dp="
                             "4\",2,vanilla,full,kernels,adam,gelu2,131072\r\n";
    const MeasuredRow row = readMeasurements(m_path, catalogue()).value().front();
    EXPECT_EQ(row.skipped, "");
    EXPECT_EQ(row.resolved.config, usual.config);
}

TEST_F(Table, neverLetsAMeasurementReachItsPrediction)
{
    std::string other = kGood;
    other.replace(other.find(",5000,40,reserved,0,"), 20, ",1,1,reserved,1,");
    const Validation v = validate(read(kGood + other).value(), catalogue());
    EXPECT_EQ(v.rows[0].tokensPerSecondPerGpu, v.rows[1].tokensPerSecondPerGpu);
    EXPECT_EQ(v.rows[0].peakGib, v.rows[1].peakGib);
}

TEST_F(Table, sumsUpErrorsByHand)
{
    const std::vector<MeasuredRow> rows = read(kGood).value();
    const Validation v = validate(rows, catalogue());
    const double error = v.rows[0].tokensPerSecondPerGpu->value / 5000 - 1;
    const ErrorSummary &all = *std::find_if(
        v.summary.begin(), v.summary.end(), [](const ErrorSummary &s) { return s.metric == "tokens_per_s_per_gpu"; });
    EXPECT_EQ(all.by, "all");
    EXPECT_EQ(all.rows, 1);
    EXPECT_DOUBLE_EQ(all.bias, error);
    EXPECT_DOUBLE_EQ(all.meanAbsolute, std::abs(error));
    EXPECT_EQ(v.verdicts.fits, 1);
    EXPECT_EQ(v.verdicts.oom, 0);
    const PredictedFigure &speed = *v.rows[0].tokensPerSecondPerGpu;
    EXPECT_LT(speed.p10, speed.value);
    EXPECT_GT(speed.p90, speed.value);
    EXPECT_EQ(all.inRange, speed.p10 <= 5000 && 5000 <= speed.p90 ? 1 : 0);
}

TEST_F(Table, listsEveryIdOnceInItsJson)
{
    std::string broken = kGood;
    broken.replace(0, 3, "b-2");
    broken.replace(broken.find(",2048,16,"), 9, ",-5,16,");
    const nlohmann::ordered_json json = toJson(validate(read(kGood + broken).value(), catalogue()));
    ASSERT_EQ(json["rows"].size(), 2U);
    EXPECT_TRUE(json["rows"][0]["skipped"].is_null());
    EXPECT_TRUE(json["rows"][1]["skipped"].is_string());
    EXPECT_TRUE(json["rows"][1]["tokens_per_s_per_gpu"]["predicted"].is_null());
    EXPECT_TRUE(json["verdicts"].contains("missed_oom"));
}

TEST_F(Table, takesOnlyTheRowsAskedFor)
{
    EXPECT_EQ(read(kGood, RowFilter{"gpu", "H100-80GB"}).value().size(), 0U);
    EXPECT_EQ(read(kGood, RowFilter{"gpu", "A100-80GB"}).value().size(), 1U);
    EXPECT_EQ(read(kGood, RowFilter{"card", "x"}).error().where, "--only");
}

} // namespace
} // namespace slipway
