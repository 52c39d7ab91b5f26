// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a row's empty cells are taken for, by what the others tell of its software.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

#include "measure/measurement.h"
#include "measure/validate.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

// A row that says nothing of precision, attention and code.
MeasuredRow rowOf(std::string_view source, std::string_view gpu, std::string_view parallelism, std::string_view notes,
    int gpus = 16, int cardsOfNode = 8)
{
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("slipway_unsaid_{}.csv", ::getpid());
    std::ofstream(path) << "id,source_repo_or_paper,model_name,n_layers,d_model,n_heads,vocab,seq_len,gpu,n_gpus,gpus_"
                           "per_node,parallelism,attention,precision,micro_batch_size,compiled,notes\n"
                        << fmt::format("a,{},GPT,24,2048,16,50257,2048,{},{},{},\"{}\",,,2,,{}\n", source, gpu, gpus,
                               cardsOfNode, parallelism, notes);
    MeasuredRow row = readMeasurements(path, catalogue(), {}).value().front();
    std::filesystem::remove(path);
    return row;
}

bool assumes(const MeasuredRow &row, std::string_view what)
{
    return std::find(row.assumed.begin(), row.assumed.end(), what) != row.assumed.end();
}

TEST(UnsaidCode, isMegatronsWhereItIsNamedOrRanksSplitTheModelWithoutFsdp)
{
    const auto framework = [](std::string_view source, std::string_view parallelism, std::string_view notes) {
        return rowOf(source, "A100-80GB", parallelism, notes).resolved.config.framework;
    };
    EXPECT_EQ(framework("lab", "ddp", ""), Framework::PytorchEager);
    EXPECT_EQ(framework("NVIDIA/Megatron-LM", "ddp", ""), Framework::Megatron);
    EXPECT_EQ(framework("lab", "ddp", "NeMo 24.09"), Framework::Megatron);
    EXPECT_EQ(framework("karpathy/llm.c", "ddp", ""), Framework::Megatron);
    EXPECT_EQ(framework("lab", "zero1+tp+pp;tp=2,pp=2,dp=4", ""), Framework::Megatron);
    EXPECT_EQ(framework("lab", "fsdp_full+tp;tp=2,dp=8", ""), Framework::PytorchEager);
}

TEST(UnsaidAttention, writesScoresBeforePyTorchHadAFusedOne)
{
    const auto attention = [](std::string_view notes) {
        return rowOf("lab", "A100-80GB", "ddp", notes).resolved.config.attention;
    };
    EXPECT_EQ(attention("torch 1.9"), Attention::Vanilla);
    EXPECT_EQ(attention("(2021-08-01)"), Attention::Vanilla) << "by its day";
    EXPECT_EQ(attention("torch 1.13; FlashAttention v1"), Attention::Flash) << "who has the kernel names it";
    EXPECT_EQ(attention("torch 2.0"), Attention::Flash);
    EXPECT_EQ(attention(""), Attention::Flash);
}

TEST(UnsaidPrecision, isWhatTheCardHas)
{
    EXPECT_EQ(rowOf("lab", "A100-80GB", "ddp", "").resolved.config.precision, Precision::Bf16Mixed);
    const MeasuredRow old = rowOf("lab", "V100-32GB", "ddp", "");
    EXPECT_EQ(old.resolved.config.precision, Precision::Fp16Mixed);
    EXPECT_TRUE(assumes(old, "precision fp16-mixed, because the GPU does not support bf16"));
}

// 24 layers on 8 stages: three parts of one layer.
TEST(UnsaidParts, areLayersWhereThousandsOfCardsWouldWaitForTheirPipeline)
{
    const auto parts = [](std::string_view parallelism, std::string_view notes, int gpus) {
        return rowOf("lab", "H100-80GB", parallelism, notes, gpus).resolved.config.parallel.virtualStages;
    };
    EXPECT_EQ(parts("zero1+tp+pp;tp=8,pp=8,dp=16", "", 1024), 3);
    EXPECT_EQ(parts("zero1+tp+pp;tp=8,pp=8,dp=8", "", 512), 1) << "few cards";
    EXPECT_EQ(parts("zero1+tp+pp;tp=8,pp=8,dp=16,vp=1", "", 1024), 1) << "said";
    EXPECT_EQ(parts("zero1+tp+pp;tp=8,pp=8,dp=16", "Megatron-DeepSpeed", 1024), 1) << "its engine has no parts";
    EXPECT_EQ(parts("zero1+tp+pp;tp=8,pp=8,dp=16", "torch 1.9", 1024), 1) << "scores in memory, as before 2022";
    EXPECT_EQ(parts("zero1+tp+pp;tp=8,pp=16,dp=8", "", 1024), 1) << "24 layers do not divide over 16";
}

TEST(TimesOfPassesAlone, areHeldAgainstAStepWithoutItsOptimizer)
{
    const std::vector<MeasuredRow> rows{
        rowOf("lab", "A100-80GB", "ddp", ""), rowOf("lab", "A100-80GB", "ddp", "forward and backward only")};
    const Validation v = validate(rows, catalogue());
    const SpeedPrediction step = assess(rows[0].resolved, catalogue()).value().speed;
    const double passes = step.step - step.phases[static_cast<std::size_t>(Phase::Optimizer)], tokens = 2 * 2048;
    EXPECT_LT(passes, step.step);
    EXPECT_NEAR(v.rows[0].tokensPerSecondPerGpu->value, tokens / step.step, 1e-6);
    EXPECT_NEAR(v.rows[1].tokensPerSecondPerGpu->value, tokens / passes, 1e-6);
    EXPECT_TRUE(assumes(rows[1], "its time excludes the optimizer (note)"));
}

TEST(UnsaidNetwork, ofAnA100ClusterLiesBetweenWhatSuchClustersHave)
{
    constexpr std::string_view kNetwork = "network 800 Gbit/s per node";
    const MeasuredRow cluster = rowOf("lab", "A100-80GB", "ddp", "");
    EXPECT_EQ(cluster.resolved.config.networkGbps, 800);
    EXPECT_TRUE(assumes(cluster, kNetwork));
    const MeasuredRow hopper = rowOf("lab", "H100-80GB", "ddp", "");
    EXPECT_EQ(hopper.resolved.config.networkGbps, std::nullopt) << "its nodes all have a network card for each GPU";
    EXPECT_FALSE(assumes(hopper, kNetwork));
}

TEST(UnsaidNetwork, isThatOfTheInstanceWhichARowNames)
{
    const MeasuredRow named = rowOf("lab", "A100-80GB", "ddp", "on two AWS p4de.24xlarge");
    EXPECT_EQ(named.resolved.config.networkGbps, 400);
    EXPECT_TRUE(assumes(named, "network of aws-p4de.24xlarge"));
    EXPECT_EQ(rowOf("lab", "A100-40GB", "ddp", "p4de.24xlarge").resolved.config.networkGbps, 800)
        << "which has other cards";
}

TEST(UnsaidLinks, areThoseOfTheInstanceWhichARowNames)
{
    EXPECT_GT(rowOf("lab", "V100-16GB", "ddp", "", 16, 4).resolved.gpu.linkBandwidth, 0);
    const MeasuredRow half = rowOf("lab", "V100-16GB", "ddp", "4xV100 16GB (p3.8xlarge)", 16, 4);
    EXPECT_EQ(half.resolved.gpu.linkBandwidth, 0) << "its cards meet over the bus";
    EXPECT_TRUE(assumes(half, "links of aws-p3.8xlarge"));
}

// A row with the column `framework`, and what else is told of it.
MeasuredRow profiledRow(std::string_view framework, std::string_view compiled,
    std::string_view parallelism = "fsdp_full", std::string_view notes = "", std::string_view gpu = "A100-80GB")
{
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("slipway_profiled_{}.csv", ::getpid());
    std::ofstream(path) << "id,source_repo_or_paper,model_name,n_layers,d_model,n_heads,vocab,seq_len,gpu,n_gpus,gpus_"
                           "per_node,parallelism,attention,precision,micro_batch_size,compiled,optimizer,notes,"
                           "framework\n"
                        << fmt::format("a,lab,GPT,24,2048,16,50257,2048,{},16,8,\"{}\",sdpa,bf16_pure,2,{},adamw,{},{}"
                                       "\n",
                               gpu, parallelism, compiled, notes, framework);
    MeasuredRow row = readMeasurements(path, catalogue(), {}).value().front();
    std::filesystem::remove(path);
    return row;
}

TEST(FrameworkColumn, PlansTheRowByItsProfile)
{
    const MeasuredRow row = profiledRow("torchtitan@2025-03", "no");
    EXPECT_EQ(row.resolved.config.software, "torchtitan@2025-03");
    EXPECT_EQ(row.resolved.config.simulated.sharder, Sharder::Fsdp2);
    EXPECT_EQ(row.resolved.config.simulated.lossPath, LossPath::Upcast);
    EXPECT_EQ(row.resolved.config.simulated.torch, "2.6");
    EXPECT_EQ(row.framework, "torchtitan");
    EXPECT_TRUE(assumes(row, "sharder fsdp2 (torchtitan@2025-03)"));
    EXPECT_EQ(profiledRow("torchtitan@2025-06", "yes").resolved.config.framework, Framework::PytorchCompile);
    EXPECT_EQ(profiledRow("megatron-core@0.12", "kernels", "zero1+tp;tp=2,dp=8").resolved.config.framework,
        Framework::Megatron);
}

TEST(FrameworkColumn, OfSoftwareThatNobodyKnowsIsAnsweredMildly)
{
    const MeasuredRow row = profiledRow("somebodys-trainer@2025-01", "no");
    EXPECT_TRUE(row.skipped.empty()) << row.skipped;
    EXPECT_EQ(row.resolved.softwareKnowledge, SoftwareKnowledge::Unknown);
    EXPECT_EQ(row.resolved.config.framework, Framework::PytorchEager);
    EXPECT_EQ(row.resolved.config.simulated.torch, "2.5");
    EXPECT_TRUE(assumes(row, "framework unknown for 'somebodys-trainer@2025-01'"));
    const MeasuredRow split = profiledRow("somebodys-trainer", "kernels", "zero1+tp;tp=2,dp=8");
    EXPECT_EQ(split.resolved.config.framework, Framework::Megatron);
}

TEST(UnsaidSoftware, HasTheRangesOfUnknownSoftware)
{
    EXPECT_EQ(rowOf("lab", "A100-80GB", "ddp", "").resolved.softwareKnowledge, SoftwareKnowledge::Unknown);
    EXPECT_EQ(rowOf("karpathy/nanochat", "A100-80GB", "ddp", "").resolved.softwareKnowledge, SoftwareKnowledge::BuiltIn)
        << "an annotation knows the source";
}

TEST(FrameworkColumn, TakesWhatTheNotesSayOverTheProfile)
{
    EXPECT_EQ(profiledRow("litgpt@2023-08", "no", "fsdp_full", "FSDP without wrap policy")
                  .resolved.config.simulated.wrapLayers,
        std::optional<bool>(false));
    EXPECT_EQ(profiledRow("llm-foundry@2022-12", "no").resolved.config.simulated.gatherType, GradientType::Fp32);
    EXPECT_EQ(profiledRow("llm-foundry@2022-12", "no", "fsdp_full", "mixed_precision=PURE")
                  .resolved.config.simulated.gatherType,
        GradientType::Half);
}

TEST(FrameworkColumn, FusedAttentionOfBf16NeedsAnAmpereGpu)
{
    EXPECT_EQ(profiledRow("litgpt@2023-08", "no").resolved.config.attention, Attention::Flash);
    EXPECT_EQ(profiledRow("litgpt@2023-08", "no", "fsdp_full", "", "V100-32GB").resolved.config.attention,
        Attention::Vanilla);
}

} // namespace
} // namespace slipway
