// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How a stage's weights come together and its gradients go apart: gathers and reductions of the data-parallel ranks.
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
    [[nodiscard]] bool gathersOnTheWay() const { return fsdp() && !holdsWhole() && !keepsWeightsWhole(); }

    Op gather(const Unit &u, int shift, Phase phase);
    // A unit that no layer before it brings along.
    void gatherUnit(std::vector<Op> &ops, const Unit &u, Phase phase);
    void gatherLayer(std::vector<Op> &ops, std::vector<Op>::iterator at, int shift, Phase phase);
    // What FSDP2 gathered, copied weight by weight before anything of the layer runs.
    void copyOutLayer(std::vector<Op> &ops, Phase phase);
    void freeGatheredLayer(Op &op) const;
    // `block` for the unit: once, or for each layer.
    void addSlots(Segment &segment, const Unit &u, BlockId block) const;
    // All units, before the first micro-batch.
    void addGathers();
    // Megatron-Core's distributed optimizer has each rank update its part of the weights. They come together while the
    // next forward runs (overlap_param_gather, as NVIDIA's recipes have it); older recipes wait for that.
    [[nodiscard]] bool gathersUpdated() const
    {
        return m_c.framework == Framework::Megatron && m_p.kind == ParallelKind::Zero1 && overlapsReduction();
    }
    void addUpdatedGathers();

    void addAccumulation(std::vector<Op> &ops, const Unit &u);
    // Gradients whole -> reduced into this rank's shard, or summed where they lie; or kept whole until the step's last
    // micro-batch.
    void addReduction(std::vector<Op> &ops, const Unit &u);
    void keepWhole(std::vector<Op> &ops, const Unit &u);
    // Whether backward ends in a reduction; `last`: of the step's last micro-batch.
    [[nodiscard]] bool reducesAfter(bool last) const
    {
        return !postponesReduction() && (last || (fsdp() ? !reducesLast() : m_c.gradReduce == GradReduce::MicroBatch));
    }
    // PyTorch's pipelines have FSDP2 reduce, and let go of weights, when all of backward has run (perform_reduce_grad,
    // PyTorch 2.11).
    [[nodiscard]] bool postponesReduction() const { return holdsWhole() && (m_r.copiesGathered || isOneUnit()); }
    void addPostponedReduction(std::vector<Op> &ops, const Unit &u);
    // FSDP2's hybrid shards hold what one reduced until all of backward has run (AllReduceState,
    // FSDPParamGroup.finalize_backward).
    [[nodiscard]] bool holdsReduceOutput() const
    {
        return m_p.kind == ParallelKind::Hsdp && addsReduced() && m_dense.ranks > m_dense.shards;
    }
    // FSDP2 lets go of what it reduces when the next unit is about to (FSDPParamGroup.post_backward,
    // reduce_scatter_state).
    [[nodiscard]] bool holdsReduceInput() const { return fsdp() && m_r.copiesGathered; }
    void releaseReduceInput(std::vector<Op> &ops, int shift);
    Op releasedOutputs();

private:
    Op copyOut(const Unit &u, Phase phase);
    // Nothing runs beside what a traced graph gathers and reduces.
    [[nodiscard]] Stream beside(Stream stream) const { return m_r.waitsForShards ? Stream::Compute : stream; }
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
    // FSDP2 reduces into a buffer of its own, which is added to the gradients where there are some.
    [[nodiscard]] bool addsReduced() const { return m_r.copiesGathered && !m_firstBackward && !reducesLast(); }
    void addFlat(std::vector<Op> &ops, const Unit &u);
    void addCopy(std::vector<Op> &ops, std::string name, const std::vector<Use> &from, std::vector<Use> to, bool passed,
        bool adds = false);
    void addNoGradients(std::vector<Op> &ops, const Unit &u);
    void addShardedReduction(std::vector<Op> &ops, const Unit &u);
    void addReduceScatter(std::vector<Op> &ops, const Unit &u, Use input, std::vector<Use> freed);

protected:
    bool m_firstBackward = true; // the blocks that are written are those of the step's first micro-batch
};

} // namespace slipway
