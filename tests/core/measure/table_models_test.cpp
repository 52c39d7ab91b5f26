// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a table says of the model: its shape, its family, its experts and adapters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "measure/unsupported_features.h"
#include "measure/validate.h"
#include "table_fixture.h"

namespace slipway {
namespace {

using testing::kGood;
using testing::kHeader;
using testing::replaced;
using testing::Table;

TEST_F(Table, takesAModelWithoutGatesForOneWithLayerNormAndBiasesButWhoIsKnownWithout)
{
    const auto model = [this](const std::string &name, const std::string &type) {
        return read("a-1,lab," + name + ",24,2048,16,16,8192," + type +
                    ",50432,no,rope,2048,A100-80GB,1,1,none,flash,,bf16_mixed,8,1,,adamw,no,,,,,\n")
            .value()
            .front()
            .resolved.model;
    };
    const ModelSpec neox = model("GPT-NeoX", "gelu2"), nemotron = model("Nemotron4-15B", "gelu2"),
                    llama = model("LLaMA", "swiglu3");
    EXPECT_EQ(neox.norm.kind, NormKind::LayerNorm);
    EXPECT_TRUE(neox.norm.bias && neox.attention.qkvBias && neox.attention.outBias && neox.mlp.bias);
    EXPECT_EQ(nemotron.norm.kind, NormKind::LayerNorm);
    EXPECT_TRUE(nemotron.norm.bias && !nemotron.attention.qkvBias && !nemotron.attention.outBias && !nemotron.mlp.bias);
    EXPECT_EQ(llama.norm.kind, NormKind::RmsNorm);
    EXPECT_FALSE(llama.norm.bias || llama.attention.qkvBias || llama.mlp.bias);
}

TEST_F(Table, knowsTransformersFamiliesByTheModelsName)
{
    const auto model = [this](const std::string &name, const std::string &type, const std::string &pos) {
        return read("a-1,lab," + name + ",24,2048,16,16,8192," + type + ",50432,no," + pos +
                    ",2048,A100-80GB,1,1,none,flash,,bf16_mixed,8,1,,adamw,no,,,,,\n")
            .value()
            .front()
            .resolved.model;
    };
    EXPECT_TRUE(model("Pythia-1.4B", "gelu2", "rope").block.parallel);
    EXPECT_TRUE(model("Phi-2", "gelu2", "rope").attention.splitQkv);
    EXPECT_FALSE(model("Phi-3-mini", "swiglu3", "rope").block.parallel) << "a LLaMA";
    EXPECT_TRUE(model("facebook/opt-1.3b", "gelu2", "learned").mlp.hasRelu());
    EXPECT_FALSE(model("GPT adopt-1", "gelu2", "learned").mlp.hasRelu());
    EXPECT_TRUE(model("Gemma-2B", "swiglu3", "rope").norm.fp32Weight);
    EXPECT_FALSE(model("Llama-2-7B", "swiglu3", "rope").norm.fp32Weight);
    EXPECT_EQ(model("Qwen3-1.7B-variant", "swiglu3", "rope").attention.qkNorm, QkNorm::Head);
    EXPECT_TRUE(model("my Qwen2.5 of 900M", "swiglu3", "rope").attention.qkvBias);
    EXPECT_EQ(model("StableLM-3B", "swiglu3", "rope").norm.kind, NormKind::LayerNorm);
}

TEST_F(Table, takesGatesAndPositionsThatNoColumnSaysFromTheFamily)
{
    const auto model = [this](const std::string &name) {
        return read("a-1,lab," + name +
                    ",24,2048,16,16,8192,,50432,no,,2048,A100-80GB,1,1,none,flash,,bf16_mixed,8,1,,adamw,no,,,,,\n")
            .value()
            .front()
            .resolved.model;
    };
    const ModelSpec pythia = model("Pythia variant"), qwen = model("Qwen2 variant"), unknown = model("mine");
    EXPECT_EQ(pythia.position, Position::Rope);
    EXPECT_FALSE(pythia.mlp.gated);
    EXPECT_TRUE(pythia.partialRope());
    EXPECT_TRUE(qwen.mlp.gated);
    EXPECT_EQ(qwen.position, Position::Rope);
    EXPECT_EQ(unknown.position, Position::Learned);
}

TEST_F(Table, readsExpertsFromTheKindOfMlpTheNameOrTheNote)
{
    const auto rowOf = [&](const std::string &name, const std::string &type, const std::string &mesh,
                           const std::string &note) {
        return read("m-1,lab," + name + ",32,4096,32,8,14336," + type + ",32000,no,rope,4096,H100-80GB,64,8,\"" + mesh +
                    "\",flash,none,bf16_mixed,1,32,,adam,kernels,5000,40,reserved,0,\"" + note + "\"\n")
            .value()
            .front();
    };
    const MeasuredRow named = rowOf("Mixtral-8x7B", "swiglu-moe", "zero1+tp+pp+ep;tp=2,pp=4,cp=1,dp=8,ep=8", "");
    EXPECT_EQ(named.skipped, "");
    EXPECT_EQ(named.resolved.model.experts.count, 8);
    EXPECT_EQ(named.resolved.model.experts.perToken, 2);
    EXPECT_TRUE(named.resolved.model.mlp.gated);
    EXPECT_EQ(named.resolved.config.parallel,
        (Parallelism{.kind = ParallelKind::Zero1, .gpus = 64, .gpusPerNode = 8, .tp = 2, .pp = 4, .ep = 8}));
    EXPECT_EQ(parameterCount(named.resolved.model), 46'702'792'704);

    const std::string mesh = "zero1;tp=1,pp=1,cp=1,dp=64,ep=8";
    const struct {
        const char *type, *note;
        int experts, perToken;
    } cases[] = {{"swiglu3", "64 experts, top-8", 64, 8}, {"moe", "num_experts=16 top_k=4", 16, 4},
        {"swiglu-moe8-top1", "", 8, 1}, {"swiglu-moe", "128 experts", 128, 2}, {"gelu2", "dense", 0, 0},
        {"swiglu-moe", "MoE 7B, 16 experts", 16, 2},
        {"swiglu3", "experts_per_token: 6 of 32 experts; grouped GEMM", 32, 6},
        {"swiglu3", "64 experts, 8 active per token, 1.3B active", 64, 8}};
    for (const auto &c : cases) {
        const MeasuredRow row = rowOf("some", c.type, c.experts > 0 ? mesh : "zero1;dp=64", c.note);
        EXPECT_EQ(row.skipped, "") << c.note;
        EXPECT_EQ(row.resolved.model.experts.count, c.experts) << c.type << c.note;
        EXPECT_EQ(row.resolved.model.experts.perToken, c.perToken) << c.type << c.note;
    }
    EXPECT_EQ(rowOf("some", "moe", mesh, "sequential experts, 8 experts").resolved.config.simulated.expertGemm,
        ExpertGemm::Loop);
    EXPECT_NE(
        rowOf("some", "swiglu-moe", mesh, "").skipped.find("the number of experts is missing"), std::string::npos);
    EXPECT_NE(
        rowOf("some", "swiglu-moe", mesh, "64 experts, 2 shared experts").skipped.find("share"), std::string::npos);
    EXPECT_NE(rowOf("some", "swiglu3", mesh, "64 routed + 2 shared, top-6").skipped.find("share"), std::string::npos);
    // Names alone say it, cut to a few layers, too; the note may be the only one to say over how many ranks.
    const MeasuredRow cut = rowOf("Mixtral 8x22B (4 layers)", "swiglu3", "zero1;tp=1,pp=1,cp=1,dp=64", "step 3; EP4");
    EXPECT_EQ(cut.resolved.model.experts.count, 8);
    EXPECT_EQ(cut.resolved.config.parallel.ep, 4);
    EXPECT_EQ(rowOf("some", "moe", mesh, "8 experts, ep=4").resolved.config.parallel.ep, 8)
        << "as the cell of parallelism has it";
    EXPECT_EQ(rowOf("some 2x2 grid", "swiglu3", "zero1;dp=64", "").resolved.model.experts.count, 0);
    for (const char *name : {"DeepSeek-V2", "deepseek-236b (4 layers)", "DeepSeek-V3"})
        EXPECT_NE(rowOf(name, "swiglu3", mesh, "").skipped.find("latent"), std::string::npos) << name;
    EXPECT_NE(rowOf("some", "swiglu-moe", mesh, "MLA, 64 experts").skipped.find("latent"), std::string::npos);
    for (const char *name : {"DeepSeek-7B", "DeepSeek-R1-Distill-Llama-8B"})
        EXPECT_EQ(rowOf(name, "swiglu3", "zero1;dp=64", "").skipped, "") << name;
    // Ranks that do not divide: said where the row is predicted, with the column's name.
    const Validation v = validate({rowOf("some", "moe", "zero1;dp=64,ep=16", "8 experts")}, catalogue());
    EXPECT_NE(v.rows.front().row.skipped.find("parallelism: the expert-parallel size 16"), std::string::npos)
        << v.rows.front().row.skipped;
}

TEST_F(Table, plansAdaptersWhoseRankANoteGives)
{
    for (const char *note : {"LoRA r=16", "lora16", "lora_rank: 16", "rotary, LoRA, r = 16", "LoRA rank 16, 7B"}) {
        ASSERT_TRUE(notedAdapters(note)) << note;
        EXPECT_EQ(notedAdapters(note)->rank, 16) << note;
        EXPECT_FALSE(notedAdapters(note)->packed) << note;
        EXPECT_EQ(unsupportedFeature(note), "") << note;
    }
    for (const char *note : {"", "rank 16", "no LoRA, r=16", "DoRA r=16", "flora16"})
        EXPECT_FALSE(notedAdapters(note)) << note;
    for (const char *note : {"LoRA 7B", "finetuning with lora", "LoRA, alpha 16"}) {
        ASSERT_TRUE(notedAdapters(note)) << note;
        EXPECT_EQ(notedAdapters(note)->rank, 0) << note;
    }
    const std::string row = "l-1,lab,m,24,2048,16,16,8192,gelu2,50257,no,rope,1024,A100-80GB,1,8,\"none\",flash,none,"
                            "bf16_mixed,1,1,,adam,no,5000,40,reserved,0,\"QLoRA r=8\"\n";
    const MeasuredRow planned = read(row).value().front();
    EXPECT_EQ(planned.skipped, "");
    EXPECT_EQ(planned.resolved.config.loraRank, 8);
    EXPECT_EQ(planned.resolved.config.frozenWeights, FrozenWeights::Nf4);
    const MeasuredRow unsaid = read(replaced(row, "QLoRA r=8", "LoRA, alpha 16")).value().front();
    EXPECT_EQ(unsaid.skipped, "");
    EXPECT_EQ(unsaid.resolved.config.loraRank, 16);
    EXPECT_THAT(unsaid.assumed, ::testing::Contains(::testing::HasSubstr("the note gives no rank")));
}

TEST_F(Table, plansWhatIsInTheHostsMemory)
{
    for (const char *note : {"ZeRO-Offload", "offload_optimizer=cpu", "DeepSpeed, cpu_offload: true"})
        EXPECT_EQ(notedHostOffload(note, false), HostOffload::Optimizer) << note;
    EXPECT_EQ(notedHostOffload("FSDP, CPU offload", true), HostOffload::Weights);
    EXPECT_EQ(notedHostOffload("offload_param: cpu", false), HostOffload::Weights);
    for (const char *note : {"", "act_cpu_offload=False", "activation CPU offloading", "cpu_offload=False",
             "cpu_offload: off", "no optimizer offload"})
        EXPECT_EQ(notedHostOffload(note, true), HostOffload::None) << note;
    const std::string row = "l-1,lab,m,24,2048,16,16,8192,swiglu3,32000,no,rope,1024,A100-80GB,8,8,\"fsdp_full;dp=8\","
                            "flash,none,bf16_mixed,1,1,,adam,no,5000,40,reserved,0,\"FSDP, CPU offload\"\n";
    const MeasuredRow planned = read(row).value().front();
    EXPECT_EQ(planned.skipped, "");
    EXPECT_EQ(planned.resolved.config.hostOffload, HostOffload::Weights);
    const Validation v = validate({planned}, catalogue());
    EXPECT_TRUE(v.rows.front().tokensPerSecondPerGpu);
}

TEST_F(Table, takesAShapeThatIsNotThereFromTheModelsNameOrItsParameters)
{
    const std::string named = replaced(
        replaced(kGood, ",24,2048,16,16,8192,gelu2,50257,yes,learned,", ",,,,,,,,,,"), ",GPT,", ",Llama-3.1-8B,");
    const MeasuredRow row = read(named).value().front();
    EXPECT_EQ(row.skipped, "");
    EXPECT_EQ(parameterCount(row.resolved.model), 8'030'261'248);
    std::ofstream(m_path) << "params," << kHeader << "526550016,"
                          << replaced(kGood, ",24,2048,16,16,8192,gelu2,50257,", ",,,,,,swiglu3,,") << ","
                          << replaced(kGood, ",24,", ",,");
    const auto rows = readMeasurements(m_path, catalogue()).value();
    EXPECT_EQ(rows[0].skipped, "");
    EXPECT_EQ(rows[0].resolved.model.hidden, 1536) << "the paper's family";
    EXPECT_EQ(rows[1].skipped, m_path.string() + ":3: n_layers is empty");
}

TEST_F(Table, fillsTheGapsOfAShapeFromItsParameters)
{
    const std::string whole = replaced(
        kGood, ",GPT,24,2048,16,16,8192,gelu2,50257,yes,learned,", ",own,16,2048,32,8,8192,swiglu3,128256,yes,rope,");
    for (const auto &[cell, without] : {std::pair{",own,16,", ",own,,"}, {",8192,swiglu3,", ",,swiglu3,"},
             {",swiglu3,128256,", ",swiglu3,,"}, {",yes,rope,", ",,rope,"}, {",2048,32,8,", ",2048,,8,"}}) {
        std::ofstream(m_path) << "params," << kHeader << "1235814400," << replaced(whole, cell, without);
        const MeasuredRow row = readMeasurements(m_path, catalogue()).value().front();
        EXPECT_EQ(row.skipped, "") << without;
        EXPECT_EQ(parameterCount(row.resolved.model), 1'235'814'400) << without;
    }
}

} // namespace
} // namespace slipway
