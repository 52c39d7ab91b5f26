// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/optimizer.h"

namespace slipway::native {

Block sumSquares(PlanBuilder &builder, const Layout &l, const ParameterUnit &unit, bool first)
{
    const KernelId kernel = builder.kernel({.kind = OpKind::SumSquares, .type = DType::Fp32, .m = 1, .n = unit.part});
    return {unit.name + "_gradient_norm",
        {
            {.name = "sum_squares",
                .kernel = kernel,
                .phase = Phase::Optimizer,
                .accumulate = !first,
                .reads = {ownPart(builder.plan, unit, unit.gradient)},
                .writes = {at(l.norm2Sum)}},
        },
        unit.perLayer};
}

Block adamW(PlanBuilder &builder, const Layout &l, const ParameterUnit &unit)
{
    const auto own = [&](BufferId buffer) { return ownPart(builder.plan, unit, buffer); };
    Op op{.name = "adamw",
        .kernel = builder.kernel(
            {.kind = OpKind::AdamW, .type = l.sizes.type, .m = 1, .n = unit.part, .k = unit.decayElements}),
        .phase = Phase::Optimizer,
        .reads = {own(unit.gradient), at(l.norm2Sum)},
        .writes = {own(unit.parameter), own(unit.master), at(unit.momentum), at(unit.variance)},
        .frees = {at(unit.gradient)}};
    return {unit.name + "_optimizer", {op}, unit.perLayer};
}

} // namespace slipway::native
