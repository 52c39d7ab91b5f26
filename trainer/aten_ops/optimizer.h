// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

// sum = or += scale times the sum of the squares of all values.
void sumSquares(const at::Tensor &values, at::Tensor sum, bool accumulate, double scale = 1);

// The divisor of all gradients that clips their norm to `gradClip`, as in torch.nn.utils.clip_grad_norm_, with its
// epsilon. `norm2` is the squared norm.
at::Tensor clipDivisor(const at::Tensor &norm2, double gradClip);

struct AdamWOptions {
    double learningRate = 0, beta1 = 0, beta2 = 0, eps = 0, weightDecay = 0;
    double gradClip = 0; // upper limit of the norm of all gradients; 0: no clipping
    std::int64_t step = 1;
};

struct AdamWTensors {
    at::Tensor parameter; // read by GEMMs: the master weight itself, or its copy in bf16
    at::Tensor master, gradient, momentum, variance;
    at::Tensor norm2; // squared norm of all gradients, on the device, so that the host does not wait for it
};

// LibTorch's fused AdamW in one kernel. It leaves the gradients clipped.
void adamW(const AdamWOptions &options, const AdamWTensors &tensors);

} // namespace slipway::aten_ops
