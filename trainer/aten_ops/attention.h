// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Causal attention over packed projections qkv [batch, seq, heads + 2 kvHeads, headDim]: q, then k, then v. Query head
// h uses key-value head h / (heads / kvHeads). Outputs and their gradients are [batch, seq, heads, headDim].
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <ATen/core/Tensor.h>

#include "base/enum_names.h"

namespace slipway::aten_ops {

// The implementation of flash attention. It is chosen explicitly, because a dispatcher may silently fall back.
enum class FlashKernel {
    Gpu,       // FlashAttention-2 in LibTorch: bf16, head dimensions up to 256 that are multiples of 8
    Processor, // LibTorch's flash attention on the CPU
    Cudnn,     // cuDNN's attention in LibTorch, for the same shapes: faster on H100, slower on A100
    Blocks,    // GEMMs over blocks of rows: any device, type and head dimension
};

FlashKernel flashKernel(at::Device device, at::ScalarType type, std::int64_t headDim);

// The separate documents of a micro-batch: the first token of each, counted over all sequences, then the number of
// tokens. This is cu_seqlens of variable-length attention.
struct DocumentBounds {
    at::Tensor device;                       // int32 [documents + 1]; undefined: each sequence is one document
    std::span<const std::int32_t> host = {}; // the same on the host, for kernels that process one document per call
    std::int64_t longest = 0;                // tokens of the longest document
};

// Properties of a model or a micro-batch that change attention.
struct AttentionOptions {
    std::int64_t window = 0; // query i attends to keys i - window + 1 to i; 0: to all keys up to i
    double scale = 0;        // factor of the scores; 0: headDim^-1/2
    double softCap = 0;      // scaled scores become softCap tanh(scores / softCap) (Gemma 2); 0: no cap
    at::Tensor slopes;       // fp32 [heads]: ALiBi subtracts slope x (i - j) from a score; undefined: no ALiBi
    DocumentBounds documents = {};
};
// The kernel that supports these options: `usual`, which is the one for attention without options, or Blocks.
FlashKernel flashKernelFor(FlashKernel usual, const AttentionOptions &options);
// The shape of one call; `tokens` per sequence.
struct AttentionShape {
    std::int64_t sequences = 0, tokens = 0, heads = 0, kvHeads = 0, headDim = 0;
    bool operator==(const AttentionShape &) const = default;
};
// The reason why cuDNN's attention cannot replace FlashKernel::Gpu for this shape, forward and backward. Empty if it
// can. It is tried on data, because the loaded cuDNN depends on the node, and its support depends on the shape. cuDNN
// keeps what it prepares for the shape. Allocates about 12 times the packed projections.
std::string cudnnRefuses(at::Device device, const AttentionShape &shape);

// lse: log-sum-exp of each row of scores, [batch, heads, seq]; with separate documents its layout is [heads, batch x
// seq].
void flashAttention(
    FlashKernel kernel, const at::Tensor &qkv, at::Tensor out, at::Tensor lse, const AttentionOptions &options = {});

struct FlashGradient {
    at::Tensor dout, qkv, out, lse, dqkv;
    AttentionOptions options = {};
};
// Allocates one more tensor like dqkv.
void flashAttentionBackward(FlashKernel kernel, const FlashGradient &gradient);

// [batch, seq, heads, headDim], contiguous in the last dimension.
struct HeadGradients {
    at::Tensor q, k, v;
};
// The gradients of q, k and v as separate tensors, for all kernels but Blocks. gradient.dqkv is not used.
HeadGradients flashAttentionGradients(FlashKernel kernel, const FlashGradient &gradient);

// probabilities: [batch, heads, seq, seq], 0 at masked keys. Allocates one more tensor like them; ALiBi allocates
// another one in fp32.
void vanillaAttention(
    const at::Tensor &qkv, at::Tensor probabilities, at::Tensor out, const AttentionOptions &options = {});

struct VanillaGradient {
    at::Tensor dout, qkv, probabilities, dqkv;
    at::Tensor dscores; // workspace like probabilities
    AttentionOptions options = {};
};
// Allocates one more tensor like probabilities. A soft cap recomputes the scores, which allocates a second one.
void vanillaAttentionBackward(const VanillaGradient &gradient);

} // namespace slipway::aten_ops

namespace slipway {
template<>
struct EnumNames<aten_ops::FlashKernel> {
    static constexpr std::array<std::string_view, 4> names{"flash-2", "processor", "cudnn", "blocks"};
};
} // namespace slipway
