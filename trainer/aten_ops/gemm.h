// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// GEMMs by LibTorch: cuBLAS on a GPU, oneDNN on a CPU. They accumulate in fp32 for operands of any type.
#pragma once

#include <string_view>

#include <ATen/core/Tensor.h>

#include "base/enum_names.h"
#include "plan/step_plan.h"

namespace slipway::aten_ops {

// How a GEMM of bf16 operands accumulates into an fp32 weight gradient.
enum class Fp32GradientGemm {
    Direct,     // cuBLAS accumulates into the fp32 gradient.
    Fp32Result, // The GEMM writes an fp32 result, which a second kernel adds.
    Bf16Result, // The GEMM rounds its result to bf16, which a second kernel adds.
    Upcast,     // The operands are converted to fp32 first, on the CPU. The values equal those of Direct.
};

// Upcast on a CPU. On a GPU the first of the others that LibTorch supports there, found by trying them.
Fp32GradientGemm findFp32GradientGemm(at::Device device);

// C = added + A B in the layout of `form`. `added` is C itself, another tensor of its type and shape, or undefined for
// no addend. `gradientGemm` is used where C is fp32 and the operands are bf16.
void gemm(GemmForm form, const at::Tensor &a, const at::Tensor &b, at::Tensor c, const at::Tensor &added,
    Fp32GradientGemm gradientGemm);

} // namespace slipway::aten_ops

namespace slipway {
template<>
struct EnumNames<aten_ops::Fp32GradientGemm> {
    static constexpr std::array<std::string_view, 4> names{"direct", "fp32-result", "bf16-result", "upcast"};
};
} // namespace slipway
