// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/torch_shards.h"

#include <utility>

namespace slipway {

Op TorchShards::gather(const Unit &u, int shift, Phase phase)
{
    const BufferId to = m_r.copiesGathered ? u.gatherOutput : u.gathered;
    return {.name = "gather", .kernel = shardCollective(OpKind::AllGather, u.elements * sizeOf(m_r.gathered), u), .stream = beside(Stream::Gather), .phase = phase,
            .reads = {{.buffer = u.weights, .layerShift = static_cast<std::int8_t>(shift)}}, .writes = {{.buffer = to, .layerShift = static_cast<std::int8_t>(shift)}}};
}

// FSDP2 gathers a unit into one buffer and copies each weight out of it (foreach_all_gather_copy_out).
Op TorchShards::copyOut(const Unit &u, Phase phase)
{
    const auto bytes = double(u.elements * sizeOf(m_r.gathered));
    return {.name = "copy_out", .kernel = bytesKernel(bytes, bytes), .phase = phase, .reads = {{.buffer = u.gatherOutput}}, .writes = {{.buffer = u.gathered}}, .frees = {{.buffer = u.gatherOutput}}};
}

void TorchShards::gatherUnit(std::vector<Op> &ops, const Unit &u, Phase phase)
{
    ops.push_back(gather(u, 0, phase));
    if (m_r.copiesGathered)
        ops.push_back(copyOut(u, phase));
}

void TorchShards::copyOutLayer(std::vector<Op> &ops, Phase phase)
{
    if (!m_r.copiesGathered)
        return;
    auto at = ops.begin();
    for (const Unit *u : layerUnits())
        at = ops.insert(at, copyOut(*u, phase)) + 1;
}

void TorchShards::gatherLayer(std::vector<Op> &ops, std::vector<Op>::iterator at, int shift, Phase phase)
{
    for (const Unit *u : layerUnits())
        at = ops.insert(at, gather(*u, shift, phase)) + 1;
}

void TorchShards::freeGatheredLayer(Op &op) const
{
    for (const Unit *u : layerUnits())
        op.frees.push_back({.buffer = u->gathered});
}

// BF16_Optimizer.update_hp_grads (DeepSpeed 0.7.2): each half gradient is cast, and then added.
void TorchShards::addAccumulation(std::vector<Op> &ops, const Unit &u)
{
    if (!m_r.accumulatesApart)
        return;
    const auto elements = double(u.elements);
    ops.push_back({.name = "accumulate", .kernel = bytesKernel((2 + 4 + 4) * elements, (4 + 4) * elements), .phase = Phase::Backward, .reads = writtenGradients(u), .writes = writtenGradients(u)});
}

void TorchShards::addReduction(std::vector<Op> &ops, const Unit &u)
{
    if (fsdp()) {
        const Bytes bytes = u.elements * sizeOf(reduceType());
        ops.push_back({.name = "reduce_input", .kernel = bytesKernel(double(u.elements * sizeOf(m_r.compute)), double(bytes), CostClass::Elementwise, m_r.compute != reduceType()), .phase = Phase::Backward, .reads = writtenGradients(u), .writes = {{.buffer = u.reduceInput}}, .frees = writtenGradients(u)});
        if (isFlat() && !holdsWhole()) // FSDP1: views of one flat weight, whose gradient autograd puts together before the weights go
            ops.back().frees.push_back({.buffer = u.gathered});
        ops.push_back({.name = "reduce_scatter", .kernel = shardCollective(OpKind::ReduceScatter, bytes, u), .stream = beside(Stream::Reduce), .phase = Phase::Backward,
                       .reads = {{.buffer = u.reduceInput}}, .writes = {{.buffer = u.gradients}}});
        if (!holdsReduceInput() || !u.perLayer)
            ops.back().frees.push_back({.buffer = u.reduceInput});
        if (m_p.kind == ParallelKind::Hsdp && u.spread.ranks > u.spread.shards)
            ops.push_back({.name = "replica_reduce", .kernel = collective(OpKind::AllReduce, ceilDiv(bytes, u.spread.shards), u.spread.replicas), .stream = beside(Stream::Reduce), .phase = Phase::Backward, .reads = {{.buffer = u.gradients}}, .writes = {{.buffer = u.gradients}}});
    } else if (u.spread.ranks > 1) {
        const OpKind kind = m_p.kind == ParallelKind::Zero1 && !m_r.accumulatesApart ? OpKind::ReduceScatter : OpKind::AllReduce;
        ops.push_back({.name = "reduce", .kernel = collective(kind, u.elements * sizeOf(m_r.gradient), u.spread.group), .stream = overlapsReduction() ? Stream::Reduce : Stream::Compute, .phase = Phase::Backward,
                       .reads = writtenGradients(u), .writes = writtenGradients(u)});
    }
}

void TorchShards::releaseReduceInput(std::vector<Op> &ops, int shift)
{
    if (!holdsReduceInput())
        return;
    Op op{.name = "release_reduced", .kernel = nothing(), .phase = Phase::Backward};
    for (const Unit *u : layerUnits())
        op.frees.push_back({.buffer = u->reduceInput, .layerShift = static_cast<std::int8_t>(shift)});
    ops.push_back(std::move(op));
}

// Megatron's older recipes reduce after the last backward, and so does DeepSpeed's pipeline engine, of one stage too (runtime/pipe/engine.py,
// _exec_reduce_grads; 0.4.2); DDP and later Megatron while it runs.
bool TorchShards::overlapsReduction() const { return !(m_c.framework == Framework::Megatron && (m_c.attention == Attention::Vanilla || m_r.deepSpeedEngine || m_r.accumulatesApart)); }

void TorchShards::addSlots(Segment &segment, const Unit &u, BlockId block) const
{
    for (int i = 0; i < (u.perLayer ? m_b.plan.layers : 1); ++i)
        segment.slots.push_back({.block = block, .index = i});
}

void TorchShards::addUpdatedGathers()
{
    Segment segment{.microBatches = 0};
    for (const Unit *u : units()) {
        if (u->spread.ranks <= 1)
            continue;
        const KernelId kernel = collective(OpKind::AllGather, u->elements * sizeOf(m_r.weight), u->spread.group);
        const BlockId block = m_b.block({"gather_updated", {{.name = "gather_weights", .kernel = kernel, .stream = Stream::Gather, .reads = {{.buffer = u->weights}}, .writes = {{.buffer = u->weights}}}}, u->perLayer});
        addSlots(segment, *u, block);
    }
    plan().schedule.push_back(std::move(segment));
}

void TorchShards::addGathers()
{
    Segment segment{.microBatches = 0};
    for (const Unit *u : units()) {
        std::vector<Op> ops;
        gatherUnit(ops, *u, Phase::Forward);
        const BlockId block = m_b.block({"gather_weights", std::move(ops), u->perLayer});
        addSlots(segment, *u, block);
    }
    plan().schedule.push_back(std::move(segment));
}

} // namespace slipway
