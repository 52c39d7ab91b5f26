// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "measure/unsupported_features.h"
#include "measure/validate.h"

namespace slipway {
namespace {

constexpr const char *kHeader =
    "id,source_repo_or_paper,model_name,n_layers,d_model,n_heads,n_kv_heads,d_ff,mlp_type,vocab,tied_embeddings,pos,"
    "seq_len,gpu,n_gpus,gpus_per_node,parallelism,attention,recompute,"
    "precision,micro_batch_size,grad_accum,global_batch_tokens,optimizer,compiled,tokens_per_s_per_gpu,peak_mem_gib,"
    "mem_kind,oom,notes\n";

const Catalogue &catalogue()
{
    static const Catalogue loaded = loadCatalogue().value();
    return loaded;
}

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

const std::string kGood =
    "a-1,lab,GPT,24,2048,16,16,8192,gelu2,50257,yes,learned,2048,A100-80GB,16,8,\"ddp+tp+pp;tp=2,pp=2,cp=1,dp=4\","
    "vanilla,full,fp16_mixed,2,,131072,adam,kernels,5000,40,reserved,0,torch 1.12.1\n";

std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    EXPECT_NE(text.find(from), std::string::npos) << from;
    return text.replace(text.find(from), from.size(), to);
}

TEST_F(Table, readsARowAsTheConfigurationThatItWas)
{
    const MeasuredRow row = read(kGood).value().front();
    EXPECT_EQ(row.skipped, "");
    const RunConfig &c = row.subject.config;
    EXPECT_EQ(c.parallel, (Parallelism{.kind = ParallelKind::Ddp, .gpus = 16, .gpusPerNode = 8, .tp = 2, .pp = 2}));
    EXPECT_EQ(c.gradAccum, 131072 / (2048 * 2 * 4)) << "from the global batch where the cell is empty";
    EXPECT_EQ(c.framework, Framework::Megatron);
    EXPECT_EQ(c.precision, Precision::Fp16Mixed);
    EXPECT_EQ(c.torch, "1.12.1");
    EXPECT_EQ(row.subject.model.norm.kind, NormKind::LayerNorm);
    EXPECT_EQ(row.subject.gpu.id, "a100-sxm-80gb");
    EXPECT_EQ(row.measured.tokensPerSecondPerGpu, 5000);
}

TEST_F(Table, takesAModelWithoutGatesForOneWithLayerNormAndBiasesButWhoIsKnownWithout)
{
    const auto model = [this](const std::string &name, const std::string &type) {
        return read("a-1,lab," + name + ",24,2048,16,16,8192," + type +
                    ",50432,no,rope,2048,A100-80GB,1,1,none,flash,,bf16_mixed,8,1,,adamw,no,,,,,\n")
            .value()
            .front()
            .subject.model;
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
            .subject.model;
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
            .subject.model;
    };
    const ModelSpec pythia = model("Pythia variant"), qwen = model("Qwen2 variant"), unknown = model("mine");
    EXPECT_EQ(pythia.position, Position::Rope);
    EXPECT_FALSE(pythia.mlp.gated);
    EXPECT_TRUE(pythia.partialRope());
    EXPECT_TRUE(qwen.mlp.gated);
    EXPECT_EQ(qwen.position, Position::Rope);
    EXPECT_EQ(unknown.position, Position::Learned);
}

TEST_F(Table, takesRowsOfOneScriptForRecomputedOrNotByTheSmallestMicroBatch)
{
    const auto row = [](const std::string &id, const std::string &source, const std::string &batch) {
        return id + "," + source +
               ",GPT,24,2048,16,16,8192,gelu2,50257,yes,learned,1024,A100-80GB,1,1,none,flash,,bf16_mixed," + batch +
               ",1,,adamw,no,,,,,\n";
    };
    const Validation v = validate(
        read(row("a-1", "lab", "32") + row("a-2", "lab", "2") + row("b-1", "other", "32")).value(), catalogue());
    const auto &rows = v.rows;
    EXPECT_EQ(rows[0].row.subject.config.recompute, Recompute::None) << "as for the two sequences that fit";
    EXPECT_EQ(rows[0].oom, true);
    EXPECT_EQ(rows[1].oom, false);
    EXPECT_EQ(rows[2].row.subject.config.recompute, Recompute::Full) << "of that source nothing fits without";
    EXPECT_EQ(rows[2].oom, false);
    EXPECT_EQ(rows[2].row.assumed.back(), "recompute full");
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

TEST_F(Table, takesRowsOfOurOwnBenchForWhatOurTrainerRan)
{
    const MeasuredRow row = read("own-1,slipway,small,2,64,4,4,128,swiglu3,512,no,rope,64,cpu,2,2,\"fsdp_full;tp=1,pp="
                                 "1,cp=1,dp=2\",flash,none,fp32,2,1,256,adamw,kernels,5000,0.01,allocated,0,\n")
                                .value()
                                .front();
    EXPECT_EQ(row.skipped, "");
    EXPECT_EQ(row.framework, "slipway");
    EXPECT_EQ(row.subject.config.parallel, (Parallelism{.kind = ParallelKind::FsdpFull, .gpus = 2, .gpusPerNode = 2}));
}

TEST_F(Table, takesNvidiasRecipesForThoseWhoseTensorParallelCollectivesMoveBesideGemms)
{
    const auto overlaps = [&](const std::string &source, const std::string &note) {
        return read(replaced(replaced(kGood, ",lab,", "," + source + ","), "torch 1.12.1", note))
            .value()
            .front()
            .subject.config.tpOverlap;
    };
    EXPECT_TRUE(overlaps("NVIDIA/dgxc-benchmarking", ""));
    EXPECT_TRUE(overlaps("lab", "NeMo 24.09"));
    EXPECT_TRUE(overlaps("lab", "--tp-comm-overlap"));
    EXPECT_FALSE(overlaps("lab", "Nemotron on Megatron-LM with TransformerEngine")) << "its flag is off";
}

TEST_F(Table, takesBridgesFromCardsWhoseRowNamesTheBusAlone)
{
    const auto links = [&](const std::string &card, const std::string &interconnect) {
        std::string header = kHeader, row = replaced(kGood, "A100-80GB", card);
        std::ofstream(m_path) << replaced(header, ",notes", ",interconnect,notes")
                              << replaced(row, ",torch", "," + interconnect + ",torch");
        return readMeasurements(m_path, catalogue()).value().front().subject.gpu.linkBandwidth;
    };
    EXPECT_EQ(links("A100-PCIe-80GB", "PCIe 4.0 x16"), 0);
    EXPECT_GT(links("A100-PCIe-80GB", "PCIe with NVLink bridges"), 0);
    EXPECT_GT(links("A100-PCIe-80GB", ""), 0);
    EXPECT_GT(links("A100-80GB", "IB over PCIe"), 0) << "a switch joins these";
}

TEST_F(Table, readsWhatANodesNetworkCarries)
{
    const auto network = [&](const std::string &interconnect) {
        std::ofstream(m_path) << replaced(std::string(kHeader), ",notes", ",interconnect,notes")
                              << replaced(kGood, ",torch", "," + interconnect + ",torch");
        return readMeasurements(m_path, catalogue()).value().front().subject.config.networkGbps;
    };
    for (const char *node :
        {"8x400Gbps/node", "DGX (8x400Gbps/node; inferred)", "3200Gbps/node", "RDMA 400Gbps/GPU", "EFA 3200 Gb/s",
            "NVLink 600GB/s; 8x400 Gbit/s", "8xNDR", "NVLink; 8x NDR InfiniBand", "16x HDR", "16xNDR200"})
        EXPECT_EQ(network(node), 3200) << node;
    EXPECT_TRUE(
        std::ranges::all_of(std::initializer_list<const char *>{"NVLink 600GB/s; Gbps", "HDR", "xHDR", "0x NDR"},
            [&](const char *uncounted) { return network(uncounted) == network(""); }));
}

TEST_F(Table, takesABareHopperForThePcieCardOnlyWhereMachineAndRowAreSmallAndSilent)
{
    const auto cardOf = [this](const std::string &first, const std::string &others = "") {
        return read(first + others).value().front();
    };
    const std::string row = "a-1,notes,GPT,24,2048,16,16,8192,gelu2,50257,yes,learned,1024,H100-80GB,2,2,ddp,,none,,8,"
                            "1,,adamw,,30000,,,0,by hand\n";
    const MeasuredRow silent = cardOf(row);
    EXPECT_EQ(silent.subject.gpu.id, "h100-pcie-80gb");
    EXPECT_EQ(silent.gpu, "H100-80GB") << "the summary goes by the table's name";
    EXPECT_NE(std::find(silent.assumed.begin(), silent.assumed.end(),
                  "gpu h100-pcie-80gb, as machines of up to four have it"),
        silent.assumed.end());
    EXPECT_EQ(
        cardOf(row, replaced(replaced(row, "a-1", "a-2"), ",2,2,ddp", ",8,8,ddp")).subject.gpu.id, "h100-sxm-80gb")
        << "the source has eight";
    EXPECT_EQ(cardOf(replaced(row, "ddp,,", "ddp,flash,")).subject.gpu.id, "h100-sxm-80gb")
        << "who names the software names the card";
    EXPECT_EQ(cardOf(replaced(row, "by hand", "HGX board")).subject.gpu.id, "h100-sxm-80gb");
    EXPECT_EQ(cardOf(replaced(row, "H100-80GB", "H100-SXM")).subject.gpu.id, "h100-sxm-80gb");
    EXPECT_EQ(cardOf(replaced(row, "H100-80GB", "h100-sxm-80gb")).subject.gpu.id, "h100-sxm-80gb");
    EXPECT_EQ(cardOf(replaced(row, "H100-80GB", "A100-80GB")).subject.gpu.id, "a100-sxm-80gb");
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
    EXPECT_EQ(named.subject.model.experts.count, 8);
    EXPECT_EQ(named.subject.model.experts.perToken, 2);
    EXPECT_TRUE(named.subject.model.mlp.gated);
    EXPECT_EQ(named.subject.config.parallel,
        (Parallelism{.kind = ParallelKind::Zero1, .gpus = 64, .gpusPerNode = 8, .tp = 2, .pp = 4, .ep = 8}));
    EXPECT_EQ(parameterCount(named.subject.model), 46'702'792'704);

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
        EXPECT_EQ(row.subject.model.experts.count, c.experts) << c.type << c.note;
        EXPECT_EQ(row.subject.model.experts.perToken, c.perToken) << c.type << c.note;
    }
    EXPECT_EQ(rowOf("some", "moe", mesh, "sequential experts, 8 experts").subject.config.expertGemm, ExpertGemm::Loop);
    EXPECT_NE(
        rowOf("some", "swiglu-moe", mesh, "").skipped.find("the number of experts is missing"), std::string::npos);
    EXPECT_NE(
        rowOf("some", "swiglu-moe", mesh, "64 experts, 2 shared experts").skipped.find("share"), std::string::npos);
    EXPECT_NE(rowOf("some", "swiglu3", mesh, "64 routed + 2 shared, top-6").skipped.find("share"), std::string::npos);
    // Names alone say it, cut to a few layers, too; the note may be the only one to say over how many ranks.
    const MeasuredRow cut = rowOf("Mixtral 8x22B (4 layers)", "swiglu3", "zero1;tp=1,pp=1,cp=1,dp=64", "step 3; EP4");
    EXPECT_EQ(cut.subject.model.experts.count, 8);
    EXPECT_EQ(cut.subject.config.parallel.ep, 4);
    EXPECT_EQ(rowOf("some", "moe", mesh, "8 experts, ep=4").subject.config.parallel.ep, 8)
        << "as the cell of parallelism has it";
    EXPECT_EQ(rowOf("some 2x2 grid", "swiglu3", "zero1;dp=64", "").subject.model.experts.count, 0);
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

TEST_F(Table, takesHandFusedRowsForPyTorchAroundKernelsWhereFsdpShardsOrTheTrainerIsKnown)
{
    const auto rowOf = [&](const std::string &source, const std::string &mesh) {
        return read("k-1," + source + ",m,22,2048,32,4,5632,swiglu3,32000,no,rope,2048,A100-40GB,16,8,\"" + mesh +
                    "\",flash,none,bf16_mixed,8,1,,adamw,kernels,24000,,,0,\n")
            .value()
            .front()
            .subject.config;
    };
    for (const auto &[source, mesh] : {std::pair("lab", "fsdp_full;tp=1,pp=1,cp=1,dp=16"),
             std::pair("lab with lit-gpt", "zero1;tp=1,pp=1,cp=1,dp=16")}) {
        EXPECT_EQ(rowOf(source, mesh).framework, Framework::PytorchEager) << source;
        EXPECT_TRUE(rowOf(source, mesh).fusedKernels) << source;
    }
    for (const auto &[source, mesh] :
        {std::pair("lab", "zero1;dp=16"), std::pair("lab with lit-gpt", "zero1+tp;tp=2,pp=1,cp=1,dp=8")})
        EXPECT_EQ(rowOf(source, mesh).framework, Framework::Megatron) << source;
    EXPECT_EQ(rowOf("huggingface/nanotron", "ddp;dp=16").software, "nanotron");
    EXPECT_EQ(rowOf("InternLM/InternEvo", "zero1;tp=1,pp=1,cp=1,dp=16").software, "internevo");
}

TEST_F(Table, skipsRunsThatTrainAddedWeightsOrKeepThemInTheHostsMemory)
{
    for (const char *note : {"LoRA", "DoRA r=16", "QLoRA, nf4", "finetuning with lora", "DeepSeek-R1, LoRA",
             "ZeRO-Offload", "DeepSpeed, cpu_offload: true", "FSDP, CPU offload", "offload_optimizer=cpu"})
        EXPECT_NE(unsupportedFeature(note), "") << note;
    for (const char *note : {"", "exploration", "no LoRA", "full finetuning, not LoRA", "act_cpu_offload=False",
             "activation CPU offloading", "cpu_offload=False", "explored on A100", "flora", "cpu_offload: off"})
        EXPECT_EQ(unsupportedFeature(note), "") << note;
    const std::string row = "l-1,lab,m,24,2048,16,16,8192,gelu2,50257,no,rope,1024,A100-80GB,1,8,\"none\",flash,none,"
                            "bf16_mixed,1,1,,adam,no,5000,40,reserved,0,\"LoRA, alpha 16\"\n";
    EXPECT_EQ(read(row).value().front().skipped,
        m_path.string() + ":2: notes: 'LoRA' trains adapter weights of unknown rank or kind, which is not planned");
}

TEST_F(Table, plansAdaptersWhoseRankANoteGives)
{
    for (const char *note : {"LoRA r=16", "lora16", "lora_rank: 16", "rotary, LoRA, r = 16", "LoRA rank 16, 7B"}) {
        ASSERT_TRUE(notedAdapters(note)) << note;
        EXPECT_EQ(notedAdapters(note)->rank, 16) << note;
        EXPECT_FALSE(notedAdapters(note)->packed) << note;
        EXPECT_EQ(unsupportedFeature(note), "") << note;
    }
    for (const char *note : {"", "rank 16", "no LoRA, r=16", "LoRA 7B", "DoRA r=16", "flora16"})
        EXPECT_FALSE(notedAdapters(note)) << note;
    const std::string row = "l-1,lab,m,24,2048,16,16,8192,gelu2,50257,no,rope,1024,A100-80GB,1,8,\"none\",flash,none,"
                            "bf16_mixed,1,1,,adam,no,5000,40,reserved,0,\"QLoRA r=8\"\n";
    const MeasuredRow planned = read(row).value().front();
    EXPECT_EQ(planned.skipped, "");
    EXPECT_EQ(planned.subject.config.loraRank, 8);
    EXPECT_EQ(planned.subject.config.frozenWeights, FrozenWeights::Nf4);
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

TEST_F(Table, readsChoicesInTheTablesWordsTheFlagsAndWhatElsePeopleWrite)
{
    const auto configOf = [&](const std::string &from, const std::string &to) {
        const MeasuredRow row = read(replaced(kGood, from, to)).value().front();
        EXPECT_EQ(row.skipped, "") << to;
        return row.subject.config;
    };
    EXPECT_EQ(configOf("fp16_mixed", "BF16-Mixed").precision, Precision::Bf16Mixed);
    EXPECT_EQ(configOf("fp16_mixed", "bf16").precision, Precision::Bf16) << "as the flag has it";
    EXPECT_EQ(configOf("vanilla", "Eager").attention, Attention::Vanilla);
    EXPECT_EQ(configOf("vanilla", "flash_attention_2").attentionKernel, AttentionKernel::Flash2);
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

TEST_F(Table, skipsWordsThatItDoesNotKnow)
{
    const std::pair<std::string, std::string> unknown[] = {{"fp16_mixed", "int3"}, {"vanilla", "linear"},
        {"full,fp16", "some,fp16"}, {"kernels", "perhaps"}, {"reserved,0", "reserved,2"},
        {",yes,learned", ",maybe,learned"}, {"5000,40", "-5000,40"}};
    const char *const columns[] = {"precision 'int3'", "attention 'linear'", "recompute 'some'", "compiled 'perhaps'",
        "oom '2'", "tied_embeddings 'maybe'", "tokens_per_s_per_gpu is -5000"};
    for (std::size_t i = 0; i < std::size(unknown); ++i) {
        const auto row = read(replaced(kGood, unknown[i].first, unknown[i].second)).value().front();
        EXPECT_TRUE(row.skipped.starts_with(m_path.string() + ":2: " + columns[i])) << row.skipped;
    }
}

TEST_F(Table, readsWordsByTheirLastPartThatItKnows)
{
    const auto config = [&](const char *from, const char *to) {
        return read(replaced(kGood, from, to)).value().front();
    };
    EXPECT_EQ(config("vanilla", "sdpa_cudnn").subject.config.attentionKernel, AttentionKernel::Cudnn);
    EXPECT_EQ(config("full,fp16", "full (all layers),fp16").subject.config.recompute, Recompute::Full);
    EXPECT_EQ(config("full,fp16", "selective-op,fp16").subject.config.recompute, Recompute::Selective);
    EXPECT_EQ(config("ddp+tp+pp", "deepspeed_zero3+tp+pp").subject.config.parallel.kind, ParallelKind::FsdpFull);
    EXPECT_FALSE(config("vanilla", "no-flash").skipped.empty()) << "which says what it is not";
}

TEST_F(Table, listsWhatEachEmptyCellIsTakenFor)
{
    std::ofstream(m_path) << kHeader << "e-1,lab,GPT,24,2048,16,,,,,,,,A100-80GB,,,,,,,,,,,,5000,40,,0,\n";
    const MeasuredRow row = readMeasurements(m_path, catalogue()).value().front();
    EXPECT_EQ(row.skipped, "");
    EXPECT_EQ(row.assumed, (std::vector<std::string>{"n_kv_heads 16", "mlp_type gelu2", "pos learned", "d_ff 8192",
                               "tied_embeddings yes", "vocab 50257", "n_gpus 1", "gpus_per_node 1", "seq_len 1024",
                               "micro_batch_size 8", "grad_accum 1", "precision bf16-mixed", "attention flash",
                               "framework pytorch-eager", "optimizer adamw", "mem_kind reserved"}));
}

TEST_F(Table, takesAShapeThatIsNotThereFromTheModelsNameOrItsParameters)
{
    std::string named = replaced(
        replaced(kGood, ",24,2048,16,16,8192,gelu2,50257,yes,learned,", ",,,,,,,,,,"), ",GPT,", ",Llama-3.1-8B,");
    const MeasuredRow row = read(named).value().front();
    EXPECT_EQ(row.skipped, "");
    EXPECT_EQ(parameterCount(row.subject.model), 8'030'261'248);
    std::ofstream(m_path) << "params," << kHeader << "526550016,"
                          << replaced(kGood, ",24,2048,16,16,8192,gelu2,50257,", ",,,,,,swiglu3,,") << ","
                          << replaced(kGood, ",24,", ",,");
    const auto rows = readMeasurements(m_path, catalogue()).value();
    EXPECT_EQ(rows[0].skipped, "");
    EXPECT_EQ(rows[0].subject.model.hidden, 1536) << "the paper's family";
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
        EXPECT_EQ(parameterCount(row.subject.model), 1'235'814'400) << without;
    }
}

TEST_F(Table, takesTheSequenceFromTheBatchWhereItsCellIsEmpty)
{
    const MeasuredRow row =
        read(replaced(replaced(kGood, ",learned,2048,", ",learned,,"), ",2,,131072,", ",2,8,131072,")).value().front();
    EXPECT_EQ(row.skipped, "");
    EXPECT_EQ(row.subject.config.seqLen, 131072 / (2 * 8 * 4));
    EXPECT_EQ(row.subject.model.embedding.positions, row.subject.config.seqLen);
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
        return read(replaced(kGood, "ddp+tp+pp;tp=2,pp=2,cp=1,dp=4", cell)).value().front().subject.config.parallel;
    };
    EXPECT_EQ(parallel("tp=2,pp=2,dp=4"),
        (Parallelism{.kind = ParallelKind::Ddp, .gpus = 16, .gpusPerNode = 8, .tp = 2, .pp = 2}));
    EXPECT_EQ(parallel("pp;pp=4,vpp=2,dp=4").virtualStages, 2);
    EXPECT_EQ(parallel("fsdp2;dp=16").kind, ParallelKind::FsdpFull);
}

TEST_F(Table, namesTheLineOfARowWithoutAnId)
{
    EXPECT_EQ(read(kGood + replaced(kGood, "a-1,", ",")).value().back().id, "line 3");
}

TEST_F(Table, takesColumnsInAnyOrderWithOthersBetween)
{
    const auto usual = read(kGood).value().front().subject;
    std::ofstream(m_path) << "\xEF\xBB\xBF more , "
                             "notes,oom,gpu,id,precision,d_model,n_layers,n_heads,d_ff,seq_len,n_gpus,parallelism,"
                             "micro_batch_size,attention,recompute,compiled,optimizer,mlp_type,global_batch_tokens\r\n"
                          << "x,\"torch 1.12.1\r\nsecond "
                             "line\",0,A100-80GB,a-1,fp16_mixed,2048,24,16,8192,2048,16,\"ddp+tp+pp;tp=2,pp=2,cp=1,dp="
                             "4\",2,vanilla,full,kernels,adam,gelu2,131072\r\n";
    const MeasuredRow row = readMeasurements(m_path, catalogue()).value().front();
    EXPECT_EQ(row.skipped, "");
    EXPECT_EQ(row.subject.config, usual.config);
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
