// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

// sum (+)= the squares of all values.
void sumSquares(const at::Tensor &values, at::Tensor sum, bool accumulate);

// What gradients are divided by so that their norm, whose square is given, is at most `gradClip`: as
// torch.nn.utils.clip_grad_norm_ does it, epsilon included.
at::Tensor clipDivisor(const at::Tensor &norm2, double gradClip);

struct AdamWChoice {
    double learningRate = 0, beta1 = 0, beta2 = 0, eps = 0, weightDecay = 0;
    double gradClip = 0; // largest norm of all gradients; 0: off
    std::int64_t step = 1;
};

struct AdamWTensors {
    at::Tensor parameter; // what GEMMs read: the master itself, or its copy in bf16
    at::Tensor master, gradient, momentum, variance;
    at::Tensor norm2; // of all gradients, on the device: the host never waits for it
};

// One pass of LibTorch's fused AdamW; gradients are left clipped.
void adamW(const AdamWChoice &choice, const AdamWTensors &tensors);

} // namespace slipway::aten_ops
