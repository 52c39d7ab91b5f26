// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Maps each kind of op to the function that runs it with LibTorch, on any device, in fp32 or bf16.
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

class HostOffsets;
class PendingSends;

// What these ops need in addition to StepContext. It is constant for the whole run.
struct TorchContext {
    at::Device device = at::kCPU;
    std::int64_t vocab = 0;
    // The RoPE tables of the model, on the device.
    struct Rotation {
        at::Tensor cosines, sines; // [this rank's tokens of a sequence, rotated dimensions / 2]
    };
    std::vector<Rotation> rotations;
    // Context parallelism: the position of each of this rank's tokens in a sequence, on the device; otherwise
    // undefined.
    at::Tensor positions;
    at::Tensor slopes; // slopes of ALiBi, on the device; undefined: no ALiBi
    aten_ops::FlashKernel flash = aten_ops::FlashKernel::Processor;
    mutable std::optional<aten_ops::Fp32GradientGemm>
        gradientGemm;                                    // determined at the first GEMM that LibTorch has to execute
    const fused_ops::Table *kernels = nullptr;           // our kernels; null: only LibTorch's ops
    std::shared_ptr<fused_ops::GemmLibrary> gemmLibrary; // GEMMs with an addend in the epilogue; null: LibTorch's
    // LibTorch's attention returns separate gradients of q, k and v. Our kernel that packs them also applies the
    // inverse RoPE, so that the following RopeBackward does nothing.
    bool fusesRopeBackward = false;
    at::Tensor zLossSum;                    // receives the z-loss, which is not reported
    at::Tensor rates;                       // rates of the step on the device, for our AdamW (fused_ops.h)
    at::Tensor scratch;                     // scratch memory of our kernels
    fused_ops::Queue queue;                 // queue of the current stream
    Bytes workspaceBytes = 0;               // size of the plan's buffer for GEMMs
    std::shared_ptr<PendingSends> messages; // to other stages of a pipeline, or round a ring
    std::shared_ptr<HostOffsets> offsets;   // of the rows of experts
    GroupId ring = GroupId::None;           // whose ranks send keys and values from each to the next
};

using TorchOpFunction = void (*)(const OpCall &, const StepContext &, const TorchContext &);

// Null for kinds that this backend does not execute: ops of simulated frameworks.
TorchOpFunction torchOpFunction(OpKind kind);

// A contiguous tensor at an address of the device, which does not own its memory.
at::Tensor tensorAt(const std::byte *address, at::IntArrayRef sizes, at::ScalarType type, at::Device device);

namespace torch_ops {

aten_ops::Fp32GradientGemm fp32GradientGemm(const TorchContext &context);

// The attention options of a kernel.
aten_ops::AttentionOptions attentionOptions(const Kernel &kernel, const TorchContext &context);

// The operands of FlashAttentionBackward.
aten_ops::FlashGradient flashGradientOf(const OpCall &call, const StepContext &step, const TorchContext &context);

} // namespace torch_ops

} // namespace slipway
