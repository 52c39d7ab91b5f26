// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Fully sharded data parallelism: a unit's weights are gathered only while blocks need them (ZeRO stage 3, Rajbhandari
// et al. 2020, arXiv 1910.02054; FSDP, Zhao et al. 2023, arXiv 2304.11277). They are prefetched: the all-gather of a
// layer starts before the preceding layer runs.
#include <ranges>

#include "plan/data_parallel.h"
#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

class ShardedWeights : public Strategy {
public:
    explicit ShardedWeights(const StrategyParts &parts)
        : m_b(parts.builder),
          m_stage(parts.layout.stage),
          m_tied(parts.model.head.tied),
          m_reshards(parts.layout.data.reshards)
    {
    }

    [[nodiscard]] LayerEdges forwardEdges() const override { return {.last = true}; }
    [[nodiscard]] LayerEdges backwardEdges(MicroBatchKind /*kind*/) const override { return {.first = m_reshards}; }

    void gatherWeights(Block &block, const BlockSite &site) const override
    {
        switch (site.kind) {
        case BlockKind::Embedding:
            // The embedding is not read again, unless the LM head shares it.
            if (!m_tied || !m_stage.isLast())
                free(block, UnitSection::Embedding);
            prefetch(block, UnitSection::Layer, Phase::Forward);
            return prefetch(block, UnitSection::Embedding, Phase::Forward);
        case BlockKind::Receive:
            return prefetch(block, UnitSection::Layer, Phase::Forward);
        case BlockKind::LayerForward:
            return aroundLayer(block, site);
        case BlockKind::FinalNormBackward:
            free(block, UnitSection::Head);
            if (m_tied)
                free(block, UnitSection::Embedding);
            [[fallthrough]];
        case BlockKind::ReceiveGradient:
            return prefetchLayerInFront(block);
        case BlockKind::LayerBackward:
            free(block, UnitSection::Layer);
            if (!site.firstLayer)
                prefetchLayerInFront(block);
            return;
        default:
            return;
        }
    }

private:
    void aroundLayer(Block &block, const BlockSite &site) const
    {
        if (m_reshards)
            free(block, UnitSection::Layer);
        if (!site.lastLayer)
            return prefetch(block, UnitSection::Layer, Phase::Forward, 1);
        if (!site.beforeHead)
            return;
        prefetch(block, UnitSection::Head, Phase::Forward);
        if (!m_stage.isFirst()) // a replica of the tied table
            prefetch(block, UnitSection::Embedding, Phase::Forward);
    }

    void prefetchLayerInFront(Block &block) const
    {
        if (m_reshards)
            prefetch(block, UnitSection::Layer, Phase::Backward, -1);
    }

    void free(Block &block, UnitSection section) const
    {
        for (const ParameterUnit &unit : unitsOf(m_b.plan, section))
            block.ops.back().frees.push_back({.buffer = *unit.gathered});
    }

    void prefetch(Block &block, UnitSection section, Phase phase, int layerShift = 0) const
    {
        for (const ParameterUnit &unit : std::views::reverse(unitsOf(m_b.plan, section)))
            block.ops.insert(block.ops.begin(), gather(m_b, unit, phase, layerShift));
    }

    PlanBuilder &m_b;
    const StagePosition m_stage;
    const bool m_tied, m_reshards;
};

} // namespace

StrategyPointer shardedWeights(const StrategyParts &parts)
{
    return parts.layout.data.gathers ? std::make_unique<ShardedWeights>(parts) : nullptr;
}

} // namespace slipway::native
