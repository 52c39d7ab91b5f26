// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The second table from a kind of op to the function that runs it: tensors of LibTorch on any device, fp32 or bf16.
#pragma once

#include <memory>
#include <optional>

#include <vector>

#include <ATen/core/Tensor.h>

#include "exec/op_table.h"
#include "fused_ops/fused_ops.h"
#include "fused_ops/gemm.h"
#include "aten_ops/attention.h"
#include "aten_ops/gemm.h"

namespace slipway {

// What these ops need besides StepContext; the same for the whole run.
struct TorchContext {
    at::Device device = at::kCPU;
    std::int64_t vocab = 0;
    // RoPE's, on the device: of each of the model's rotations.
    struct Rotation {
        at::Tensor cosines, sines; // [seq, rotated dimensions / 2]
    };
    std::vector<Rotation> rotations;
    at::Tensor slopes; // ALiBi's, on the device; undefined: none
    aten_ops::FlashKernel flash = aten_ops::FlashKernel::Processor;
    mutable std::optional<aten_ops::WideProduct> wide; // found with the first product that LibTorch is asked for
    const fused_ops::Table *kernels = nullptr;         // our own; null: LibTorch's ops alone
    std::shared_ptr<fused_ops::Products> products;     // that add on the way; null: LibTorch's
    // LibTorch's attention gives the gradients of q, k and v apart. Our kernel that puts them together turns them back
    // as well, and leaves nothing to RopeBackward, which follows.
    bool turnsAtOnce = false;
    at::Tensor zLossSum;      // where that part of the loss goes, which nobody reads
    at::Tensor rates;         // of the step, on the device: what our AdamW reads (fused_ops.h)
    at::Tensor scratch;       // of our kernels
    fused_ops::Queue queue;   // of the lane that runs
    Bytes workspaceBytes = 0; // of products: the plan's buffer
};

aten_ops::WideProduct wideProduct(const TorchContext &context);

using TorchOpFunction = void (*)(const OpCall &, const StepContext &, const TorchContext &);

// Null where the kind has none.
TorchOpFunction torchOpFunction(OpKind kind);

// What the model changes about attention.
aten_ops::AttentionOptions attentionOptions(const Kernel &kernel, const TorchContext &context);

// Of FlashAttentionBackward.
aten_ops::FlashGradient flashGradientOf(const OpCall &call, const StepContext &step, const TorchContext &context);

// Elements at an address of the device, as a tensor that does not own them.
at::Tensor tensorAt(const std::byte *address, at::IntArrayRef sizes, at::ScalarType type, at::Device device);

} // namespace slipway
