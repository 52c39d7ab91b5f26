// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Causal attention over packed projections qkv [batch, seq, heads + 2 kvHeads, headDim], q then k then v; query head h
// reads key head h / (heads / kvHeads). Outputs and their gradients are [batch, seq, heads, headDim].
#pragma once

#include <array>
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
// Whether cuDNN's does such heads here, both ways, as FlashKernel::Gpu does them: tried on some numbers. Which cuDNN is
// loaded depends on the node.
bool cudnnAgrees(at::Device device, std::int64_t heads, std::int64_t kvHeads, std::int64_t headDim);

// lse [batch, heads, seq] = log of each row's sum of exponentials.
void flashAttention(FlashKernel kernel, const at::Tensor &qkv, at::Tensor out, at::Tensor lse);

struct FlashGradient {
    at::Tensor dout, qkv, out, lse, dqkv;
};
// Allocates dqkv once.
void flashAttentionBackward(FlashKernel kernel, const FlashGradient &gradient);

// [batch, seq, heads, headDim], the last dimension's elements being neighbours.
struct HeadGradients {
    at::Tensor q, k, v;
};
// Of kernels that give them apart (all but Blocks): what flashAttentionBackward copies to dqkv, which is not looked at.
HeadGradients flashAttentionGradients(FlashKernel kernel, const FlashGradient &gradient);

// probabilities [batch, heads, seq, seq], zeros above the diagonal. Allocates them once.
void vanillaAttention(const at::Tensor &qkv, at::Tensor probabilities, at::Tensor out);

struct VanillaGradient {
    at::Tensor dout, qkv, probabilities, dqkv;
    at::Tensor dscores; // workspace, as probabilities
};
// Allocates the probabilities once.
void vanillaAttentionBackward(const VanillaGradient &gradient);

} // namespace slipway::aten_ops

namespace slipway {
template<>
struct EnumNames<aten_ops::FlashKernel> {
    static constexpr std::array<std::string_view, 4> names{"flash-2", "processor", "cudnn", "blocks"};
};
} // namespace slipway
