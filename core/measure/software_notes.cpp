// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/software_notes.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "config/pipeline_layers.h"
#include "measure/known_trainers.h"
#include "measure/note_text.h"
#include "measure/software_dates.h"
#include "measure/software_switches.h"

namespace slipway {

namespace {

struct Phrase {
    std::string_view words; // lower case, anywhere in the note
    std::string_view says;  // for the list of assumptions
    void (*apply)(RunConfig &, ModelSpec &);
};

void checkpointAlternateLayers(RunConfig &c, ModelSpec &)
{
    if (selective(c))
        c.recomputeOps = {"layer-alternate"};
}

// Megatron-DeepSpeed's plan knows its engine of half floats by their precision and its first stage; that of bf16 is
// told.
void shardsWithDeepSpeed(RunConfig &c, ModelSpec &)
{
    if (c.framework != Framework::Megatron || c.precision == Precision::Bf16Mixed)
        c.sharder = Sharder::DeepSpeed;
}

// Its trainer lets go of the model's output, logits and all, before backward, and runs FSDP under autocast
// (Accelerate).
void trainWithTransformers(RunConfig &c, ModelSpec &)
{
    if (c.framework != Framework::PytorchEager)
        return;
    c.autocast = true;
    if (c.lossPath == LossPath::Auto)
        c.lossPath = LossPath::Upcast;
}

template<AttentionKernel kernel>
void useKernel(RunConfig &c, ModelSpec &)
{
    c.attentionKernel = kernel;
}

template<bool grow>
void growSegments(RunConfig &c, ModelSpec &)
{
    c.expandableSegments = grow;
}

// PyTorch's tensor parallelism has no such choice.
template<bool splits>
void splitSequence(RunConfig &c, ModelSpec &)
{
    if (c.framework == Framework::Megatron && c.parallel.tp > 1)
        c.sequenceParallel = splits;
}

void offloadOptimizer(RunConfig &c, ModelSpec &) { c.hostOffload = HostOffload::Optimizer; }

// Liger's takes the head's GEMM as well; TransformerEngine's is another.
void fuseLinearLoss(RunConfig &c, ModelSpec &)
{
    if (c.framework != Framework::Megatron && c.lossPath == LossPath::Auto)
        c.lossPath = LossPath::Fused;
}

void overlapTensorParallel(RunConfig &c, ModelSpec &)
{
    c.tpOverlap = c.framework == Framework::Megatron && c.parallel.tp > 1;
}

// In this order: a later phrase counts over an earlier one.
constexpr std::array kPhrases{
    // torchtitan's selective modes: a list of ops whose outputs are kept, or every n-th layer.
    Phrase{"sac", "recompute_ops: all but attention and every other GEMM", checkpointOps},
    Phrase{"ac every 2nd layer", "recompute_ops: every second layer", checkpointAlternateLayers},
    Phrase{"saves matmul outputs", "recompute_ops: all but GEMMs",
        [](RunConfig &c, ModelSpec &) {
            if (selective(c))
                c.recomputeOps = {"norm", "activation", "rope", "attention"};
        }},
    Phrase{"character-level", "vocab 96: characters", [](RunConfig &, ModelSpec &m) { m.vocab = 96; }},
    Phrase{"qk-norm", "qk_norm head", [](RunConfig &, ModelSpec &m) { m.attention.qkNorm = QkNorm::Head; }},
    Phrase{"relu^2", "squared ReLU, no biases", useSquaredRelu},
    Phrase{"relu2", "squared ReLU, no biases", useSquaredRelu},
    Phrase{"squared relu", "squared ReLU, no biases", useSquaredRelu},
    Phrase{"no biases", "no biases", removeBiases},
    Phrase{"bias=false", "no biases", removeBiases},
    Phrase{"rmsnorm", "norm rmsnorm", useRmsNorm},
    Phrase{"gelu recompute", "recompute_ops: activation",
        [](RunConfig &c, ModelSpec &) {
            if (selective(c))
                c.recomputeOps = {"activation"};
        }},
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
    Phrase{"fused=false", "optimizer adamw-foreach",
        [](RunConfig &c, ModelSpec &) { c.optimizer = OptimizerKind::AdamWForeach; }},
    // torchtune's flags, each row with those before it.
    Phrase{"(+chunked cross entropy)", "loss_path chunked",
        [](RunConfig &c, ModelSpec &) { c.lossPath = LossPath::Chunked; }},
    Phrase{"(+activation checkpointing)", "loss_path chunked",
        [](RunConfig &c, ModelSpec &) { c.lossPath = LossPath::Chunked; }},
    Phrase{"(+optimizer in backward)", "loss_path chunked, optimizer_in_backward",
        [](RunConfig &c, ModelSpec &) {
            c.lossPath = LossPath::Chunked;
            c.optimizerInBackward = true;
        }},
    Phrase{"(+activation offloading)", "loss_path chunked, optimizer_in_backward, offload_activations",
        [](RunConfig &c, ModelSpec &) {
            c.lossPath = LossPath::Chunked;
            c.optimizerInBackward = c.offloadActivations = true;
        }},
    Phrase{"(+8-bit adamw)", "loss_path chunked, optimizer_in_backward, offload_activations",
        [](RunConfig &c, ModelSpec &) {
            c.lossPath = LossPath::Chunked;
            c.optimizerInBackward = c.offloadActivations = true;
        }},
    Phrase{"sequence parallel", "sequence_parallel", splitSequence<true>},
    Phrase{"no sequence parallel", "sequence_parallel false", splitSequence<false>},
    Phrase{"without sequence parallel", "sequence_parallel false", splitSequence<false>},
    Phrase{"tp-comm-overlap", "tp_overlap", overlapTensorParallel},
    Phrase{"tp_comm_overlap", "tp_overlap", overlapTensorParallel},
    // MPT's flash path takes a padding mask, and its trainer holds the logits until the next micro-batch has its own.
    Phrase{"attn_impl flash", "unpad_attention", [](RunConfig &c, ModelSpec &) { c.unpadAttention = true; }},
    Phrase{"mixed_precision=pure", "gather_type half",
        [](RunConfig &c, ModelSpec &) { c.gatherType = GradientType::Half; }},
    Phrase{"without wrap policy", "wrap_layers false", [](RunConfig &c, ModelSpec &) { c.wrapLayers = false; }},
    Phrase{"no wrap policy", "wrap_layers false", [](RunConfig &c, ModelSpec &) { c.wrapLayers = false; }},
    Phrase{"comm overlap off", "overlap_reduce false",
        [](RunConfig &c, ModelSpec &) { c.overlapReduce = c.tpOverlap = false; }},
    Phrase{"ulysses", "context_exchange all-to-all",
        [](RunConfig &c, ModelSpec &) { c.contextExchange = ContextExchange::AllToAll; }},
    Phrase{"cp is all-to-all", "context_exchange all-to-all",
        [](RunConfig &c, ModelSpec &) { c.contextExchange = ContextExchange::AllToAll; }},
    Phrase{"optimizer states offloaded", "host_offload optimizer", offloadOptimizer},
    Phrase{"optimizer offload", "host_offload optimizer", offloadOptimizer},
    Phrase{"offload_optimizer", "host_offload optimizer", offloadOptimizer},
    Phrase{"zero-offload", "host_offload optimizer", offloadOptimizer},
    Phrase{"fused cross entropy", "loss_path fused", fuseLinearLoss},
    Phrase{"fused linear cross entropy", "loss_path fused", fuseLinearLoss},
    Phrase{"expandable_segments", "expandable_segments", growSegments<true>},
    Phrase{"expandable segments", "expandable_segments", growSegments<true>},
    Phrase{"expandable_segments:false", "expandable_segments false", growSegments<false>},
    Phrase{"without expandable_segments", "expandable_segments false", growSegments<false>},
    Phrase{"without expandable segments", "expandable_segments false", growSegments<false>},
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

// "torch 1.12.1" and "pytorch 2.1", else by the first date "(2023-02" of the note.
std::string torchVersion(std::string_view notes, bool byDate)
{
    for (std::size_t at = notes.find("torch "); at != std::string_view::npos; at = notes.find("torch ", at + 1)) {
        const std::string_view rest = notes.substr(at + 6);
        const std::string_view version = rest.substr(0, std::min(rest.size(), rest.find_first_not_of("0123456789.")));
        if (version.size() >= 3 && (version.starts_with("1.") || version.starts_with("2.")))
            return std::string(version);
    }
    return byDate ? torchOf(dateOf(notes)) : std::string();
}

// "Selective" in PyTorch is torchtitan's list where nobody says more: running flash attention again, as Megatron-LM's
// selective mode does with scores, would free next to nothing.
bool checkpointsUsualOps(const RunConfig &c)
{
    const bool plainPytorch =
        c.framework == Framework::PytorchCompile || (c.framework == Framework::PytorchEager && !c.fusedKernels);
    return plainPytorch && selective(c) && c.recomputeOps.empty() && c.attention == Attention::Flash;
}

// What the source's own training code does, then what its date says.
void applySource(const RowTexts &row, RunConfig &c, ModelSpec &model)
{
    const bool ownAdamW = applyTrainers(row, c, model);
    if (c.torch.empty())
        c.torch = torchOf(dateOf(row.source) > 0 ? dateOf(row.source) : dateOfPaper(row.source));
    if (c.torch.empty() && has(row.notes, "megatron-deepspeed"))
        c.torch = "1.13"; // trained in 2021 to 2023
    if (c.optimizer == OptimizerKind::AdamWForeach && !has(row.notes, "fused=false") &&
        (ownAdamW || c.torchVersion() < 200 || c.shardsHalfModel()))
        c.optimizer = OptimizerKind::AdamW;
}

} // namespace

std::vector<std::string> applySoftwareNotes(
    std::string_view source, std::string_view notes, RunConfig &config, ModelSpec &model, bool hasProfile)
{
    std::vector<std::string> taken;
    const std::string lower = toLower(notes);
    for (const Phrase &phrase : kPhrases) {
        if (!has(lower, phrase.words))
            continue;
        const RunConfig before = config;
        const ModelSpec spec = model;
        phrase.apply(config, model);
        if (!(config == before) || !(model == spec)) // not everything is said to everybody
            taken.push_back(std::string(phrase.says) + " (note)");
    }
    if (const std::string torch = torchVersion(lower, !hasProfile); !torch.empty())
        config.torch = torch;
    if (const auto dim = numberRightAfter(notes, "head_dim ")) {
        model.attention.headDim = *dim;
        taken.push_back("head_dim " + std::to_string(*dim) + " (note)");
    }
    Parallelism interleaved = config.parallel;
    const auto parts = numberRightAfter(notes, "VP=");
    interleaved.virtualStages = parts.value_or(1);
    if (parts && config.parallel.pp > 1 && partsDivide(interleaved, model.layers)) {
        config.parallel = interleaved;
        taken.push_back("virtual_stages " + std::to_string(*parts) + " (note)");
    }
    const Recompute recompute = config.recompute;
    const Attention attention = config.attention;
    if (!hasProfile)
        applySource({.source = source, .notes = lower, .model = toLower(model.name)}, config, model);
    if (config.recompute != recompute)
        taken.push_back("recompute " + std::string(enumName(config.recompute)) + " (source)");
    if (config.attention != attention)
        taken.push_back("attention " + std::string(enumName(config.attention)) + " (source)");
    if (checkpointsUsualOps(config)) {
        checkpointOps(config, model);
        taken.push_back("recompute_ops: all but attention and every other GEMM");
    }
    return taken;
}

bool fromWholeRun(std::string_view notes)
{
    const std::string text = toLower(notes);
    return has(text, "gpu hours") || has(text, "gpu-hours") ||
           (has(text, "derived") && (has(text, " hours") || has(text, " days")));
}

bool timesPassesOnly(std::string_view notes)
{
    constexpr std::array<std::string_view, 10> kWords{"forward and backward alone", "forward and backward only",
        "forward + backward only", "forward+backward only", "fwd+bwd only", "fwd + bwd only", "no optimizer step",
        "without optimizer step", "without the optimizer step", "optimizer not timed"};
    const std::string text = toLower(notes);
    return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view words) { return has(text, words); });
}

} // namespace slipway
