// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// GEMMs of 8-bit numbers through LibTorch's types: what a GPU's compute, on any device.
#pragma once

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

// to = rows / factor, as fused_ops::Quantize has it; `to` is in one of LibTorch's types of 8 bits, its sizes are the
// rows', or turned. Allocates them in fp32.
void quantize(const at::Tensor &rows, bool transposed, at::Tensor factor, at::Tensor to);

// c = factors a b^T + added, rounded once. Allocates both operands and the product in fp32.
struct QuantizedProduct {
    at::Tensor a, b;             // [m, k], [n, k]
    at::Tensor factorA, factorB; // fp32 numbers
    at::Tensor added = {};       // like c, may be c; undefined: nothing
    at::Tensor c;
};
void quantizedProduct(const QuantizedProduct &product);

} // namespace slipway::aten_ops
