// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What PyTorch, and other software of its time, does only since some version. The versions are data
// (resources/frameworks/engines/torch_changes.yaml), each with its origin.
#pragma once

#include <array>
#include <string_view>

namespace slipway {

// True: as the newest version does it.
struct TorchChanges {
    bool halfGelu = true;           // autocast leaves GELU in 16 bits
    bool keepsSoftmaxOutput = true; // softmax saves only its result for backward
    bool fusedAttention = true;     // scaled_dot_product_attention is there
    bool upcastsLogits = true;      // models of Transformers cast their logits to fp32
    bool dropsGradients = true;     // zero_grad frees gradients
    bool softmaxInPlace = true;     // Megatron-LM's cross-entropy writes over the logits
    bool updatesInLists = true;     // optimizers process many tensors at once
    bool namesOriginals = true;     // optimizers see the original tensors of FSDP's flat shards
    bool loadsLazily = true;        // CUDA loads a kernel when it is first launched
    bool stopsEarly = true;         // recomputation of a layer ends with what backward reads
    bool limitsGathers = true;      // FSDP's limit_all_gathers is on by default
    bool addsInPlace = true;        // AdamW adds epsilon in place
    bool padsWidths = true;         // compilers pad the widths of GEMMs
    bool flattensBuckets = true;    // DeepSpeed's ZeRO reduces flattened buckets
    bool flash2 = true;             // scaled_dot_product_attention has FlashAttention-2
    bool balancesContext = true;    // ring attention gives ranks pieces of equal work
    bool donatesBuffers = true;     // compiled backward overwrites saved tensors
    bool cudnnOnBlackwell = true;   // scaled_dot_product_attention takes cuDNN's kernel on data-center Blackwell
    bool cudnnOnHopper = true;      // and on Hopper
    bool wideRmsNorm = true;        // torch.nn.RMSNorm multiplies by its weight in fp32
    bool fusedRmsNorm = true;       // torch.nn.RMSNorm is one kernel
    bool keepsNoOutputs = true;     // pipelines do not keep the outputs of their last stage

    bool operator==(const TorchChanges &) const = default;
};

// What the key of an option that overrides a change begins with: "torch.half_gelu".
inline constexpr std::string_view kTorchOption = "torch.";

// The name of each change in the data.
struct NamedTorchChange {
    std::string_view key;
    bool TorchChanges::*member;
};
inline constexpr std::array kTorchChanges{
    NamedTorchChange{"half_gelu", &TorchChanges::halfGelu},
    NamedTorchChange{"keeps_softmax_output", &TorchChanges::keepsSoftmaxOutput},
    NamedTorchChange{"fused_attention", &TorchChanges::fusedAttention},
    NamedTorchChange{"upcasts_logits", &TorchChanges::upcastsLogits},
    NamedTorchChange{"drops_gradients", &TorchChanges::dropsGradients},
    NamedTorchChange{"softmax_in_place", &TorchChanges::softmaxInPlace},
    NamedTorchChange{"updates_in_lists", &TorchChanges::updatesInLists},
    NamedTorchChange{"names_originals", &TorchChanges::namesOriginals},
    NamedTorchChange{"loads_lazily", &TorchChanges::loadsLazily},
    NamedTorchChange{"stops_early", &TorchChanges::stopsEarly},
    NamedTorchChange{"limits_gathers", &TorchChanges::limitsGathers},
    NamedTorchChange{"adds_in_place", &TorchChanges::addsInPlace},
    NamedTorchChange{"pads_widths", &TorchChanges::padsWidths},
    NamedTorchChange{"flattens_buckets", &TorchChanges::flattensBuckets},
    NamedTorchChange{"flash_2", &TorchChanges::flash2},
    NamedTorchChange{"balances_context", &TorchChanges::balancesContext},
    NamedTorchChange{"donates_buffers", &TorchChanges::donatesBuffers},
    NamedTorchChange{"cudnn_on_blackwell", &TorchChanges::cudnnOnBlackwell},
    NamedTorchChange{"cudnn_on_hopper", &TorchChanges::cudnnOnHopper},
    NamedTorchChange{"wide_rms_norm", &TorchChanges::wideRmsNorm},
    NamedTorchChange{"fused_rms_norm", &TorchChanges::fusedRmsNorm},
    NamedTorchChange{"keeps_no_outputs", &TorchChanges::keepsNoOutputs},
};

} // namespace slipway
