// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "plan/plan_builder.h"
#include "plan/framework_recipe.h"

namespace slipway {

// The kernels that convert bf16 or fp16 to fp8 in one or two layouts. TransformerEngine scales by the maxima of earlier
// steps, in one kernel. PyTorch's float8 finds the maximum of each tensor first. Without a compiler, it does so through
// fp32 tensors (abs, max, cast, scale, clamp, cast, transpose).
inline KernelId fp8Scaling(PlanBuilder &builder, const FrameworkRecipe &recipe, double elements, int layouts = 2)
{
    const bool compiled = recipe.fusedMlp && recipe.fusedNorm;
    const double read = recipe.keepsFp8 ? 2
                        : compiled      ? 4
                                        : 19,
                 written = recipe.keepsFp8 || compiled ? layouts : 14 + layouts;
    return builder.kernel({.kind = OpKind::Elementwise,
        .type = recipe.compute,
        .bytesRead = static_cast<Bytes>(read * elements),
        .bytesWritten = static_cast<Bytes>(written * elements)});
}

} // namespace slipway
