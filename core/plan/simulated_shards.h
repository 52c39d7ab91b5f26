// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The all-gathers of a stage's weights and the reductions of its gradients between data-parallel ranks.
#pragma once

#include <string>
#include <vector>

#include "plan/simulated_stage.h"

namespace slipway {

class SimulatedShards : public SimulatedStage {
public:
    using SimulatedStage::SimulatedStage;

protected:
    KernelId nothing() { return m_b.kernel({.kind = OpKind::View, .type = m_r.compute}); }
    [[nodiscard]] bool gathersDuringPasses() const { return fsdp() && !keepsUnsharded() && !keepsWeightsWhole(); }

    Op gather(const Unit &u, int shift, Phase phase);
    // Gathers a unit that is not prefetched by the layer before it.
    void gatherUnit(std::vector<Op> &ops, const Unit &u, Phase phase);
    void gatherLayer(std::vector<Op> &ops, std::vector<Op>::iterator at, int shift, Phase phase);
    // FSDP2: copies the weights of a layer out of the all-gather's output, before the layer runs.
    void copyOutLayer(std::vector<Op> &ops, Phase phase);
    void freeGatheredLayer(Op &op) const;
    // Adds `block` to the segment: once, or for each layer if the unit is a layer.
    void addSlots(std::vector<Slot> &slots, BlockId block) const;
    // Gathers all units before the first micro-batch.
    void addGathers();
    // Whether the updated weights are gathered during the next forward pass. In Megatron-Core's distributed optimizer,
    // each rank updates its shard of the weights. NVIDIA's recipes overlap the all-gather with the forward pass
    // (overlap_param_gather); older recipes wait for it.
    [[nodiscard]] bool gathersUpdated() const
    {
        return m_c.framework == Framework::Megatron && m_p.kind == ParallelKind::Zero1 && overlapsReduction();
    }
    void addUpdatedGathers();

    void addAccumulation(std::vector<Op> &ops, const Unit &u);
    // Reduces the unsharded gradients into this rank's shard, or in place; or keeps them unsharded until the last
    // micro-batch of the step.
    void addReduction(std::vector<Op> &ops, const Unit &u);
    void keepWhole(std::vector<Op> &ops, const Unit &u);
    // Whether the backward pass ends with a reduction. `last`: it is that of the last micro-batch of the step.
    [[nodiscard]] bool reducesAfter(bool last) const
    {
        return !postponesReduction() && (last || (fsdp() ? !reducesLast() : m_c.gradReduce == GradReduce::MicroBatch));
    }
    // Whether gradients are reduced, and weights freed, only after all backward passes, as with FSDP2 in PyTorch's
    // pipelines (perform_reduce_grad, PyTorch 2.11).
    [[nodiscard]] bool postponesReduction() const { return keepsUnsharded() && (m_r.copiesGathered || isOneUnit()); }
    void addPostponedReduction(std::vector<Op> &ops, const Unit &u);
    // Whether the output of the reduce-scatter is kept until the backward pass has ended. FSDP2's hybrid sharding does
    // (AllReduceState, FSDPParamGroup.finalize_backward).
    [[nodiscard]] bool holdsReduceOutput() const
    {
        return m_p.kind == ParallelKind::Hsdp && addsReduced() && m_dense.ranks > m_dense.shards;
    }
    // Whether the input of a reduce-scatter is kept until the next unit reduces, as in FSDP2
    // (FSDPParamGroup.post_backward, reduce_scatter_state).
    [[nodiscard]] bool holdsReduceInput() const { return fsdp() && m_r.copiesGathered; }
    void releaseReduceInput(std::vector<Op> &ops, int shift);
    Op releasedOutputs();

private:
    Op copyOut(const Unit &u, Phase phase);
    // The stream of a collective that could overlap with computation. In a traced graph, collectives do not overlap.
    [[nodiscard]] Stream overlapping(Stream stream) const { return m_r.waitsForShards ? Stream::Compute : stream; }
    KernelId shardCollective(OpKind kind, Bytes bytes, const Unit &u)
    {
        return m_b.kernel({.kind = kind,
            .type = m_r.compute,
            .m = 1,
            .n = bytes,
            .calls = m_r.shardsEachTensor ? u.tensors : 1,
            .messageBytes = bytes,
            .group = u.sharding.group});
    }
    [[nodiscard]] bool overlapsReduction() const;
    // Whether the result of a reduction is added to existing gradients, from a separate buffer (FSDP2).
    [[nodiscard]] bool addsReduced() const { return m_r.copiesGathered && !m_firstBackward && !reducesLast(); }
    void addFlat(std::vector<Op> &ops, const Unit &u);
    void addCopy(std::vector<Op> &ops, std::string name, const std::vector<Use> &from, std::vector<Use> to, bool passed,
        bool adds = false);
    void addNoGradients(std::vector<Op> &ops, const Unit &u);
    void addShardedReduction(std::vector<Op> &ops, const Unit &u);
    void addReduceScatter(std::vector<Op> &ops, const Unit &u, Use input, std::vector<Use> freed);

protected:
    bool m_firstBackward = true; // whether the blocks that are recorded are those of the step's first micro-batch
};

} // namespace slipway
