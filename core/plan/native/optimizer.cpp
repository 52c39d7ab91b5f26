// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/optimizer.h"

#include <algorithm>

#include "plan/native/muon.h"

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

namespace {

// The bytes from the unit's first element that AdamW updates.
Use ofAdamW(Use use, const ParameterUnit &unit, DType type)
{
    use.offset = unit.muonElements * sizeOf(type);
    return use;
}

Op adamW(PlanBuilder &builder, const Layout &l, const ParameterUnit &unit)
{
    const auto own = [&](BufferId buffer) {
        return ofAdamW(ownPart(builder.plan, unit, buffer), unit, builder.plan.at(buffer).type);
    };
    const auto &units = builder.plan.units;
    const auto number = std::find(units.begin(), units.end(), unit) - units.begin();
    return {.name = "adamw",
        .kernel = builder.kernel({.kind = OpKind::AdamW,
            .type = l.sizes.type,
            .m = 1,
            .n = unit.part - unit.muonElements,
            .k = unit.muonElements,
            .unit = static_cast<std::int32_t>(number)}),
        .phase = Phase::Optimizer,
        .reads = {own(unit.gradient), at(l.norm2Sum)},
        .writes = {
            own(unit.parameter), own(unit.master), ofAdamW(at(unit.momentum), unit, DType::Fp32), at(unit.variance)}};
}

Op average(PlanBuilder &builder, const Layout &l, const ParameterUnit &unit)
{
    return {.name = "average",
        .kernel = builder.kernel(
            {.kind = OpKind::Average, .type = DType::Fp32, .m = 1, .n = unit.part, .scale = l.sizes.averageDecay}),
        .phase = Phase::Optimizer,
        .reads = {ownPart(builder.plan, unit, unit.master)},
        .writes = {at(*unit.average)}};
}

} // namespace

Block updateBlock(PlanBuilder &builder, const Layout &l, const ModelSpec &model, const ParameterUnit &unit)
{
    std::vector<Op> ops;
    if (unit.muonElements > 0)
        ops = muonOps(builder, l, model, unit);
    if (unit.part > unit.muonElements)
        ops.push_back(adamW(builder, l, unit));
    ops.back().frees.push_back(at(unit.gradient));
    if (unit.average)
        ops.push_back(average(builder, l, unit));
    return {unit.name + "_optimizer", std::move(ops), unit.perLayer};
}

} // namespace slipway::native
