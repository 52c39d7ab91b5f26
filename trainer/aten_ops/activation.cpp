// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/activation.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/threshold_backward.h>

namespace slipway::aten_ops {
namespace {

constexpr double kQuick = 1.702;

// dx = dy f'(x); dx may be x.
void gradient(Activation kind, const at::Tensor &dy, const at::Tensor &x, at::Tensor dx)
{
    switch (kind) {
    case Activation::Silu:
        at::silu_backward_out(dx, dy, x);
        return;
    case Activation::GeluTanh:
        at::gelu_backward_out(dx, dy, x, "tanh");
        return;
    case Activation::GeluErf:
        at::gelu_backward_out(dx, dy, x, "none");
        return;
    case Activation::Relu:
        at::threshold_backward_out(dx, dy, x, 0);
        return;
    case Activation::Relu2:
        dx.copy_(x.to(at::kFloat).clamp_min(0).mul_(2).mul_(dy));
        return;
    case Activation::QuickGelu: {
        const at::Tensor wide = x.to(at::kFloat), sigmoid = wide.mul(kQuick).sigmoid_();
        // s + 1.702 x s (1 - s) = s (1 + 1.702 x (1 - s))
        dx.copy_(wide.mul(kQuick).mul_(sigmoid.neg().add_(1)).add_(1).mul_(sigmoid).mul_(dy));
        return;
    }
    }
}

} // namespace

void activate(Activation kind, const at::Tensor &x, at::Tensor y)
{
    switch (kind) {
    case Activation::Silu:
        at::silu_out(y, x);
        return;
    case Activation::GeluTanh:
        at::gelu_out(y, x, "tanh");
        return;
    case Activation::GeluErf:
        at::gelu_out(y, x, "none");
        return;
    case Activation::Relu:
        at::relu_out(y, x);
        return;
    case Activation::Relu2:
        at::relu_out(y, x);
        y.square_();
        return;
    case Activation::QuickGelu: {
        const at::Tensor sigmoid = x.mul(kQuick).sigmoid_();
        at::mul_out(y, x, sigmoid);
        return;
    }
    }
}

void activateBackward(Activation kind, const at::Tensor &dy, at::Tensor x) { gradient(kind, dy, x, x); }

void gatedActivation(Activation kind, const at::Tensor &gateUp, at::Tensor product)
{
    const std::int64_t width = product.size(1);
    activate(kind, gateUp.narrow(1, 0, width), product);
    product.mul_(gateUp.narrow(1, width, width));
}

void gatedActivationBackward(Activation kind, const at::Tensor &dproduct, at::Tensor gateUp)
{
    const std::int64_t width = dproduct.size(1);
    const at::Tensor gate = gateUp.narrow(1, 0, width), up = gateUp.narrow(1, width, width),
                     dup = at::empty_like(dproduct);
    activate(kind, gate, dup);
    dup.mul_(dproduct);
    gradient(kind, dproduct.mul(up), gate, gate);
    up.copy_(dup);
}

} // namespace slipway::aten_ops
