// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Activation functions, alone or gated as in SwiGLU, on tensors of any device, in fp32 or bf16.
#pragma once

#include <ATen/core/Tensor.h>

#include "base/activation.h"

namespace slipway::aten_ops {

// product = f(gate) x up, elementwise, with gateUp [rows, 2 width]. QuickGelu allocates one more tensor like product.
void gatedActivation(Activation kind, const at::Tensor &gateUp, at::Tensor product);
// Replaces gateUp by its gradient. Allocates two tensors like product; Relu2 and QuickGelu allocate a third in fp32.
void gatedActivationBackward(Activation kind, const at::Tensor &dproduct, at::Tensor gateUp);

// y = f(x); y may be x.
void activate(Activation kind, const at::Tensor &x, at::Tensor y);
// Replaces x by its gradient, in place.
void activateBackward(Activation kind, const at::Tensor &dy, at::Tensor x);

} // namespace slipway::aten_ops
