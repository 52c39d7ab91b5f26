// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Causal attention over packed projections qkv [batch, seq, heads + 2 kvHeads, headDim], q then k then v; query head h
// reads key head h / (heads / kvHeads). Outputs and their gradients are [batch, seq, heads, headDim].
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <ATen/core/Tensor.h>

#include "base/enum_names.h"

namespace slipway::aten_ops {

// Who computes flash attention. It is chosen and named, never left to a dispatcher that may fall back in silence.
enum class FlashKernel {
    Gpu,       // FlashAttention-2 in LibTorch: bf16, head dimensions up to 256 that 8 divides
    Processor, // LibTorch's flash attention for the CPU
    Cudnn,     // cuDNN's in LibTorch, for the same: faster on H100 and slower on A100
    Blocks,    // blocks of rows out of matrix products: any device, type and head dimension
};

FlashKernel flashKernel(at::Device device, at::ScalarType type, std::int64_t headDim);

// Documents of a micro-batch that do not see each other, in one call: the first token of each, counted through all
// sequences, then how many tokens there are.
struct DocumentBounds {
    at::Tensor device;                       // [documents + 1] in int32; undefined: each sequence is one
    std::span<const std::int32_t> host = {}; // the same, for kernels that take them one after another
    std::int64_t longest = 0;                // tokens of one, at most
};

// What a model, or a micro-batch, changes about attention.
struct AttentionOptions {
    std::int64_t window = 0; // query i sees keys i - window + 1 to i; 0: all before it
    double scale = 0;        // of the scores; 0: headDim^-1/2
    double softCap = 0;      // scaled scores become softCap tanh(scores / softCap) (Gemma 2); 0: they stay
    at::Tensor slopes;       // [heads] in fp32: ALiBi takes slope x (i - j) off; undefined: none
    DocumentBounds documents = {};
};
// The kernel for attention with these options where `usual` is the one for attention without any.
FlashKernel flashKernelFor(FlashKernel usual, const AttentionOptions &options);
// Of one call: so many sequences of so many tokens.
struct AttentionShape {
    std::int64_t sequences = 0, tokens = 0, heads = 0, kvHeads = 0, headDim = 0;
    bool operator==(const AttentionShape &) const = default;
};
// Why cuDNN's does not do attention of this shape here, both ways, as FlashKernel::Gpu does it; empty: it does. Tried
// on numbers: which cuDNN is loaded depends on the node, and what it can depends on the shape. What it prepares for the
// shape stays. Takes memory for about 12 times the packed projections.
std::string cudnnRefuses(at::Device device, const AttentionShape &shape);

// lse [batch, heads, seq] = log of each row's sum of exponentials; its elements are [heads, batch x seq] with
// documents.
void flashAttention(
    FlashKernel kernel, const at::Tensor &qkv, at::Tensor out, at::Tensor lse, const AttentionOptions &options = {});

struct FlashGradient {
    at::Tensor dout, qkv, out, lse, dqkv;
    AttentionOptions options = {};
};
// Allocates dqkv once.
void flashAttentionBackward(FlashKernel kernel, const FlashGradient &gradient);

// [batch, seq, heads, headDim], the last dimension's elements being neighbours.
struct HeadGradients {
    at::Tensor q, k, v;
};
// Of kernels that give them apart (all but Blocks): what flashAttentionBackward copies to dqkv, which is not looked at.
HeadGradients flashAttentionGradients(FlashKernel kernel, const FlashGradient &gradient);

// probabilities [batch, heads, seq, seq], zeros where a query sees nothing. Allocates them once; ALiBi allocates them
// in fp32 besides.
void vanillaAttention(
    const at::Tensor &qkv, at::Tensor probabilities, at::Tensor out, const AttentionOptions &options = {});

struct VanillaGradient {
    at::Tensor dout, qkv, probabilities, dqkv;
    at::Tensor dscores; // workspace, as probabilities
    AttentionOptions options = {};
};
// Allocates the probabilities once; a soft cap computes the scores again, which allocates them once more.
void vanillaAttentionBackward(const VanillaGradient &gradient);

} // namespace slipway::aten_ops

namespace slipway {
template<>
struct EnumNames<aten_ops::FlashKernel> {
    static constexpr std::array<std::string_view, 4> names{"flash-2", "processor", "cudnn", "blocks"};
};
} // namespace slipway
