// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/known_trainers.h"

#include <array>

#include "base/text.h"
#include "measure/note_numbers.h"
#include "measure/note_text.h"
#include "measure/software_dates.h"
#include "measure/software_switches.h"

namespace slipway {

namespace {

void takeLoss(RunConfig &c, LossPath path)
{
    if (c.lossPath == LossPath::Auto)
        c.lossPath = path;
}

// Whose model upcasts its logits; a compiled step has that in one kernel with the loss.
void upcastEagerLogits(const RowTexts &, RunConfig &c, ModelSpec &)
{
    if (c.framework == Framework::PytorchEager)
        takeLoss(c, LossPath::Upcast);
}

// torchtitan as it was on the day of a commit.
void applyTorchtitan(const RowTexts &row, RunConfig &c, ModelSpec &model)
{
    const int date = dateOf(row.source) > 0 ? dateOf(row.source) : dateOf(row.notes);
    constexpr int kFirstCompiledLoss = 20241001, kTurnsLossOff = 20241201;
    constexpr int kCompilesLoss = 20250320, kFirstList = 20240401, kDropsLogits = 20240611, kFusesNorms = 20250801,
                  kPrefersCudnn = 20251001, kTracesGraphs = 20260101, kBranchWithNorms = 20250908;
    // The first loop held the logits, which its model had upcast, until backward had ended.
    if (c.lossPath == LossPath::Auto && date > 0 && date < kDropsLogits)
        c.lossPath = LossPath::UpcastHeld;
    // Until then its compiled blocks left the loss to eager code, but in the autumn of 2024, until that caused errors
    // (its train.py as recalled; the float8 row of 25 November has no room for eager logits).
    const bool compiledOnce = date >= kFirstCompiledLoss && date < kTurnsLossOff;
    if (c.lossPath == LossPath::Auto && c.framework == Framework::PytorchCompile && date > 0 && date < kCompilesLoss &&
        !compiledOnce)
        c.lossPath = LossPath::Upcast;
    // March 2024: between full and selective lie 857 MiB of active memory a layer, the list of ops to the MiB (856),
    // not half of the layers.
    if (date > 0 && date < kFirstList && c.recomputes(RecomputeOp::LayerAlternate))
        checkpointOps(c, model);
    if (c.sharder == Sharder::Auto)
        c.sharder = c.framework == Framework::PytorchEager && c.parallel.tp > 1 && date >= kTracesGraphs
                        ? Sharder::Simple
                        : Sharder::Fsdp2;
    if (c.attentionKernel == AttentionKernel::Auto && date >= kPrefersCudnn)
        c.attentionKernel = AttentionKernel::Cudnn; // first of the backends that its attention module names
    // It runs on nightlies, months ahead of the release of the day: rms_norm's kernel is of July 2025.
    c.torch = c.framework == Framework::PytorchEager && date >= kFusesNorms && date < kBranchWithNorms
                  ? "2.9"
                  : nightlyOf(date);
    upcastEagerLogits(row, c, model);
}

// vTrain's table of one node says "full", as its configurations for many nodes do. Its steps add up, within 0.1 %, from
// times of a layer, the head and the optimizer; 8,192 tokens take 15.7 ms in a layer of hidden 2,048, of which the
// GEMMs of four passes would need 13.2 at the best rate that an A100 was benchmarked with, and soft-max over scores
// in memory 4: no layer ran twice. Its head takes four times as long on one rank as on two: there the 50,257 words were
// not filled up.
void applyVTrainsNode(const RowTexts &, RunConfig &c, ModelSpec &)
{
    if (c.recompute == Recompute::Full)
        c.recompute = Recompute::Selective;
    c.sequenceParallel = false; // a fork of the year before that came
    if (c.parallel.tp == 1)
        c.vocabMultiple = 1;
}

// llm.c keeps all layers' scores beside the logits where it is built without cuDNN, and prints what a sequence's
// activations take: with less than these it was built with it, whatever a reader took from the log.
void applyLlmC(const RowTexts &row, RunConfig &c, ModelSpec &model)
{
    c.gradientType = GradientType::Half;
    c.lossPath = LossPath::InPlace;
    c.dropout = false;
    if (c.attentionKernel == AttentionKernel::Auto)
        c.attentionKernel = AttentionKernel::Cudnn; // its only fused one
    const Bytes tokens = c.seqLen, scores = tokens * tokens * model.attention.heads * model.layers * 2,
                logits = tokens * model.vocab * 2;
    if (const auto printed = numberBefore(row.notes, " mib per sequence"); printed && *printed * kMiB < scores + logits)
        c.attention = Attention::Flash;
}

void applyNanoGpt(const RowTexts &row, RunConfig &c, ModelSpec &model)
{
    upcastEagerLogits(row, c, model);
    // Its readme's four days, and logs of which nobody knows, are, as we recall, of January 2023, before its model
    // called scaled_dot_product_attention, and before it had 50,304 words, which made it a quarter faster (3 February).
    if (has(row.notes, "about 4 days") || has(row.notes, "sdpa not stated")) {
        c.attention = Attention::Vanilla;
        model.vocab = model.vocab == 50'304 ? 50'257 : model.vocab;
    }
}

void applyFoundry(const RowTexts &, RunConfig &c, ModelSpec &)
{
    if (c.torchVersion() >= 200)
        takeLoss(
            c, LossPath::Compiled); // flash-attn's cross-entropy, its default since: a kernel each way over half logits
    c.trainMetrics = true;          // its model names two for training
}

// tp_comm_overlap and ub_tp_comm_overlap of NVIDIA's recipes; Megatron-LM's own flag is off.
void overlapRecipes(const RowTexts &, RunConfig &c, ModelSpec &)
{
    c.tpOverlap = c.framework == Framework::Megatron && c.parallel.tp > 1;
}

void traceWithXla(const RowTexts &row, RunConfig &c, ModelSpec &)
{
    c.framework = Framework::PytorchCompile;
    c.sharder = Sharder::Traced;
    if (has(row.source, "dgxc-benchmarking"))
        c.attentionKernel = AttentionKernel::Cudnn; // NVIDIA's containers fuse it on Hopper
    else
        c.attention = Attention::Vanilla;
}

void applyNemoRecipes(const RowTexts &, RunConfig &c, ModelSpec &)
{
    c.gradientType = GradientType::Half; // summed and reduced in bf16 since 24.09
    if (c.framework == Framework::Megatron)
        takeLoss(c, LossPath::ParallelFused); // cross_entropy_loss_fusion is on in NeMo's models (nemo-toolkit 2.2,
                                              // gpt/model/base.py)
}

// Its DeepSpeedStrategy's default (1.4.9 to 2.6).
void bucketAsLightning(const RowTexts &, RunConfig &c, ModelSpec &)
{
    if (c.sharder == Sharder::DeepSpeed)
        c.reduceBucket = 200'000'000;
}

void applyLightning(const RowTexts &row, RunConfig &c, ModelSpec &model)
{
    bucketAsLightning(row, c, model);
    c.autocast = true;
    if (!has(row.model, "mingpt"))
        return;
    model.dropout = model.attention.splitQkv = true; // its defaults; under fairscale's FSDP of 2021
    c.torch = c.torch.empty() ? "1.9" : c.torch;
}

// The loss is a module of its own: nobody holds the logits.
void applyColossalAi(const RowTexts &, RunConfig &c, ModelSpec &)
{
    takeLoss(c, c.shardsHalfModel() ? LossPath::Bf16Released : LossPath::Upcast);
}

// Their loss is eager, and gradients are added up in fp32.
void applyNanotron(const RowTexts &, RunConfig &c, ModelSpec &)
{
    if (!c.fusedKernels)
        return;
    c.gradientType = c.gradientType == GradientType::Auto ? GradientType::Fp32 : c.gradientType;
    takeLoss(c, LossPath::Upcast);
}

// Their functional norms have no weights, either; the plan has some. Their scripts begin by asking for segments that
// grow, as recalled. (The record that modded-nanogpt began with is llm.c's.)
void applySpeedruns(const RowTexts &, RunConfig &c, ModelSpec &model)
{
    if (model.mlp.gated || c.framework == Framework::Megatron)
        return;
    c.expandableSegments = true;
    useSquaredRelu(c, model);
    useRmsNorm(c, model);
}

// GPT-2 as its published configuration has it; DeepSpeed's half model takes the loss of half logits.
void applyTransformersGpt2(const RowTexts &, RunConfig &c, ModelSpec &model)
{
    if (model.mlp.gated)
        return;
    model.mlp.byParts = model.dropout = true;
    if (c.shardsHalfModel())
        takeLoss(c, LossPath::Bf16);
}

// GPT-NeoX of 2021 to 2023 lays queries, keys and values out anew for flash-attn, and back what comes out, as we recall
// it.
void applyNeoX(const RowTexts &, RunConfig &c, ModelSpec &)
{
    if (c.framework != Framework::Megatron)
        return;
    c.torch = c.torch.empty() ? "1.12" : c.torch;
    c.unpadAttention = true;
}

struct Trainer {
    std::string_view source, notes, model; // words that name it there; empty: does not stand there
    std::string_view torch = {};           // the PyTorch that it ran where a row tells none
    bool ownAdamW = false;                 // as applyTrainers says
    void (*apply)(const RowTexts &, RunConfig &, ModelSpec &) = [](const RowTexts &, RunConfig &, ModelSpec &) {};

    [[nodiscard]] bool names(const RowTexts &row) const
    {
        return (!source.empty() && has(row.source, source)) || (!notes.empty() && has(row.notes, notes)) ||
               (!model.empty() && has(row.model, model));
    }
};

// In this order: a later one counts over an earlier one. torchtune's 2.4 repeats keys and values, too; llm-foundry's
// tables of MPT models are of 2023, whose releases (0.1 to 0.4, setup.py) take PyTorch 1.13 to 2.1; bigscience's
// modules are of 2021, ColossalAI's tables of 2022.
constexpr std::array kTrainers{
    Trainer{.source = "torchtitan", .ownAdamW = true, .apply = applyTorchtitan},
    Trainer{.source = "torchtune",
        .torch = "2.4",
        .ownAdamW = true,
        .apply = [](const RowTexts &, RunConfig &c, ModelSpec &) { takeLoss(c, LossPath::Upcast); }},
    Trainer{.source = "nanoGPT", .torch = "2.0", .ownAdamW = true, .apply = applyNanoGpt},
    Trainer{.source = "llm-foundry", .torch = "2.0", .ownAdamW = true, .apply = applyFoundry},
    Trainer{.source = "ground_truth_single", .apply = applyVTrainsNode},
    Trainer{.source = "NVIDIA/", .apply = overlapRecipes},
    Trainer{.source = "NeMo", .notes = "nemo ", .apply = overlapRecipes},
    Trainer{.source = "openxla", .notes = "(xla)", .apply = traceWithXla},
    Trainer{.source = "dgxc-benchmarking", .apply = applyNemoRecipes},
    Trainer{.source = "llm.c", .notes = "llm.c", .apply = applyLlmC},
    Trainer{.source = "lightning", .apply = bucketAsLightning},
    Trainer{.source = "ColossalAI", .torch = "1.12", .apply = applyColossalAi},
    Trainer{.source = "nanotron", .notes = "nanotron", .apply = applyNanotron},
    Trainer{.source = "picotron", .notes = "picotron", .apply = applyNanotron},
    Trainer{.source = "modded-nanogpt", .apply = applySpeedruns},
    Trainer{.source = "nanochat", .apply = applySpeedruns},
    Trainer{.model = "(hf)", .apply = applyTransformersGpt2},
    Trainer{.source = "bigscience", .torch = "1.9"},
    Trainer{.notes = "neox", .model = "pythia", .apply = applyNeoX},
    Trainer{.source = "Lightning", .ownAdamW = true, .apply = applyLightning},
};

} // namespace

bool applyTrainers(const RowTexts &row, RunConfig &config, ModelSpec &model)
{
    bool ownAdamW = false;
    for (const Trainer &trainer : kTrainers) {
        if (!trainer.names(row))
            continue;
        if (config.torch.empty())
            config.torch = trainer.torch;
        trainer.apply(row, config, model);
        ownAdamW = ownAdamW || trainer.ownAdamW;
    }
    return ownAdamW;
}

} // namespace slipway
