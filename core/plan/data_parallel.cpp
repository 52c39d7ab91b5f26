// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/data_parallel.h"

#include <algorithm>

#include "plan/mesh.h"

namespace slipway {

namespace {

constexpr const char *kExpertShards = "edp";

Use whole(BufferId buffer) { return {.buffer = buffer}; }

Op reduceOp(const ParameterUnit &unit, const std::string &what, KernelId kernel, Use from, Use to)
{
    return {.name = unit.name + what,
        .kernel = kernel,
        .stream = Stream::Reduce,
        .phase = Phase::Backward,
        .reads = {from},
        .writes = {to}};
}

// The buffers that a reduction over ranks reads and writes. Gradients are in fp32.
struct Sum {
    Reduction reduction;
    bool starts = true; // true: the result is written; false: it is added to
    OpKind kind = OpKind::AllReduce;
    Use from, to;
};

Op castOp(PlanBuilder &b, const ParameterUnit &unit, const char *what, DType from, std::int64_t elements, Use read,
    Use written)
{
    return reduceOp(unit, what, b.kernel({.kind = OpKind::Cast, .type = from, .m = 1, .n = elements}), read, written);
}

// The gradients are rounded to bf16, which the ranks exchange and sum. The sum over micro-batches stays in fp32. The
// reduction over replicas works the same way.
void reduceInBf16(
    PlanBuilder &b, const DataParallelism &data, const ParameterUnit &unit, const Sum &sum, std::vector<Op> &ops)
{
    const BufferId buffer = *unit.bf16Gradient;
    const Use narrow = whole(buffer), part = ownPart(b.plan, unit, buffer);
    ops.push_back(castOp(b, unit, "_narrow", DType::Fp32, unit.padded, sum.from, narrow));
    ops.push_back(
        reduceOp(unit, "_reduce", b.collective(sum.kind, DType::Bf16, unit.padded, data.shardGroup), narrow, part));
    ops.push_back(castOp(b, unit, "_widen", DType::Bf16, unit.shardElements, part, sum.to));
    ops.back().accumulate = !sum.starts;
    if (data.replicas > 1 && sum.reduction.last) {
        ops.push_back(castOp(b, unit, "_replica_narrow", DType::Fp32, unit.shardElements, sum.to, part));
        ops.push_back(reduceOp(unit, "_replica_reduce",
            b.collective(OpKind::AllReduce, DType::Bf16, unit.shardElements, data.replicaGroup), part, part));
        ops.push_back(castOp(b, unit, "_replica_widen", DType::Bf16, unit.shardElements, part, sum.to));
    }
    ops.back().frees.push_back(narrow);
}

} // namespace

bool runsFsdp(ParallelKind kind)
{
    return kind == ParallelKind::FsdpFull || kind == ParallelKind::FsdpGradOp || kind == ParallelKind::Hsdp;
}

DataParallelism dataParallelism(const RunConfig &config)
{
    const ParallelKind kind = config.parallel.kind;
    const Mesh mesh = meshOf(config.parallel);
    DataParallelism data{.ranks = mesh.copies().size};
    if (data.ranks == 1)
        return data;
    data.shards = mesh.shards.size;
    const bool fsdp = runsFsdp(kind) && data.shards > 1; // nodes of one GPU cannot shard: each has all, as with ddp
    data.replicas = fsdp ? mesh.replicas.size : 1;
    data.gathers = fsdp;
    data.reshards = fsdp && kind != ParallelKind::FsdpGradOp;
    data.reducesInBf16 = config.reduceType == ReduceType::Bf16;
    data.everyMicroBatch = config.gradReduce == GradReduce::Auto ? fsdp : config.gradReduce == GradReduce::MicroBatch;
    return data;
}

DataParallelism expertDataParallelism(DataParallelism data, int expertRanks, const ExpertGroups &groups)
{
    data.ranks /= expertRanks;
    data.shards = std::max(1, data.shards / expertRanks);
    data.shardGroup = groups.shard;
    data.replicaGroup = groups.replica;
    return data;
}

void addGroups(StepPlan &plan, const DataParallelism &data)
{
    const Mesh &mesh = plan.mesh;
    // Without shards, or with one group of them, the group has all ranks with the same weights.
    const MeshAxis axis = data.replicas > 1 ? mesh.shards : mesh.copies();
    if (data.ranks > 1)
        plan.groups.push_back({.axis = "dp", .size = axis.size, .stride = axis.stride});
    if (data.replicas > 1)
        plan.groups.push_back({.axis = "replicas", .size = mesh.replicas.size, .stride = mesh.replicas.stride});
}

ExpertGroups addExpertGroups(StepPlan &plan, const DataParallelism &data)
{
    const Mesh &mesh = plan.mesh;
    const auto add = [&plan](const char *axis, int size, int stride) {
        plan.groups.push_back({.axis = axis, .size = size, .stride = stride});
        return static_cast<GroupId>(plan.groups.size() - 1);
    };
    const MeshAxis axis = data.replicas > 1 ? mesh.shards : mesh.copies();
    ExpertGroups groups{.exchange = add("ep", mesh.expert.size, mesh.expert.stride)};
    groups.shard = add(kExpertShards, axis.size / mesh.expert.size, axis.stride * mesh.expert.size);
    if (data.replicas > 1)
        groups.replica = add("edp replicas", mesh.replicas.size, mesh.replicas.stride);
    return groups;
}

GroupId shardGroupOf(const StepPlan &plan, const ParameterUnit &unit)
{
    if (!unit.experts)
        return kShardGroup;
    const auto group =
        std::find_if(plan.groups.begin(), plan.groups.end(), [](const Group &g) { return g.axis == kExpertShards; });
    return static_cast<GroupId>(group - plan.groups.begin());
}

Use ownPart(const StepPlan &plan, const ParameterUnit &unit, BufferId buffer)
{
    const Bytes element = sizeOf(plan.at(buffer).type);
    const bool whole = plan.mesh.shards.size > 1 && plan.at(buffer).bytes == unit.padded * element;
    return {.buffer = buffer,
        .ranksPerShard = static_cast<std::int16_t>(ranksPerShard(plan, unit)),
        .shardStride = whole ? unit.shardElements * element : 0};
}

Op gather(PlanBuilder &b, const ParameterUnit &unit, Phase phase, int layerShift)
{
    Use from = ownPart(b.plan, unit, unit.parameter), to = whole(unit.gathered.value_or(unit.parameter));
    from.layerShift = to.layerShift = static_cast<std::int8_t>(layerShift);
    return {.name = unit.name + "_gather",
        .kernel =
            b.collective(OpKind::AllGather, b.plan.at(unit.parameter).type, unit.padded, shardGroupOf(b.plan, unit)),
        .stream = Stream::Gather,
        .phase = phase,
        .reads = {from},
        .writes = {to}};
}

std::vector<Op> reduce(PlanBuilder &b, const DataParallelism &data, const ParameterUnit &unit, Reduction reduction)
{
    const bool aside = data.ownGradientBuffer(reduction.first);
    const BufferId fullBuffer = aside ? *unit.fullGradient : unit.gradient;
    const Use full = whole(fullBuffer), fullPart = ownPart(b.plan, unit, fullBuffer),
              own = ownPart(b.plan, unit, unit.gradient);
    std::vector<Op> ops;
    if (unit.padded > unit.elements) {
        const KernelId zero =
            b.kernel({.kind = OpKind::Zero, .type = DType::Fp32, .m = 1, .n = unit.padded - unit.elements});
        ops.push_back({.name = unit.name + "_pad",
            .kernel = zero,
            .phase = Phase::Backward,
            .writes = {{.buffer = fullBuffer, .offset = unit.elements * sizeOf(DType::Fp32)}}});
    }
    const bool starts = reduction.first || !data.everyMicroBatch;
    const OpKind kind = data.shards > 1 || data.gathers ? OpKind::ReduceScatter : OpKind::AllReduce;
    if (data.reducesInBf16) {
        reduceInBf16(
            b, data, unit, {.reduction = reduction, .starts = starts, .kind = kind, .from = full, .to = own}, ops);
        return ops;
    }
    ops.push_back(reduceOp(
        unit, "_reduce", b.collective(kind, DType::Fp32, unit.padded, data.shardGroup), full, starts ? own : fullPart));
    if (!starts) {
        const KernelId add = b.kernel({.kind = OpKind::Add, .type = DType::Fp32, .m = 1, .n = unit.shardElements});
        ops.push_back({.name = unit.name + "_add",
            .kernel = add,
            .stream = Stream::Reduce,
            .phase = Phase::Backward,
            .reads = {own, fullPart},
            .writes = {own}});
    }
    if (data.replicas > 1 && reduction.last)
        ops.push_back(reduceOp(unit, "_replica_reduce",
            b.collective(OpKind::AllReduce, DType::Fp32, unit.shardElements, data.replicaGroup), own, own));
    return ops;
}

} // namespace slipway
