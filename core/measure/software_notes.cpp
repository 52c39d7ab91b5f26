// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/software_notes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/text.h"
#include "measure/note_numbers.h"

namespace slipway {

namespace {

struct Phrase {
    std::string_view words; // lower case, anywhere in the note
    std::string_view says;  // for the list of assumptions
    void (*apply)(RunConfig &, ModelSpec &);
};

bool selective(const RunConfig &c) { return c.recompute == Recompute::Selective; }

void checkpointOps(RunConfig &c, ModelSpec &)
{
    if (selective(c))
        c.recomputeOps = {"norm", "activation", "rope", "linear-alternate"};
}
void checkpointAlternateLayers(RunConfig &c, ModelSpec &)
{
    if (selective(c))
        c.recomputeOps = {"layer-alternate"};
}

// Megatron-DeepSpeed's plan knows its engine of half floats by their precision and its first stage; that of bf16 is told.
void shardsWithDeepSpeed(RunConfig &c, ModelSpec &)
{
    if (c.framework != Framework::Megatron || c.precision == Precision::Bf16Mixed)
        c.sharder = Sharder::DeepSpeed;
}

// Its trainer lets go of the model's output, logits and all, before backward, and runs FSDP under autocast (Accelerate).
void trainWithTransformers(RunConfig &c, ModelSpec &)
{
    if (c.framework != Framework::PytorchEager)
        return;
    c.autocast = true;
    if (c.lossPath == LossPath::Auto)
        c.lossPath = LossPath::Upcast;
}

template<AttentionKernel kernel>
void useKernel(RunConfig &c, ModelSpec &) { c.attentionKernel = kernel; }

// PyTorch's tensor parallelism has no such choice.
template<bool splits>
void splitSequence(RunConfig &c, ModelSpec &)
{
    if (c.framework == Framework::Megatron && c.parallel.tp > 1)
        c.sequenceParallel = splits;
}

void dropBiases(RunConfig &, ModelSpec &m) { m.qkvBias = m.attentionOutBias = m.mlpBias = false; }

// Whoever squares a ReLU came after biases: Nemotron, modded-nanogpt.
void squareRelu(RunConfig &c, ModelSpec &m)
{
    if (m.mlp != Mlp::Gelu)
        return;
    m.relu = true;
    dropBiases(c, m);
}

void normByRootMeanSquare(RunConfig &, ModelSpec &m)
{
    m.norm = Norm::RmsNorm;
    m.normBias = false;
}

void overlapTensorParallel(RunConfig &c, ModelSpec &) { c.tpOverlap = c.framework == Framework::Megatron && c.parallel.tp > 1; }

// In this order: a later phrase counts over an earlier one.
constexpr std::array kPhrases{
    // torchtitan's selective modes: a list of ops whose outputs are kept, or every n-th layer.
    Phrase{"sac", "recompute_ops: all but attention and every first of two products", checkpointOps},
    Phrase{"ac every 2nd layer", "recompute_ops: every second layer", checkpointAlternateLayers},
    Phrase{"saves matmul outputs", "recompute_ops: all but products", [](RunConfig &c, ModelSpec &) { if (selective(c)) c.recomputeOps = {"norm", "activation", "rope", "attention"}; }},
    Phrase{"character-level", "vocab 96: characters", [](RunConfig &, ModelSpec &m) { m.vocab = 96; }},
    Phrase{"qk-norm", "qk_norm head", [](RunConfig &, ModelSpec &m) { m.qkNorm = QkNorm::Head; }},
    Phrase{"relu^2", "squared ReLU, no biases", squareRelu},
    Phrase{"relu2", "squared ReLU, no biases", squareRelu},
    Phrase{"squared relu", "squared ReLU, no biases", squareRelu},
    Phrase{"no biases", "no biases", dropBiases},
    Phrase{"bias=false", "no biases", dropBiases},
    Phrase{"rmsnorm", "norm rmsnorm", normByRootMeanSquare},
    Phrase{"gelu recompute", "recompute_ops: activation", [](RunConfig &c, ModelSpec &) { if (selective(c)) c.recomputeOps = {"activation"}; }},
    Phrase{"fsdp1", "sharder fsdp1", [](RunConfig &c, ModelSpec &) { c.sharder = Sharder::Fsdp1; }},
    Phrase{"fsdp2", "sharder fsdp2", [](RunConfig &c, ModelSpec &) { c.sharder = Sharder::Fsdp2; }},
    Phrase{"simplefsdp", "sharder simple", [](RunConfig &c, ModelSpec &) { c.sharder = Sharder::Simple; }},
    Phrase{"deepspeed zero", "sharder deepspeed", shardsWithDeepSpeed},
    Phrase{"deepspeed stage", "sharder deepspeed", shardsWithDeepSpeed},
    Phrase{"megatron-deepspeed", "sharder deepspeed", shardsWithDeepSpeed},
    Phrase{"gemini", "sharder gemini", [](RunConfig &c, ModelSpec &) { c.sharder = Sharder::Gemini; }},
    Phrase{"hf trainer", "loss_path upcast, autocast", trainWithTransformers},
    Phrase{"transformers trainer", "loss_path upcast, autocast", trainWithTransformers},
    Phrase{"hugging face trainer", "loss_path upcast, autocast", trainWithTransformers},
    Phrase{"sfttrainer", "loss_path upcast, autocast", trainWithTransformers},
    Phrase{"llama-factory", "loss_path upcast, autocast", trainWithTransformers},
    Phrase{"rowwise", "fp8_scales row", [](RunConfig &c, ModelSpec &) { c.fp8Scales = Fp8Scales::Row; }},
    Phrase{"fused=false", "optimizer adamw-foreach", [](RunConfig &c, ModelSpec &) { c.optimizer = OptimizerKind::AdamWForeach; }},
    // torchtune's flags, each row with those before it.
    Phrase{"(+chunked cross entropy)", "loss_path chunked", [](RunConfig &c, ModelSpec &) { c.lossPath = LossPath::Chunked; }},
    Phrase{"(+activation checkpointing)", "loss_path chunked", [](RunConfig &c, ModelSpec &) { c.lossPath = LossPath::Chunked; }},
    Phrase{"(+optimizer in backward)", "loss_path chunked, optimizer_in_backward", [](RunConfig &c, ModelSpec &) { c.lossPath = LossPath::Chunked; c.optimizerInBackward = true; }},
    Phrase{"(+activation offloading)", "loss_path chunked, optimizer_in_backward, offload_activations",
           [](RunConfig &c, ModelSpec &) { c.lossPath = LossPath::Chunked; c.optimizerInBackward = c.offloadActivations = true; }},
    Phrase{"(+8-bit adamw)", "loss_path chunked, optimizer_in_backward, offload_activations",
           [](RunConfig &c, ModelSpec &) { c.lossPath = LossPath::Chunked; c.optimizerInBackward = c.offloadActivations = true; }},
    Phrase{"sequence parallel", "sequence_parallel", splitSequence<true>},
    Phrase{"no sequence parallel", "sequence_parallel false", splitSequence<false>},
    Phrase{"without sequence parallel", "sequence_parallel false", splitSequence<false>},
    Phrase{"tp-comm-overlap", "tp_overlap", overlapTensorParallel},
    Phrase{"tp_comm_overlap", "tp_overlap", overlapTensorParallel},
    // MPT's flash path takes a padding mask, and its trainer holds the logits until the next micro-batch has its own.
    Phrase{"attn_impl flash", "unpad_attention", [](RunConfig &c, ModelSpec &) { c.unpadAttention = true; }},
    // Kernels by name; FlashAttention's Triton version is its first generation.
    Phrase{"triton", "attention_kernel flash-1", useKernel<AttentionKernel::Flash1>},
    Phrase{"flashattention v1", "attention_kernel flash-1", useKernel<AttentionKernel::Flash1>},
    Phrase{"flashattention v2", "attention_kernel flash-2", useKernel<AttentionKernel::Flash2>},
    Phrase{"flashattention-2", "attention_kernel flash-2", useKernel<AttentionKernel::Flash2>},
    Phrase{"flashattention 2", "attention_kernel flash-2", useKernel<AttentionKernel::Flash2>},
    Phrase{"flash-attn 2", "attention_kernel flash-2", useKernel<AttentionKernel::Flash2>},
    // torchtitan's takes a chunk forward and backward before the next (0.3, components/loss.py), as fused ones do.
    Phrase{"chunked loss", "loss_path fused", [](RunConfig &c, ModelSpec &) { c.lossPath = LossPath::Fused; }},
    Phrase{"loss chunk", "loss_path fused", [](RunConfig &c, ModelSpec &) { c.lossPath = LossPath::Fused; }},
};

// The whole number right after `words`.
std::optional<int> numberRightAfter(std::string_view notes, std::string_view words)
{
    const std::size_t at = notes.find(words);
    if (at == std::string_view::npos)
        return std::nullopt;
    const std::size_t begin = at + words.size();
    const std::size_t end = notes.find_first_not_of("0123456789", begin);
    const auto number = parseInteger(notes.substr(begin, end == std::string_view::npos ? end : end - begin));
    return number && *number > 0 && *number < 4096 ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

// "(2024-11-25)" and "(2025-02)" as 20241125 and 20250200; 0: no date.
int dateOf(std::string_view text)
{
    const std::size_t at = text.find("(20");
    if (at == std::string_view::npos || text.size() < at + 9 || text[at + 5] != '-')
        return 0;
    const auto part = [&](std::size_t from, std::size_t length) { return static_cast<int>(parseInteger(text.substr(at + from, length)).value_or(0)); };
    const int year = part(1, 4), month = part(6, 2);
    return year && month ? year * 10000 + month * 100 + (text[at + 8] == '-' && text.size() > at + 10 ? part(9, 2) : 0) : 0;
}

// "arXiv 2104.04473" and "arXiv:2104.04473" as 20210400; 0: no such name.
int dateOfPaper(std::string_view text)
{
    const std::string lower = toLower(text);
    const std::size_t at = lower.find("arxiv"), begin = at == std::string::npos ? at : lower.find_first_of("0123456789", at);
    if (begin == std::string::npos || begin > at + 10 || lower.find('.', begin) != begin + 4)
        return 0;
    const auto digits = parseInteger(std::string_view(lower).substr(begin, 4));
    return digits && *digits % 100 >= 1 && *digits % 100 <= 12 ? 20'000'000 + static_cast<int>(*digits) * 100 : 0;
}

// A version of PyTorch and the day that it is there from.
struct Dated {
    int from;
    std::string_view version;
};
constexpr std::array kReleases{Dated{20190800, "1.2"}, Dated{20200100, "1.4"}, Dated{20200700, "1.6"}, Dated{20201000, "1.7"}, Dated{20210300, "1.8"}, Dated{20210600, "1.9"}, Dated{20211000, "1.10"}, Dated{20220300, "1.11"},
                               Dated{20220700, "1.12"}, Dated{20221100, "1.13"}, Dated{20230400, "2.0"}, Dated{20231100, "2.1"}, Dated{20240200, "2.2"}, Dated{20240500, "2.3"}, Dated{20240800, "2.4"},
                               Dated{20241100, "2.5"}, Dated{20250200, "2.6"}, Dated{20250500, "2.7"}, Dated{20250800, "2.8"}, Dated{20251100, "2.9"}, Dated{20260200, "2.10"}};
// A release's branch is cut before it.
constexpr std::array kBranches{Dated{20241210, "2.6"}, Dated{20250317, "2.7"}, Dated{20250630, "2.8"}, Dated{20250908, "2.9"}, Dated{20251210, "2.10"}, Dated{20260216, "2.11"}};

// The last one of `list` that is there on a day; empty: none is.
std::string_view lastOf(std::span<const Dated> list, int date)
{
    std::string_view version;
    for (const Dated &dated : list) {
        if (date >= dated.from)
            version = dated.version;
    }
    return version;
}

// The version of PyTorch that was current on a day: what a dated table probably ran on.
std::string torchOf(int date) { return std::string(lastOf(kReleases, date)); }

// What a nightly of PyTorch surely has on a day: all of the version whose branch was cut before.
std::string nightlyOf(int date)
{
    const std::string_view branch = lastOf(kBranches, date);
    return branch.empty() ? torchOf(date) : std::string(branch);
}

// "torch 1.12.1" and "pytorch 2.1", else by the first date "(2023-02" of the note.
std::string torchVersion(std::string_view notes)
{
    for (std::size_t at = notes.find("torch "); at != std::string_view::npos; at = notes.find("torch ", at + 1)) {
        const std::string_view rest = notes.substr(at + 6);
        const std::string_view version = rest.substr(0, std::min(rest.size(), rest.find_first_not_of("0123456789.")));
        if (version.size() >= 3 && (version.starts_with("1.") || version.starts_with("2.")))
            return std::string(version);
    }
    return torchOf(dateOf(notes));
}

// torchtitan as it was on the day of a commit.
void applyTorchtitan(int date, RunConfig &c)
{
    constexpr int kFirstCompiledLoss = 20241001, kTurnsLossOff = 20241201;
    constexpr int kCompilesLoss = 20250320, kFirstList = 20240401, kDropsLogits = 20240611, kFusesNorms = 20250801, kPrefersCudnn = 20251001, kTracesGraphs = 20260101, kBranchWithNorms = 20250908;
    // The first loop held the logits, which its model had upcast, until backward had ended.
    if (c.lossPath == LossPath::Auto && date > 0 && date < kDropsLogits)
        c.lossPath = LossPath::UpcastHeld;
    // Until then its compiled blocks left the loss to eager code, but in the autumn of 2024, until that caused errors (its train.py as recalled;
    // the float8 row of 25 November has no room for eager logits).
    const bool compiledOnce = date >= kFirstCompiledLoss && date < kTurnsLossOff;
    if (c.lossPath == LossPath::Auto && c.framework == Framework::PytorchCompile && date > 0 && date < kCompilesLoss && !compiledOnce)
        c.lossPath = LossPath::Upcast;
    // March 2024: between full and selective lie 857 MiB of active memory a layer, the list of ops to the MiB (856), not half of the layers.
    if (date > 0 && date < kFirstList && c.recomputes(RecomputeOp::LayerAlternate)) {
        ModelSpec none;
        checkpointOps(c, none);
    }
    if (c.sharder == Sharder::Auto)
        c.sharder = c.framework == Framework::PytorchEager && c.parallel.tp > 1 && date >= kTracesGraphs ? Sharder::Simple : Sharder::Fsdp2;
    if (c.attentionKernel == AttentionKernel::Auto && date >= kPrefersCudnn)
        c.attentionKernel = AttentionKernel::Cudnn; // first of the backends that its attention module names
    // It runs on nightlies, months ahead of the release of the day: rms_norm's kernel is of July 2025.
    c.torch = c.framework == Framework::PytorchEager && date >= kFusesNorms && date < kBranchWithNorms ? "2.9" : nightlyOf(date);
}

// vTrain's table of one node says "full", as its configurations for many nodes do. Its steps add up, within 0.1 %, from times of a layer, the
// head and the optimizer; 8,192 tokens take 15.7 ms in a layer of hidden 2,048, of which the products of four passes would need 13.2 at the best
// rate that an A100 was benchmarked with, and soft-max over scores in memory 4: no layer ran twice. Its head takes four times as long on
// one rank as on two: there the 50,257 words were not filled up.
void applyVTrainsNode(RunConfig &c)
{
    if (c.recompute == Recompute::Full)
        c.recompute = Recompute::Selective;
    c.sequenceParallel = false; // a fork of the year before that came
    if (c.parallel.tp == 1)
        c.vocabMultiple = 1;
}

// llm.c keeps all layers' scores beside the logits where it is built without cuDNN, and prints what a sequence's activations take: with
// less than these it was built with it, whatever a reader took from the log.
void applyLlmC(std::string_view notes, RunConfig &c, const ModelSpec &model)
{
    c.gradientType = GradientType::Half;
    c.lossPath = LossPath::InPlace;
    c.dropout = false;
    if (c.attentionKernel == AttentionKernel::Auto)
        c.attentionKernel = AttentionKernel::Cudnn; // its only fused one
    const Bytes tokens = c.seqLen, scores = tokens * tokens * model.heads * model.layers * 2, logits = tokens * model.vocab * 2;
    if (const auto printed = numberBefore(notes, " mib per sequence"); printed && *printed * kMiB < scores + logits)
        c.attention = Attention::Flash;
}

// What a source's own training code does.
void applySource(std::string_view source, std::string_view notes, RunConfig &c, ModelSpec &model)
{
    const auto notesSay = [&](std::string_view words) { return notes.find(words) != std::string_view::npos; };
    const auto from = [&](std::string_view name) { return source.find(name) != std::string_view::npos; };
    if (from("torchtitan"))
        applyTorchtitan(dateOf(source) > 0 ? dateOf(source) : dateOf(notes), c);
    // Their model upcasts the logits; torchtitan's and nanoGPT's compiled step has that in one kernel with the loss.
    if (c.lossPath == LossPath::Auto && (from("torchtune") || c.framework == Framework::PytorchEager) && (from("torchtitan") || from("torchtune") || from("nanoGPT")))
        c.lossPath = LossPath::Upcast;
    // Its tables of MPT models are of 2023, whose releases (llm-foundry 0.1 to 0.4, setup.py) take PyTorch 1.13 to 2.1.
    if (c.torch.empty() && from("llm-foundry"))
        c.torch = "2.0";
    if (c.lossPath == LossPath::Auto && from("llm-foundry") && c.torchVersion() >= 200)
        c.lossPath = LossPath::Compiled; // flash-attn's cross-entropy, its default since: a kernel each way over half logits
    if (from("llm-foundry"))
        c.trainMetrics = true; // its model names two for training
    if (from("ground_truth_single"))
        applyVTrainsNode(c);
    if (from("NVIDIA/") || from("NeMo") || notesSay("nemo "))
        c.tpOverlap = c.framework == Framework::Megatron && c.parallel.tp > 1; // tp_comm_overlap and ub_tp_comm_overlap of its recipes; Megatron-LM's own flag is off
    if (from("dgxc-benchmarking"))
        c.gradientType = GradientType::Half; // NeMo's recipes since 24.09 sum and reduce gradients in bf16
    if (notesSay("(xla)") || from("openxla")) {
        c.framework = Framework::PytorchCompile;
        c.sharder = Sharder::Traced;
        if (from("dgxc-benchmarking"))
            c.attentionKernel = AttentionKernel::Cudnn; // NVIDIA's containers fuse it on Hopper
        else
            c.attention = Attention::Vanilla;
    }
    if (from("dgxc-benchmarking") && c.framework == Framework::Megatron && c.lossPath == LossPath::Auto)
        c.lossPath = LossPath::ParallelFused; // cross_entropy_loss_fusion is on in NeMo's models (nemo-toolkit 2.2, gpt/model/base.py)
    if (from("llm.c") || notesSay("llm.c"))
        applyLlmC(notes, c, model);
    if ((from("Lightning") || from("lightning")) && c.sharder == Sharder::DeepSpeed)
        c.reduceBucket = 200'000'000; // its DeepSpeedStrategy's default (1.4.9 to 2.6)
    if (from("ColossalAI") && c.lossPath == LossPath::Auto) // the loss is a module of its own: nobody holds the logits
        c.lossPath = c.shardsHalfModel() ? LossPath::Bf16Released : LossPath::Upcast;
    // Their loss is eager, and gradients are added up in fp32.
    if (c.fusedKernels && (from("nanotron") || from("picotron") || notesSay("nanotron") || notesSay("picotron"))) {
        c.gradientType = c.gradientType == GradientType::Auto ? GradientType::Fp32 : c.gradientType;
        c.lossPath = c.lossPath == LossPath::Auto ? LossPath::Upcast : c.lossPath;
    }
    // Their functional norms have no weights, either; the plan has some.
    if (model.mlp == Mlp::Gelu && (from("modded-nanogpt") || from("nanochat"))) {
        squareRelu(c, model);
        normByRootMeanSquare(c, model);
    }
    // Transformers' GPT-2 as its published configuration has it; DeepSpeed's half model takes the loss of half logits.
    if (model.mlp == Mlp::Gelu && toLower(model.name).find("(hf)") != std::string::npos) {
        model.geluByParts = model.dropout = true;
        if (c.shardsHalfModel() && c.lossPath == LossPath::Auto)
            c.lossPath = LossPath::Bf16;
    }
    if (c.torch.empty() && from("bigscience"))
        c.torch = "1.9"; // its modules of 2021
    if (c.framework == Framework::Megatron && (notesSay("neox") || toLower(model.name).find("pythia") != std::string::npos)) {
        c.torch = c.torch.empty() ? "1.12" : c.torch; // GPT-NeoX of 2021 to 2023
        c.unpadAttention = true; // it lays queries, keys and values out anew for flash-attn, and back what comes out, as we recall it
    }
    // Its readme's four days, and logs of which nobody knows, are, as we recall, of January 2023, before its model called
    // scaled_dot_product_attention, and before it had 50,304 words, which made it a quarter faster (3 February).
    if (from("nanoGPT") && (notesSay("about 4 days") || notesSay("sdpa not stated"))) {
        c.attention = Attention::Vanilla;
        model.vocab = model.vocab == 50'304 ? 50'257 : model.vocab;
    }
    if (c.torch.empty() && from("nanoGPT"))
        c.torch = "2.0";
    if (c.torch.empty() && from("torchtune"))
        c.torch = "2.4"; // repeats keys and values, too
    if (c.torch.empty() && from("ColossalAI"))
        c.torch = "1.12"; // of 2022
    if (from("Lightning")) {
        c.autocast = true;
        if (toLower(model.name).find("mingpt") != std::string::npos) { // its defaults; under fairscale's FSDP of 2021
            model.dropout = model.splitQkv = true;
            c.torch = c.torch.empty() ? "1.9" : c.torch;
        }
    }
    if (c.torch.empty())
        c.torch = torchOf(dateOf(source) > 0 ? dateOf(source) : dateOfPaper(source));
    if (c.torch.empty() && notesSay("megatron-deepspeed"))
        c.torch = "1.13"; // trained in 2021 to 2023
    // One fused kernel, kernels of their own, or PyTorch before 2.0, which goes tensor by tensor.
    const bool said = notesSay("fused=false");
    if (c.optimizer == OptimizerKind::AdamWForeach && !said && (c.torchVersion() < 200 || from("torchtitan") || from("torchtune") || from("nanoGPT") || from("llm-foundry") || from("Lightning") || c.shardsHalfModel()))
        c.optimizer = OptimizerKind::AdamW;
}

} // namespace

std::vector<std::string> applySoftwareNotes(std::string_view source, std::string_view notes, RunConfig &config, ModelSpec &model)
{
    std::vector<std::string> taken;
    const std::string lower = toLower(notes);
    for (const Phrase &phrase : kPhrases) {
        if (lower.find(phrase.words) == std::string::npos)
            continue;
        const RunConfig before = config;
        const ModelSpec spec = model;
        phrase.apply(config, model);
        if (!(config == before) || !(model == spec)) // not everything is said to everybody
            taken.push_back(std::string(phrase.says) + " (note)");
    }
    if (const std::string torch = torchVersion(lower); !torch.empty())
        config.torch = torch;
    if (const auto dim = numberRightAfter(notes, "head_dim ")) {
        model.headDim = *dim;
        taken.push_back("head_dim " + std::to_string(*dim) + " (note)");
    }
    if (const auto parts = numberRightAfter(notes, "VP="); parts && config.parallel.pp > 1 && model.layers % (config.parallel.pp * *parts) == 0) {
        config.parallel.virtualStages = *parts;
        taken.push_back("virtual_stages " + std::to_string(*parts) + " (note)");
    }
    const Recompute recompute = config.recompute;
    const Attention attention = config.attention;
    applySource(source, lower, config, model);
    if (config.recompute != recompute)
        taken.push_back("recompute " + std::string(enumName(config.recompute)) + " (source)");
    if (config.attention != attention)
        taken.push_back("attention " + std::string(enumName(config.attention)) + " (source)");
    return taken;
}

bool fromWholeRun(std::string_view notes)
{
    const std::string text = toLower(notes);
    const auto says = [&](std::string_view words) { return text.find(words) != std::string::npos; };
    return says("gpu hours") || says("gpu-hours") || (says("derived") && (says(" hours") || says(" days")));
}

} // namespace slipway
