// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/optimizer.h"

#include <optional>

#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>

namespace slipway::aten_ops {

void sumSquares(const at::Tensor &values, at::Tensor sum, bool accumulate)
{
    const at::Tensor squares = at::linalg_vector_norm(values).square_();
    accumulate ? sum.add_(squares) : sum.copy_(squares);
}

void adamW(const AdamWChoice &choice, const AdamWTensors &t)
{
    const at::Tensor step = at::full({}, static_cast<double>(choice.step), t.master.options());
    std::optional<at::Tensor> divisor; // of the gradients: as torch.nn.utils.clip_grad_norm_ does it, epsilon included
    if (choice.gradClip > 0)
        divisor = t.norm2.sqrt().add_(1e-6).div_(choice.gradClip).clamp_min_(1.0).view({1});
    const auto update = [&](std::int64_t from, std::int64_t count, double decay) {
        if (count == 0)
            return;
        const auto part = [&](const at::Tensor &whole) { return whole.narrow(0, from, count); };
        at::_fused_adamw_({part(t.master)}, {part(t.gradient)}, {part(t.momentum)}, {part(t.variance)}, {}, {step},
            choice.learningRate, choice.beta1, choice.beta2, decay, choice.eps, false, false, divisor, std::nullopt);
    };
    update(0, t.decayed, choice.weightDecay);
    update(t.decayed, t.master.numel() - t.decayed, 0);
    if (t.parameter.scalar_type() != t.master.scalar_type())
        at::Tensor(t.parameter).copy_(t.master);
}

} // namespace slipway::aten_ops
