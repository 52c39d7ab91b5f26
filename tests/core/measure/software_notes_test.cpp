// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include "base/text.h"
#include "config/apply_framework.h"
#include "hardware/catalogue.h"
#include "measure/software_notes.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

const std::vector<Annotation> &annotations()
{
    static const std::vector<Annotation> shipped = readAnnotations(resourceDirectory() / "annotations").value();
    return shipped;
}

// As a row of a table without the column `framework` is read.
std::vector<std::string> applySoftwareNotes(
    std::string_view source, std::string_view notes, RunConfig &c, ModelSpec &model, std::string_view id = {})
{
    const SoftwareNotes said(annotations(),
        {.id = std::string(id), .source = toLower(source), .notes = toLower(notes), .model = toLower(model.name)},
        false, AnnotationUse::All, c, model);
    const std::string known = said.framework();
    if (const auto engine = enumFromName<Framework>(known)) {
        c.framework = *engine;
    } else if (!known.empty()) {
        c.software = known;
        c.simulated.compile = c.framework == Framework::PytorchCompile;
        c.simulated.fusedKernels = c.framework == Framework::Megatron;
        c.optimizer = OptimizerKind::AdamW;
    }
    std::vector<std::string> taken = said.apply(catalogue().frameworks, c, model).value();
    applyFramework(c, model, catalogue().frameworks).value();
    return taken;
}

struct Read {
    RunConfig config;
    ModelSpec model;
    std::vector<std::string> taken;
};

Read read(const char *source, const char *notes, Recompute recompute = Recompute::Selective, const char *id = "")
{
    Read r;
    r.config.recompute = recompute;
    r.config.framework = Framework::PytorchEager;
    r.model.layers = 80;
    r.config.parallel.pp = 4;
    r.taken = applySoftwareNotes(source, notes, r.config, r.model, id);
    return r;
}

TEST(SoftwareNotes, nameWhatWasRecomputed)
{
    EXPECT_EQ(read("", "FSDP2; SAC op (llama3_8b.toml default)").config.recomputeOps,
        (std::vector<std::string>{"norm", "activation", "rope", "linear-alternate"}));
    EXPECT_EQ(read("", "FSDP1, AC every 2nd layer").config.recomputeOps, std::vector<std::string>{"layer-alternate"});
    EXPECT_TRUE(read("", "SAC op", Recompute::None).config.recomputeOps.empty());
}

TEST(SoftwareNotes, meanTorchtitansListBySelectiveInPlainPyTorchWhereNobodySaysMore)
{
    const Read usual = read("somebody/trains", "FSDP2");
    EXPECT_EQ(usual.config.recomputeOps, read("", "SAC op").config.recomputeOps);
    ASSERT_GE(usual.taken.size(), 2U);
    EXPECT_EQ(usual.taken[usual.taken.size() - 2], "recompute_ops norm,activation,rope,linear-alternate (assumed)");
    EXPECT_EQ(usual.taken.back(), "torch 2.5 (assumed)") << "of a row without a version and a date";
    EXPECT_EQ(read("", "AC every 2nd layer").config.recomputeOps, std::vector<std::string>{"layer-alternate"})
        << "who says more";
    EXPECT_TRUE(read("", "FSDP2", Recompute::Full).config.recomputeOps.empty());
    RunConfig megatron{.recompute = Recompute::Selective, .framework = Framework::Megatron},
        scores{
            .attention = Attention::Vanilla, .recompute = Recompute::Selective, .framework = Framework::PytorchEager};
    ModelSpec model;
    applySoftwareNotes("", "", megatron, model);
    applySoftwareNotes("", "", scores, model);
    EXPECT_TRUE(megatron.recomputeOps.empty() && scores.recomputeOps.empty())
        << "scores are what Megatron-LM's mode makes again";
}

TEST(SoftwareNotes, nameVersionsAndSizes)
{
    EXPECT_EQ(read("", "flash v1, torch 1.12.1; x").config.simulated.torch, "1.12.1");
    EXPECT_EQ(read("", "gen=G1 (2022-12-21)").config.simulated.torch, "1.13");
    EXPECT_EQ(read("", "PyTorch 2.1.0, H100").config.simulated.torch, "2.1.0");
    EXPECT_EQ(read("", "gen=G3 (2023-07-31)").config.simulated.torch, "2.0") << "what was current then";
    EXPECT_EQ(read("", "commit (2026-08-21)").config.simulated.torch, "2.13");
    EXPECT_EQ(read("", "torch nightly; (20 runs); (2x)").config.simulated.torch, "2.5")
        << "neither a version nor a date";
    EXPECT_EQ(read("somebody/trains, README (2023-10-30)", "fast").config.simulated.torch, "2.1")
        << "a dated source, where its note says nothing";
    EXPECT_EQ(read("somebody/trains, README (2023-10-30)", "torch 2.0").config.simulated.torch, "2.0");
    EXPECT_EQ(read("Shoeybi et al. (arXiv 1909.08053), table 1", "").config.simulated.torch, "1.2")
        << "a paper's name has its month";
    EXPECT_EQ(read("arXiv:2205.01068", "").config.simulated.torch, "1.11");
    EXPECT_EQ(read("arXiv listing 12, 2205.01068", "").config.simulated.torch, "2.5");
    EXPECT_EQ(read("", "head_dim 128 (so wide), qk-norm").model.attention.headDim, 128);
    EXPECT_EQ(read("", "TP; VP=5").config.parallel.virtualStages, 5);
    EXPECT_EQ(read("", "TP; VP=7").config.parallel.virtualStages, 1); // 80 layers on 4 stages do not divide by it
}

TEST(SoftwareNotes, nameDeepSpeedInAnyOfItsStages)
{
    for (const char *note :
        {"DeepSpeed ZeRO-3", "DeepSpeed ZeRO stage 2", "HF Trainer, DeepSpeed Zero-1", "DeepSpeed stage 2"})
        EXPECT_EQ(read("", note).config.simulated.sharder, Sharder::DeepSpeed) << note;
    RunConfig megatron{.precision = Precision::Fp16Mixed, .framework = Framework::Megatron};
    ModelSpec model;
    EXPECT_EQ(applySoftwareNotes("", "Megatron-DeepSpeed ZeRO-1", megatron, model),
        std::vector<std::string>{"torch 1.13 (source)"});
    EXPECT_EQ(megatron.simulated.sharder, Sharder::Auto) << "its plan knows that engine by the type and the stage";
    megatron.precision = Precision::Bf16Mixed;
    applySoftwareNotes("", "Megatron-DeepSpeed", megatron, model);
    EXPECT_EQ(megatron.simulated.sharder, Sharder::DeepSpeed);
}

TEST(SoftwareNotes, nameTheFlashKernel)
{
    EXPECT_EQ(read("", "attn_impl triton, torch 2.0.1").config.simulated.attentionKernel, AttentionKernel::Flash1);
    EXPECT_EQ(
        read("", "CUDA FlashAttention v1 (attn_impl flash)").config.simulated.attentionKernel, AttentionKernel::Flash1);
    EXPECT_EQ(read("", "FlashAttention-2").config.simulated.attentionKernel, AttentionKernel::Flash2);
    EXPECT_EQ(read("", "attn_impl flash").config.simulated.attentionKernel, AttentionKernel::Auto);
}

TEST(SoftwareNotes, nameWhoTakesAPaddingMask)
{
    EXPECT_TRUE(read("", "CUDA FlashAttention v1 (attn_impl flash)").config.simulated.unpadAttention);
    EXPECT_FALSE(read("", "attn_impl triton, torch 2.0.1").config.simulated.unpadAttention);
}

TEST(SoftwareNotes, knowWhichLossASourceRan)
{
    EXPECT_EQ(read("mosaicml/llm-foundry, x", "gen=G1 (2022-12-21)").config.simulated.lossPath, LossPath::Auto);
    EXPECT_EQ(read("mosaicml/llm-foundry, scripts", "torch 2.1.0").config.simulated.lossPath, LossPath::Compiled);
    EXPECT_EQ(read("GitHub notes, llm.c log", "").config.simulated.lossPath, LossPath::InPlace)
        << "the page names the software too";
    EXPECT_EQ(read("karpathy/llm.c", "").config.simulated.attentionKernel, AttentionKernel::Cudnn);
}

TEST(SoftwareNotes, takeAPytorchOf2023ForMptsUndatedTables)
{
    EXPECT_EQ(read("mosaicml/llm-foundry, scripts/train/benchmarking/README.md", "FSDP").config.simulated.torch, "2.0");
    EXPECT_EQ(read("mosaicml/llm-foundry, scripts", "torch 2.1.0").config.simulated.torch, "2.1.0");
    EXPECT_EQ(read("mosaicml/llm-foundry, x", "gen=G1 (2022-12-21)").config.simulated.torch, "1.13");
}

TEST(SoftwareNotes, takeLlmCsAttentionForFusedWhereWhatItPrintsLeavesNoRoomForScores)
{
    const auto of = [](std::string_view source, std::string_view id) {
        RunConfig c;
        ModelSpec gpt2;
        c.attention = Attention::Vanilla;
        applySoftwareNotes(source, "", c, gpt2, id);
        return c.attention;
    };
    EXPECT_EQ(of("GitHub notes, llm.c log", "llmc-006"), Attention::Flash);
    EXPECT_EQ(of("GitHub notes, llm.c log", "llmc-011"), Attention::Vanilla);
    EXPECT_EQ(of("somebody's llm.c log", "llmc-006"), Attention::Vanilla) << "another table's row of that name";
}

TEST(SoftwareNotes, knowThatVTrainsLayersRanOnceOnANodeAndTwiceOnMany)
{
    const auto of = [](std::string_view source, int tp) {
        RunConfig c;
        ModelSpec model;
        c.recompute = Recompute::Full;
        c.parallel.tp = tp;
        const std::vector<std::string> taken = applySoftwareNotes(source, "", c, model);
        return std::tuple(c.recompute, c.simulated.vocabMultiple, taken.size());
    };
    EXPECT_EQ(of("VIA-Research/vTrain, data/ground_truth_single.csv", 1), std::tuple(Recompute::Selective, 1, 3U));
    EXPECT_EQ(of("VIA-Research/vTrain, data/ground_truth_single.csv", 2), std::tuple(Recompute::Selective, 128, 2U));
    EXPECT_EQ(of("VIA-Research/vTrain, data/ground_truth_multi.csv", 1), std::tuple(Recompute::Full, 128, 0U));
}

TEST(SoftwareNotes, nameWhetherMegatronSplitsTheSequence)
{
    const auto of = [](const char *note, Framework framework, int tp) {
        RunConfig c{.framework = framework};
        c.parallel.tp = tp;
        ModelSpec model;
        applySoftwareNotes("", note, c, model);
        return c.simulated.sequenceParallel;
    };
    EXPECT_EQ(of("TP sequence parallel", Framework::Megatron, 2), true);
    EXPECT_EQ(of("without sequence parallelism", Framework::Megatron, 2), false);
    EXPECT_EQ(of("TP sequence parallel", Framework::Megatron, 1), std::nullopt);
    EXPECT_EQ(of("TP sequence parallel", Framework::PytorchEager, 2), std::nullopt);
}

TEST(SoftwareNotes, knowGptNeoxAndTheLossOfNemo)
{
    const auto of = [](const char *source, const char *note, const char *name) {
        RunConfig c{.framework = Framework::Megatron};
        ModelSpec model{.name = name};
        applySoftwareNotes(source, note, c, model);
        return c;
    };
    EXPECT_EQ(of("a page", "", "Pythia-1.0B").simulated.torch, "1.12");
    EXPECT_EQ(of("a page", "GPT-NeoX, torch 2.1.0", "some").simulated.torch, "2.1.0");
    EXPECT_TRUE(of("a page", "GPT-NeoX", "some").simulated.unpadAttention);
    EXPECT_FALSE(of("a page", "", "some").simulated.unpadAttention);
    EXPECT_EQ(
        of("NVIDIA/dgxc-benchmarking, v24.11.1:llama3.1", "", "some").simulated.lossPath, LossPath::ParallelFused);
    EXPECT_NE(of("NVIDIA/NeMo-Framework-Launcher", "", "some").simulated.lossPath, LossPath::ParallelFused)
        << "of 2023";
}

TEST(SoftwareNotes, knowTransformersGpt2ByTheModelsName)
{
    RunConfig c;
    ModelSpec m{.name = "GPT2-XL (HF)", .mlp = {.gated = false, .activation = Activation::GeluErf}};
    applySoftwareNotes("", "DeepSpeed ZeRO-3", c, m);
    EXPECT_TRUE(m.mlp.byParts);
    EXPECT_TRUE(m.dropout);
    EXPECT_EQ(c.simulated.lossPath, LossPath::Bf16);
}

TEST(SoftwareNotes, nameTorchtitansVersionAndAttentionByTheDay)
{
    const auto on = [](const char *notes, Framework framework) {
        RunConfig c;
        c.framework = framework;
        ModelSpec model;
        applySoftwareNotes("pytorch/torchtitan", notes, c, model);
        return c;
    };
    EXPECT_EQ(on("(2025-11-15)", Framework::PytorchCompile).simulated.torch, "2.9");
    EXPECT_EQ(on("(2024-03-28)", Framework::PytorchCompile).simulated.torch, "2.2");
    EXPECT_EQ(on("(2025-02-05)", Framework::PytorchEager).simulated.torch, "2.6");
    EXPECT_EQ(on("(2025-03-20)", Framework::PytorchEager).simulated.torch, "2.7")
        << "a nightly of the day after its branch was cut";
    EXPECT_EQ(on("(2025-09-15)", Framework::PytorchEager).simulated.torch, "2.9")
        << "a nightly whose norms are one kernel";
    EXPECT_EQ(on("(2025-11-15)", Framework::PytorchEager).simulated.attentionKernel, AttentionKernel::Cudnn);
    EXPECT_EQ(on("(2025-09-30)", Framework::PytorchEager).simulated.attentionKernel, AttentionKernel::Flash2);
}

TEST(SoftwareNotes, nameWhatTorchtitanDidOnThatDay)
{
    const auto compiled = [](const char *notes) {
        RunConfig c;
        c.framework = Framework::PytorchCompile;
        ModelSpec model;
        applySoftwareNotes("pytorch/torchtitan", notes, c, model);
        return c.simulated.lossPath;
    };
    EXPECT_EQ(compiled("SAC op; commit message 88247277c (2025-02-04)"), LossPath::Upcast)
        << "only blocks are compiled";
    EXPECT_EQ(compiled("SAC op; commit message aff949468 (2024-11-25)"), LossPath::Compiled)
        << "and for some months the loss";
    EXPECT_EQ(compiled("SAC op; commit message x (2025-02)"), LossPath::Upcast);
    EXPECT_EQ(compiled("SAC op; commit message d9bdfbb20 (2025-11-15)"), LossPath::Compiled);
    EXPECT_EQ(read("pytorch/torchtitan", "FSDP2, AC every 2nd layer; commit message (2024-03-28)").config.recomputeOps,
        (std::vector<std::string>{"norm", "activation", "rope", "linear-alternate"}));
    EXPECT_EQ(read("pytorch/torchtitan", "FSDP2, AC every 2nd layer; commit message (2024-06-06)").config.recomputeOps,
        std::vector<std::string>{"layer-alternate"});
}

TEST(SoftwareNotes, nameNormsOfQueriesAndKeys)
{
    EXPECT_EQ(read("pytorch/torchtitan", "head_dim 128, qk-norm; seq 4096").model.attention.qkNorm, QkNorm::Head);
    EXPECT_EQ(read("pytorch/torchtitan", "head_dim 128; seq 4096").model.attention.qkNorm, QkNorm::None);
}

TEST(SoftwareNotes, nameActivationsNormsAndBiases)
{
    const auto model = [](std::string_view source, std::string_view notes) {
        RunConfig c;
        ModelSpec m;
        m.mlp = {.width = m.mlp.width, .gated = false, .activation = Activation::GeluErf};
        m.norm.kind = NormKind::LayerNorm;
        m.norm.bias = m.attention.qkvBias = m.attention.outBias = m.mlp.bias = true;
        applySoftwareNotes(source, notes, c, m);
        return m;
    };
    const ModelSpec squared = model("", "ReLU^2; Muon");
    EXPECT_TRUE(squared.mlp.hasRelu());
    EXPECT_FALSE(squared.attention.qkvBias || squared.attention.outBias || squared.mlp.bias);
    EXPECT_EQ(squared.norm.kind, NormKind::LayerNorm);
    EXPECT_EQ(model("", "RMSNorm").norm.kind, NormKind::RmsNorm);
    EXPECT_FALSE(model("", "bias=False").mlp.bias);
    const ModelSpec speedrun = model("KellerJordan/modded-nanogpt, records", "");
    EXPECT_TRUE(speedrun.mlp.hasRelu() && speedrun.norm.kind == NormKind::RmsNorm && !speedrun.norm.bias);
    EXPECT_TRUE(model("", "GELU").mlp.bias);
}

TEST(SoftwareNotes, readWhetherSegmentsGrow)
{
    EXPECT_FALSE(read("lab", "torch 2.8").config.simulated.expandableSegments);
    EXPECT_TRUE(read("lab", "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True").config.simulated.expandableSegments);
    EXPECT_TRUE(read("lab", "with expandable segments").config.simulated.expandableSegments);
    EXPECT_FALSE(read("lab", "expandable_segments:False").config.simulated.expandableSegments);
    EXPECT_FALSE(
        read("lab", "by torchrun, i.e. without expandable_segments, so more").config.simulated.expandableSegments);
}

TEST(SoftwareNotes, readScalesOfFloat8)
{
    EXPECT_EQ(read("pytorch/torchtitan", "float8 rowwise; SAC op").config.simulated.fp8Scales, Fp8Scales::Row);
    EXPECT_EQ(read("pytorch/torchtitan", "float8 tensorwise; SAC op").config.simulated.fp8Scales, Fp8Scales::Tensor);
}

TEST(SoftwareNotes, writeTheScoresOfNanoGptsFirstWeeksAlone)
{
    const auto attention = [](const char *source, const char *id) {
        return read(source, "", Recompute::None, id).config.attention;
    };
    EXPECT_EQ(attention("karpathy/nanoGPT, README.md", "nanogpt-001"), Attention::Vanilla);
    EXPECT_EQ(attention("karpathy/nanoGPT, issue #400", "nanogpt-003"), Attention::Flash);
    EXPECT_EQ(attention("somebody/else, README.md", "nanogpt-001"), Attention::Flash);
}

TEST(SoftwareNotes, leaveOutWhatAColumnContradictsWhereAsked)
{
    const auto recompute = [](AnnotationUse use, bool stated) {
        RunConfig c;
        ModelSpec model;
        c.recompute = Recompute::Full;
        const SoftwareNotes said(annotations(),
            {.source = "via-research/vtrain, data/ground_truth_single.csv",
                .states = [stated](std::string_view column) { return stated && column == "recompute"; }},
            false, use, c, model);
        EXPECT_TRUE(said.apply(catalogue().frameworks, c, model));
        return c.recompute;
    };
    EXPECT_EQ(recompute(AnnotationUse::All, true), Recompute::Selective);
    EXPECT_EQ(recompute(AnnotationUse::Consistent, true), Recompute::Full);
    EXPECT_EQ(recompute(AnnotationUse::Consistent, false), Recompute::Selective) << "no column says otherwise";
    EXPECT_EQ(recompute(AnnotationUse::None, true), Recompute::Full);
}

TEST(SoftwareNotes, countWhatIsSaidOfARowWithAFrameworkAndNotWhoSaysIt)
{
    RunConfig c;
    ModelSpec model;
    const SoftwareNotes said(
        annotations(), {.source = "pytorch/torchtitan", .notes = "fsdp1"}, true, AnnotationUse::All, c, model);
    EXPECT_EQ(said.framework(), "");
    EXPECT_EQ(said.apply(catalogue().frameworks, c, model).value(), std::vector<std::string>{"sharder fsdp1 (note)"});
}

TEST(SoftwareNotes, nameTheProfileOfASourceWithItsDate)
{
    const auto framework = [](const char *source, const char *notes) {
        const RunConfig c{.framework = Framework::PytorchEager};
        const ModelSpec model;
        return SoftwareNotes(annotations(), {.source = source, .notes = notes}, false, AnnotationUse::All, c, model)
            .framework();
    };
    EXPECT_EQ(framework("pytorch/torchtitan, commit message x (2024-11-25)", ""), "torchtitan@2024-11-25");
    EXPECT_EQ(framework("pytorch/torchtitan, commit message x (2026-04)", ""), "torchtitan@2026-04");
    EXPECT_EQ(framework("pytorch/torchtitan", ""), "torchtitan") << "without a date the newest";
    EXPECT_EQ(framework("mosaicml/llm-foundry, readme", ""), "llm-foundry@2023-08");
    EXPECT_EQ(framework("mosaicml/llm-foundry, readme", "gen=g1 (2022-12-21)"), "llm-foundry@2022-12-21");
    EXPECT_EQ(framework("somebody/trains", ""), "");
}

TEST(SoftwareNotes, annotationsNameFrameworksAndOptionsThatExist)
{
    for (const Annotation &each : annotations()) {
        const Result<void> checked = checkFields(each.fields);
        EXPECT_TRUE(checked) << checked.error().message();
        const std::string name = each.framework.substr(0, each.framework.find("@{date}"));
        EXPECT_TRUE(name.empty() || enumFromName<Framework>(name) || catalogue().frameworks.resolve(name))
            << each.where << " " << name;
    }
}

TEST(SoftwareNotes, knowWhenTorchtitanLetGoOfItsLogits)
{
    EXPECT_EQ(read("pytorch/torchtitan", "FSDP2; commit message (2024-06-06)").config.simulated.lossPath,
        LossPath::UpcastHeld);
    EXPECT_EQ(
        read("pytorch/torchtitan", "FSDP2; commit message (2024-07-01)").config.simulated.lossPath, LossPath::Upcast);
}

TEST(SoftwareNotes, traceTheGraphsOfXlaAndOfTorchtitansSimpleFsdp)
{
    const auto sharder = [](const char *source, const char *notes, int tp) {
        RunConfig c;
        c.framework = Framework::PytorchEager;
        c.parallel.kind = ParallelKind::FsdpFull;
        c.parallel.tp = tp;
        ModelSpec model;
        applySoftwareNotes(source, notes, c, model);
        return c.simulated.sharder;
    };
    EXPECT_EQ(sharder("NVIDIA/dgxc-benchmarking", "JAX/Paxml (XLA); FSDP+DP", 1), Sharder::Traced);
    EXPECT_EQ(sharder("pytorch/torchtitan", "no AC; commit message (2026-03-13)", 2), Sharder::Fsdp2);
    EXPECT_EQ(sharder("pytorch/torchtitan", "SimpleFSDP; commit message (2025-11-15)", 1), Sharder::Simple);
    EXPECT_EQ(sharder("pytorch/torchtitan", "no AC; commit message (2026-03-13)", 1), Sharder::Fsdp2);
    EXPECT_EQ(sharder("pytorch/torchtitan", "no AC; commit message (2025-09-13)", 2), Sharder::Fsdp2);
}

TEST(SoftwareNotes, knowThatLightningAutocastsBesideFsdpsPolicy)
{
    RunConfig c;
    ModelSpec model{.name = "minGPT GPT2-XL shape"};
    applySoftwareNotes("Lightning-AI benchmark notes", "", c, model);
    EXPECT_TRUE(c.simulated.autocast);
    EXPECT_TRUE(model.dropout);
    EXPECT_TRUE(model.attention.splitQkv);
    EXPECT_EQ(c.simulated.torch, "1.9");
}

TEST(SoftwareNotes, knowThatTransformersTrainerHoldsNoLogitsAndAutocasts)
{
    const Read r = read("", "HF Trainer, FSDP1");
    EXPECT_EQ(r.config.simulated.lossPath, LossPath::Upcast);
    EXPECT_TRUE(r.config.simulated.autocast);
    EXPECT_EQ(r.config.simulated.sharder, Sharder::Fsdp1);
    EXPECT_EQ(read("", "Lightning trainer").config.simulated.lossPath, LossPath::Auto);
}

TEST(SoftwareNotes, nameTheOptimizersKernels)
{
    const auto optimizer = [](const char *source, const char *notes) {
        RunConfig c;
        c.framework = Framework::PytorchEager;
        c.optimizer = OptimizerKind::AdamWForeach;
        ModelSpec model;
        applySoftwareNotes(source, notes, c, model);
        return c.optimizer;
    };
    EXPECT_EQ(optimizer("", "torch 2.1"), OptimizerKind::AdamWForeach);
    EXPECT_EQ(optimizer("", "torch 1.13"), OptimizerKind::AdamW);
    EXPECT_EQ(optimizer("pytorch/torchtitan", ""), OptimizerKind::AdamW) << "fused";
    EXPECT_EQ(optimizer("pytorch/torchtitan", "AdamW fused=False"), OptimizerKind::AdamWForeach);
}

TEST(SoftwareNotes, countFlagsOfEarlierRowsIn)
{
    const RunConfig c = read("meta-pytorch/torchtune", "cumulative flags (+activation offloading); all bf16").config;
    EXPECT_EQ(c.simulated.lossPath, LossPath::Chunked);
    EXPECT_TRUE(c.optimizerInBackward);
    EXPECT_TRUE(c.offloadActivations);
}

TEST(SoftwareNotes, nameAnEagerLossAfterCompiledBlocks)
{
    const auto loss = [](Framework framework, const char *notes) {
        RunConfig c{.framework = framework};
        ModelSpec model;
        applySoftwareNotes("", notes, c, model);
        return c.simulated.lossPath;
    };
    for (const char *notes : {"torch.compile of each block, eager loss", "compile.components=[model]"}) {
        EXPECT_EQ(loss(Framework::PytorchCompile, notes), LossPath::Hf) << notes;
        EXPECT_EQ(loss(Framework::PytorchEager, notes), LossPath::Auto) << notes;
    }
}

TEST(SoftwareNotes, sayWhatTheyWereTakenFor)
{
    EXPECT_EQ(read("", "DeepSpeed ZeRO-3, torch 2.4", Recompute::None).taken,
        std::vector<std::string>{"sharder deepspeed (note)"});
    EXPECT_TRUE(read("", "torch 2.4", Recompute::None).taken.empty());
    EXPECT_EQ(read("", "", Recompute::None).taken, std::vector<std::string>{"torch 2.5 (assumed)"});
}

TEST(SoftwareNotes, neverReadMeasuredFigures)
{
    const RunConfig plain = read("", "").config;
    EXPECT_EQ(read("", "peak 72972500992 B, 5.1 s a step, MFU 43, loss 2.1").config, plain);
}

} // namespace

TEST(SoftwareNotes, TellHoursOfAWholeRunFromStepsThatWereTimed)
{
    EXPECT_TRUE(fromWholeRun("DERIVED from 4830 A100 hours per 300B tokens"));
    EXPECT_TRUE(fromWholeRun("DERIVED from \"600k iterations in about 4 days\""));
    EXPECT_TRUE(fromWholeRun("82,432 GPU hours for 1T tokens"));
    EXPECT_FALSE(fromWholeRun("tps derived from the step time"));
    EXPECT_FALSE(fromWholeRun("logged over two days"));
}

TEST(SoftwareNotes, TellTimesWithoutTheOptimizerFromSteps)
{
    EXPECT_TRUE(timesOnlyPasses("Forward and backward alone; length assumed"));
    EXPECT_TRUE(timesOnlyPasses("times are fwd+bwd only"));
    EXPECT_TRUE(timesOnlyPasses("no optimizer step"));
    EXPECT_FALSE(timesOnlyPasses("MFU counts fwd+bwd"));
    EXPECT_FALSE(timesOnlyPasses("cumulative flags (+optimizer in backward)"));
}

} // namespace slipway
