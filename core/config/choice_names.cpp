// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/choice_names.h"

#include <algorithm>
#include <array>

namespace slipway {

namespace {

struct ChoiceName {
    std::string_view setting; // empty: of every setting
    std::string_view value, name;
};

// Types such as "bf16" and "fp32" are their own names.
constexpr std::array kNames{
    ChoiceName{"", "none", "None"},
    ChoiceName{"", "ddp", "DDP"},
    ChoiceName{"", "fsdp-full", "FSDP, full shard"},
    ChoiceName{"", "fsdp-grad-op", "FSDP, grad + op"},
    ChoiceName{"", "hsdp", "HSDP"},
    ChoiceName{"", "zero1", "ZeRO-1"},
    ChoiceName{"", "flash", "Flash"},
    ChoiceName{"", "vanilla", "Vanilla"},
    ChoiceName{"", "selective", "Selective"},
    ChoiceName{"", "full", "Full"},
    ChoiceName{"", "bf16-mixed", "bf16 mixed"},
    ChoiceName{"", "fp16-mixed", "fp16 mixed"},
    ChoiceName{"", "fp8-mixed", "fp8 mixed"},
    ChoiceName{"", "slipway", "Slipway"},
    ChoiceName{"", "pytorch-eager", "PyTorch eager"},
    ChoiceName{"", "pytorch-compile", "PyTorch compiled"},
    ChoiceName{"", "megatron", "Megatron"},
    ChoiceName{"", "auto", "Automatic"},
    ChoiceName{"", "grouped", "Grouped"},
    ChoiceName{"", "loop", "Loop"},
    ChoiceName{"lora_targets", "linear", "All matrices"},
    ChoiceName{"lora_targets", "attention", "Attention"},
    ChoiceName{"lora_targets", "query-value", "Query and value"},
    ChoiceName{"frozen_weights", "whole", "As computed"},
    ChoiceName{"", "nf4", "NF4"},
    ChoiceName{"", "gpipe", "GPipe"},
    ChoiceName{"", "1f1b", "1F1B"},
    ChoiceName{"", "interleaved", "Interleaved"},
    ChoiceName{"", "zero-bubble", "Zero bubble"},
    ChoiceName{"", "ring", "Ring"},
    ChoiceName{"", "all-to-all", "All-to-all"},
    ChoiceName{"", "gather", "All-gather"},
    ChoiceName{"", "flash-1", "FlashAttention-1"},
    ChoiceName{"", "flash-2", "FlashAttention-2"},
    ChoiceName{"", "flash-3", "FlashAttention-3"},
    ChoiceName{"", "cudnn", "cuDNN"},
    ChoiceName{"", "efficient", "Memory-efficient"},
    ChoiceName{"grad_reduce", "micro-batch", "Each micro-batch"},
    ChoiceName{"grad_reduce", "step", "Once per step"},
    ChoiceName{"", "adamw", "AdamW"},
    ChoiceName{"", "adamw-foreach", "AdamW, multi-tensor"},
    ChoiceName{"", "adamw-8bit", "AdamW, 8-bit"},
    ChoiceName{"", "adamw-paged", "AdamW, paged"},
    ChoiceName{"", "adamw-8bit-paged", "AdamW, 8-bit, paged"},
    ChoiceName{"", "adafactor", "Adafactor"},
    ChoiceName{"", "lion", "Lion"},
    ChoiceName{"", "sgd", "SGD"},
    ChoiceName{"", "muon", "Muon"},
    ChoiceName{"", "fsdp1", "FSDP1"},
    ChoiceName{"", "fsdp2", "FSDP2"},
    ChoiceName{"", "deepspeed", "DeepSpeed"},
    ChoiceName{"", "gemini", "Gemini"},
    ChoiceName{"sharder", "traced", "Traced graph"},
    ChoiceName{"sharder", "simple", "SimpleFSDP"},
    ChoiceName{"", "half", "Half precision"},
    ChoiceName{"fp8_scales", "tensor", "Per tensor"},
    ChoiceName{"fp8_scales", "row", "Per row"},
    ChoiceName{"gemm_epilogues", "bias", "Gradients of biases"},
    ChoiceName{"gemm_epilogues", "activation", "Biases and activation"},
    ChoiceName{"loss_path", "hf", "Transformers"},
    ChoiceName{"loss_path", "upcast", "Converted to fp32"},
    ChoiceName{"loss_path", "chunked", "In chunks"},
    ChoiceName{"loss_path", "fused", "Fused"},
    ChoiceName{"loss_path", "compiled", "Compiled"},
    ChoiceName{"loss_path", "parallel", "Vocabulary-parallel"},
    ChoiceName{"loss_path", "in-place", "In place"},
    ChoiceName{"logits_copy", "before-upcast", "Before the conversion"},
    ChoiceName{"logits_copy", "after-upcast", "After the conversion"},
    ChoiceName{"logits_copy", "in-loss", "In the loss"},
    ChoiceName{"host_offload", "optimizer", "Optimizer states"},
    ChoiceName{"host_offload", "weights", "Weights and optimizer states"},
    ChoiceName{"", "packed", "Packed"},
    ChoiceName{"documents", "apart", "Separate"},
    ChoiceName{"schedule", "cosine", "Cosine"},
    ChoiceName{"schedule", "linear", "Linear"},
    ChoiceName{"schedule", "constant", "Constant"},
    ChoiceName{"schedule", "wsd", "WSD"},
    ChoiceName{"schedule", "inverse-sqrt", "Inverse square root"},
    ChoiceName{"", "cuda", "CUDA"},
    ChoiceName{"", "cpu", "CPU"},
    ChoiceName{"", "nccl", "NCCL"},
    ChoiceName{"", "gloo", "Gloo"},
    ChoiceName{"communicator", "threads", "Threads"},
    ChoiceName{"loss_path", "bf16-released", "bf16, freed early"},
    ChoiceName{"loss_path", "upcast-held", "Converted to fp32, kept"},
    ChoiceName{"loss_path", "parallel-fused", "Vocabulary-parallel, fused"},
    ChoiceName{"loss_path", "parallel-copied", "Vocabulary-parallel, copied"},
    ChoiceName{"loss_path", "compiled-output", "Compiled, with logits"},
    ChoiceName{"loss_path", "compiled-whole", "Compiled, loss only"},
};

} // namespace

std::string choiceName(std::string_view setting, std::string_view value)
{
    const auto found = std::find_if(kNames.begin(), kNames.end(),
        [&](const ChoiceName &one) { return one.value == value && (one.setting.empty() || one.setting == setting); });
    return std::string(found == kNames.end() ? value : found->name);
}

std::vector<std::string_view> choiceNames()
{
    std::vector<std::string_view> names;
    for (const ChoiceName &one : kNames)
        names.push_back(one.name);
    return names;
}

} // namespace slipway
