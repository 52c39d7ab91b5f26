// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/optimizer.h"

#include <algorithm>

#include "plan/native/muon.h"

namespace slipway::native {

namespace {

Op sumOverGroup(PlanBuilder &b, std::string name, Phase phase, Use numbers, std::int64_t count, GroupId group)
{
    return {.name = std::move(name),
        .kernel = b.collective(OpKind::AllReduce, DType::Fp32, count, group),
        .stream = Stream::Reduce,
        .phase = phase,
        .reads = {numbers},
        .writes = {numbers}};
}

std::int32_t numberOf(const StepPlan &plan, const ParameterUnit &unit)
{
    return static_cast<std::int32_t>(std::find(plan.units.begin(), plan.units.end(), unit) - plan.units.begin());
}

} // namespace

Block allReduceLoss(PlanBuilder &b, const Layout &l)
{
    Block block{"loss_reduce", {}};
    if (!l.stage.isLast())
        block.ops.push_back({.name = "loss_zero",
            .kernel = b.kernel({.kind = OpKind::Zero, .type = DType::Fp32, .m = 1, .n = 1}),
            .writes = {at(l.loss)}});
    const auto sum = [&](const char *name, GroupId group) {
        block.ops.push_back(sumOverGroup(b, name, Phase::Forward, at(l.loss), 1, group));
    };
    if (l.data.ranks > 1)
        sum("loss_reduce", kShardGroup);
    if (l.data.replicas > 1)
        sum("loss_reduce_replicas", kReplicaGroup);
    if (l.stage.count > 1)
        sum("loss_reduce_stages", l.pipelineGroup);
    return block;
}

Block allReduceTiedGradients(PlanBuilder &b, const Layout &l)
{
    const auto unit = std::find_if(b.plan.units.begin(), b.plan.units.end(),
        [](const ParameterUnit &u) { return u.section == UnitSection::Embedding; }); // the embedding table comes first
    return {
        "tied_embedding_reduce", {sumOverGroup(b, "tied_embedding_reduce", Phase::Backward,
                                     ownPart(b.plan, *unit, unit->gradient), unit->shardElements, *l.embeddingGroup)}};
}

Block zeroGradientNorm(PlanBuilder &b, const Layout &l)
{
    return {"gradient_norm_zero", {{.name = "gradient_norm_zero",
                                      .kernel = b.kernel({.kind = OpKind::Zero, .type = DType::Fp32, .m = 1, .n = 1}),
                                      .phase = Phase::Optimizer,
                                      .writes = {at(l.norm2Sum)}}}};
}

Block allReduceGradientNorm(PlanBuilder &b, const Layout &l)
{
    Block block{"norm_reduce", {}};
    const auto sum = [&](const char *name, GroupId group) {
        block.ops.push_back(sumOverGroup(b, name, Phase::Optimizer, at(l.norm2Sum), 1, group));
    };
    if (l.data.shards > 1)
        sum("norm_reduce", kShardGroup);
    else if (l.sizes.expertRanks > 1)
        sum("norm_reduce_experts", l.expertGroup);
    if (l.sizes.tensorRanks > 1)
        sum("norm_reduce_tensor", l.tensorGroup);
    if (l.stage.count > 1)
        sum("norm_reduce_stages", l.pipelineGroup);
    return block;
}

Block sumSquares(PlanBuilder &builder, const Layout &l, const ParameterUnit &unit, bool first)
{
    // The norm must count values once that several ranks of the reduction hold: whole weights of tensor-parallel ranks,
    // rows that some of them share, and all weights except experts, if experts are sharded and nothing else is.
    const int tensorCopies = unit.whole ? l.sizes.tensorRanks : 1,
              expertCopies = l.data.shards == 1 && !unit.experts ? l.sizes.expertRanks : 1;
    const int copies = tensorCopies * expertCopies;
    const KernelId kernel = builder.kernel({.kind = OpKind::SumSquares,
        .type = DType::Fp32,
        .m = 1,
        .n = unit.shardElements,
        .unit = builder.plan.kvReplicas > 1 ? numberOf(builder.plan, unit) : 0,
        .scale = copies > 1 ? 1.0f / static_cast<float>(copies) : 0.0f});
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

Op adamW(PlanBuilder &builder, const Layout &l, const ParameterUnit &unit)
{
    const auto own = [&](BufferId buffer) { return ownPart(builder.plan, unit, buffer); };
    return {.name = "adamw",
        .kernel = builder.kernel({.kind = OpKind::AdamW,
            .type = l.sizes.type,
            .m = 1,
            .n = unit.shardElements,
            .unit = numberOf(builder.plan, unit)}),
        .phase = Phase::Optimizer,
        .reads = {own(unit.gradient), at(l.norm2Sum)},
        .writes = {own(unit.parameter), own(unit.master), at(unit.momentum), at(unit.variance)}};
}

Op average(PlanBuilder &builder, const Layout &l, const ParameterUnit &unit)
{
    return {.name = "average",
        .kernel = builder.kernel({.kind = OpKind::Average,
            .type = DType::Fp32,
            .m = 1,
            .n = unit.shardElements,
            .scale = l.sizes.averageDecay}),
        .phase = Phase::Optimizer,
        .reads = {ownPart(builder.plan, unit, unit.master)},
        .writes = {at(*unit.average)}};
}

} // namespace

Block updateBlock(PlanBuilder &builder, const Layout &l, const ModelSpec &model, const ParameterUnit &unit)
{
    std::vector<Op> ops = unit.muon ? muonOps(builder, l, model, unit) : std::vector<Op>{adamW(builder, l, unit)};
    ops.back().frees.push_back(at(unit.gradient));
    if (unit.average)
        ops.push_back(average(builder, l, unit));
    return {unit.name + "_optimizer", std::move(ops), unit.perLayer};
}

} // namespace slipway::native
