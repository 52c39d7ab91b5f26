// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Matrix products with LibTorch's kernels: cuBLAS on a GPU, oneDNN on a processor. Sums are in fp32 whatever the
// operands.
#pragma once

#include <string_view>

#include <ATen/core/Tensor.h>

#include "base/enum_names.h"
#include "plan/step_plan.h"

namespace slipway::aten_ops {

// How an fp32 gradient comes out of bf16 operands.
enum class WideProduct {
    Direct,  // cuBLAS adds to the fp32 gradient itself
    Product, // an fp32 product, then added
    Narrow,  // a product rounded to bf16, then added
    Upcast,  // operands made fp32 first: the processor's way, the same numbers as Direct
};

// The best one that this LibTorch has on the device, found by trying.
WideProduct findWideProduct(at::Device device);

// C = added + A B in the form's layout; `added` is C itself, another tensor of its type and shape, or undefined:
// nothing.
void gemm(
    GemmForm form, const at::Tensor &a, const at::Tensor &b, at::Tensor c, const at::Tensor &added, WideProduct wide);

} // namespace slipway::aten_ops

namespace slipway {
template<>
struct EnumNames<aten_ops::WideProduct> {
    static constexpr std::array<std::string_view, 4> names{"direct", "product", "narrow", "upcast"};
};
} // namespace slipway
