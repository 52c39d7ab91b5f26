// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_shards.h"

#include <numeric>
#include <utility>

namespace slipway {

Op SimulatedShards::gather(const Unit &u, int shift, Phase phase)
{
    const BufferId to = m_r.copiesGathered ? u.gatherOutput : u.gathered;
    return {.name = "gather",
        .kernel = shardCollective(OpKind::AllGather, u.elements * sizeOf(m_r.gathered), u),
        .stream = overlapping(Stream::Gather),
        .phase = phase,
        .reads = {{.buffer = u.weights, .layerShift = static_cast<std::int8_t>(shift)}},
        .writes = {{.buffer = to, .layerShift = static_cast<std::int8_t>(shift)}}};
}

// FSDP2 gathers a unit into one buffer and copies each weight from it (foreach_all_gather_copy_out).
Op SimulatedShards::copyOut(const Unit &u, Phase phase)
{
    const auto bytes = double(u.elements * sizeOf(m_r.gathered));
    return {.name = "copy_out",
        .kernel = bytesKernel(bytes, bytes),
        .phase = phase,
        .reads = {{.buffer = u.gatherOutput}},
        .writes = {{.buffer = u.gathered}},
        .frees = {{.buffer = u.gatherOutput}}};
}

void SimulatedShards::gatherUnit(std::vector<Op> &ops, const Unit &u, Phase phase)
{
    ops.push_back(gather(u, 0, phase));
    if (m_r.copiesGathered)
        ops.push_back(copyOut(u, phase));
}

void SimulatedShards::copyOutLayer(std::vector<Op> &ops, Phase phase)
{
    if (!m_r.copiesGathered)
        return;
    auto at = ops.begin();
    for (const Unit *u : layerUnits())
        at = ops.insert(at, copyOut(*u, phase)) + 1;
    // Forward holds the gathered buffer of the layer before until the copies of this one are made
    // (FSDPParamGroup.wait_for_unshard).
    for (const Unit *u : phase == Phase::Forward ? layerUnits() : std::vector<const Unit *>{}) {
        ops.front().writes.push_back({.buffer = u->previousOutput});
        ops.front().frees.push_back({.buffer = u->previousOutput});
    }
}

void SimulatedShards::gatherLayer(std::vector<Op> &ops, std::vector<Op>::iterator at, int shift, Phase phase)
{
    for (const Unit *u : layerUnits())
        at = ops.insert(at, gather(*u, shift, phase)) + 1;
}

void SimulatedShards::freeGatheredLayer(Op &op) const
{
    for (const Unit *u : layerUnits())
        op.frees.push_back({.buffer = u->gathered});
}

// BF16_Optimizer.update_hp_grads (DeepSpeed 0.7.2): each 16-bit gradient is cast, and then added.
void SimulatedShards::addAccumulation(std::vector<Op> &ops, const Unit &u)
{
    if (!m_r.accumulatesInFp32)
        return;
    const auto elements = double(u.trained);
    ops.push_back({.name = "accumulate",
        .kernel = bytesKernel((2 + 4 + 4) * elements, (4 + 4) * elements),
        .phase = Phase::Backward,
        .reads = writtenGradients(u),
        .writes = writtenGradients(u)});
}

// A unit with only frozen weights is also reduced, although it has no gradients.
void SimulatedShards::addNoGradients(std::vector<Op> &ops, const Unit &u)
{
    if (u.trained == 0)
        ops.push_back(
            {.name = "no_gradients", .kernel = nothing(), .phase = Phase::Backward, .writes = writtenGradients(u)});
}

void SimulatedShards::addReduction(std::vector<Op> &ops, const Unit &u)
{
    if (fsdp()) {
        addNoGradients(ops, u);
        addShardedReduction(ops, u);
    } else if (u.sharding.ranks > 1) {
        const OpKind kind = m_p.kind == ParallelKind::Zero1 && !m_r.accumulatesInFp32 && !runsZeroOptimizer()
                                ? OpKind::ReduceScatter
                                : OpKind::AllReduce;
        ops.push_back({.name = "reduce",
            .kernel = collective(kind, u.trained * sizeOf(m_r.gradient), u.sharding.group),
            .stream = overlapsReduction() ? Stream::Reduce : Stream::Compute,
            .phase = Phase::Backward,
            .reads = writtenGradients(u),
            .writes = writtenGradients(u)});
    }
}

// FSDP1 has views of one flat weight. Autograd assembles its gradient before the weights are freed. FSDP2 copies the
// gradients one by one into the input of the reduction.
void SimulatedShards::addFlat(std::vector<Op> &ops, const Unit &u)
{
    const bool kept = accumulatesWhole() && !isFlat() && !m_firstBackward,
               wider = isFlat() && m_r.reduced != m_r.compute;
    addCopy(ops, "reduce_input", kept ? accumulatedGradients(u) : writtenGradients(u),
        {{.buffer = wider ? u.flatGradient : u.reduceInput}}, true);
    if (isFlat() && gathersDuringPasses())
        ops.back().frees.push_back({.buffer = u.gathered});
}

void SimulatedShards::addShardedReduction(std::vector<Op> &ops, const Unit &u)
{
    const bool kept = accumulatesWhole() && !m_firstBackward, wider = isFlat() && m_r.reduced != m_r.compute;
    if (kept)
        keepWhole(ops, u);
    if (!kept || !isFlat())
        addFlat(ops, u);
    Use input =
        kept && isFlat() ? accumulatedGradients(u).front() : Use{.buffer = wider ? u.flatGradient : u.reduceInput};
    std::vector<Use> inputs{input};
    if (wider) { // holds the gradient in its earlier type (FSDP's _post_backward_hook, autograd_computed_grad)
        addCopy(ops, "upcast_gradient", {input}, {{.buffer = u.reduceInput}}, false);
        input.buffer = u.reduceInput;
        inputs.push_back(input);
    }
    addReduceScatter(ops, u, input, !holdsReduceInput() || !u.perLayer ? inputs : std::vector<Use>{});
}

void SimulatedShards::addPostponedReduction(std::vector<Op> &ops, const Unit &u)
{
    addNoGradients(ops, u);
    const Use input{.buffer = u.reduceInput};
    addCopy(ops, "reduce_input", accumulatesWhole() ? accumulatedGradients(u) : writtenGradients(u), {input}, true);
    ops.back().frees.push_back({.buffer = u.gathered});
    addReduceScatter(ops, u, input, {input});
}

void SimulatedShards::addReduceScatter(std::vector<Op> &ops, const Unit &u, Use input, std::vector<Use> freed)
{
    const Use output{.buffer = addsReduced() ? u.reduceOutput : u.gradients};
    const Bytes bytes = u.trained * sizeOf(m_r.reduced), own = ceilDiv(bytes, u.sharding.shards);
    ops.push_back({.name = "reduce_scatter",
        .kernel = shardCollective(OpKind::ReduceScatter, bytes, u),
        .stream = overlapping(Stream::Reduce),
        .phase = Phase::Backward,
        .reads = {input},
        .writes = {output},
        .frees = std::move(freed)});
    if (m_p.kind == ParallelKind::Hsdp && u.sharding.ranks > u.sharding.shards)
        ops.push_back({.name = "replica_reduce",
            .kernel = collective(OpKind::AllReduce, own, u.sharding.replicas),
            .stream = overlapping(Stream::Reduce),
            .phase = Phase::Backward,
            .reads = {output},
            .writes = {output}});
    if (!addsReduced())
        return;
    ops.push_back({.name = "add_reduced",
        .kernel = bytesKernel(2.0 * double(own), double(own)),
        .stream = overlapping(Stream::Reduce),
        .phase = Phase::Backward,
        .reads = {output},
        .writes = {{.buffer = u.gradients}}});
    if (!holdsReduceOutput() || !u.perLayer)
        ops.back().frees.push_back(output);
}

// Reads `from`, and the target if `adds`. Writes `to`. Frees `from` if `passed`.
void SimulatedShards::addCopy(
    std::vector<Op> &ops, std::string name, const std::vector<Use> &from, std::vector<Use> to, bool passed, bool adds)
{
    const auto bytesOf = [&](const std::vector<Use> &uses) {
        return std::accumulate(uses.begin(), uses.end(), Bytes{},
            [&](Bytes sum, const Use &use) { return sum + m_b.plan.at(use.buffer).bytes; });
    };
    const Bytes read = bytesOf(from), written = bytesOf(to);
    ops.push_back({.name = std::move(name),
        .kernel =
            bytesKernel(double(read + (adds ? written : 0)), double(written), CostClass::Elementwise, read != written),
        .phase = Phase::Backward,
        .reads = from,
        .writes = std::move(to)});
    if (passed)
        ops.back().frees = from;
}

// FSDP2 casts the gradients one by one to the type of the reduction (FSDPParam.to_accumulated_grad_if_needed). For
// FSDP1, the first flat gradient itself becomes the sum.
void SimulatedShards::keepWhole(std::vector<Op> &ops, const Unit &u)
{
    if (!accumulatesWhole())
        return;
    const std::vector<Use> whole = accumulatedGradients(u), written = writtenGradients(u);
    if (!isFlat() && m_firstBackward) {
        for (std::size_t i = 0; i < written.size(); ++i)
            addCopy(ops, "keep_gradient_" + std::to_string(i), {written[i]}, {whole[i]}, true);
    } else if (!isFlat()) {
        addCopy(ops, "add_gradients", written, whole, true, true);
    } else if (m_firstBackward) {
        addCopy(ops, "keep_gradient", written, whole, true);
        if (gathersDuringPasses())
            ops.back().frees.push_back({.buffer = u.gathered});
    } else {
        addFlat(ops, u);
        const std::vector<Use> flat = ops.back().writes;
        addCopy(ops, "add_gradients", flat, whole, true, true);
    }
}

void SimulatedShards::releaseReduceInput(std::vector<Op> &ops, int shift)
{
    if (!holdsReduceInput())
        return;
    Op op{.name = "release_reduced", .kernel = nothing(), .phase = Phase::Backward};
    for (const Unit *u : layerUnits())
        op.frees.push_back({.buffer = u->reduceInput, .layerShift = static_cast<std::int8_t>(shift)});
    ops.push_back(std::move(op));
}

Op SimulatedShards::releasedOutputs()
{
    Op op{.name = "release_reduced", .kernel = nothing(), .phase = Phase::Backward};
    for (const Unit *u : layerUnits())
        op.frees.push_back({.buffer = u->reduceOutput});
    return op;
}

// Megatron's older recipes reduce after the last backward pass. So does DeepSpeed's pipeline engine, also with one
// stage (runtime/pipe/engine.py, _exec_reduce_grads; 0.4.2). DDP and later Megatron reduce during backward.
bool SimulatedShards::overlapsReduction() const
{
    if (m_c.simulated.overlapReduce)
        return *m_c.simulated.overlapReduce;
    return !(m_c.framework == Framework::Megatron &&
             (m_c.simulated.olderRecipe || m_r.pipelineEngine || m_r.accumulatesInFp32));
}

void SimulatedShards::addSlots(std::vector<Slot> &slots, BlockId block) const
{
    for (int i = 0; i < (m_b.plan.at(block).layered ? m_b.plan.layers : 1); ++i)
        slots.push_back({.block = block, .index = i});
}

void SimulatedShards::addUpdatedGathers()
{
    Segment segment{.microBatches = 0};
    for (const Unit *u : units()) {
        if (u->sharding.ranks <= 1)
            continue;
        const KernelId kernel = collective(OpKind::AllGather, u->elements * sizeOf(m_r.weight), u->sharding.group);
        const BlockId block = m_b.block({"gather_updated",
            {{.name = "gather_weights",
                .kernel = kernel,
                .stream = Stream::Gather,
                .reads = {{.buffer = u->weights}},
                .writes = {{.buffer = u->weights}}}},
            u->perLayer});
        addSlots(segment.slots, block);
    }
    plan().schedule.push_back(std::move(segment));
}

void SimulatedShards::addGathers()
{
    Segment segment{.microBatches = 0};
    for (const Unit *u : units()) {
        std::vector<Op> ops;
        gatherUnit(ops, *u, Phase::Forward);
        const BlockId block = m_b.block({"gather_weights", std::move(ops), u->perLayer});
        addSlots(segment.slots, block);
    }
    plan().schedule.push_back(std::move(segment));
}

} // namespace slipway
