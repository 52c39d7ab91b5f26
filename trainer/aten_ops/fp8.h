// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// fp8 GEMMs by LibTorch's types. They compute on any device what the GEMMs of a GPU compute.
#pragma once

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

// to = rows / factor, see fused_ops::Quantize. `to` has one of LibTorch's fp8 types and the shape of `rows`, or its
// transpose if `transposed`. Allocates a copy of `rows` in fp32.
void quantize(const at::Tensor &rows, bool transposed, at::Tensor factor, at::Tensor to);

// c = factorA factorB a b^T + added, rounded once. Allocates both operands and the result in fp32.
struct Fp8Gemm {
    at::Tensor a, b;             // [m, k], [n, k]
    at::Tensor factorA, factorB; // fp32 scalars
    at::Tensor added = {};       // shape and type of c, may be c; undefined: no addend
    at::Tensor c;
};
void fp8Gemm(const Fp8Gemm &gemm);

} // namespace slipway::aten_ops
