// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "aten_ops/optimizer.h"

#include <optional>

#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>

namespace slipway::aten_ops {

void sumSquares(const at::Tensor &values, at::Tensor sum, bool accumulate, double scale)
{
    const at::Tensor squares = at::linalg_vector_norm(values).square_().mul_(scale);
    accumulate ? sum.add_(squares) : sum.copy_(squares);
}

at::Tensor clipDivisor(const at::Tensor &norm2, double gradClip)
{
    return norm2.sqrt().add_(1e-6).div_(gradClip).clamp_min_(1.0);
}

void adamW(const AdamWOptions &options, const AdamWTensors &t)
{
    const at::Tensor step = at::full({}, static_cast<double>(options.step), t.master.options());
    std::optional<at::Tensor> divisor; // divisor of the gradients
    if (options.gradClip > 0)
        divisor = clipDivisor(t.norm2, options.gradClip).view({1});
    at::_fused_adamw_({t.master}, {t.gradient}, {t.momentum}, {t.variance}, {}, {step}, options.learningRate,
        options.beta1, options.beta2, options.weightDecay, options.eps, false, false, divisor, std::nullopt);
    if (t.parameter.scalar_type() != t.master.scalar_type())
        at::Tensor(t.parameter).copy_(t.master);
}

} // namespace slipway::aten_ops
