// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Data parallelism: the gradients of a unit are reduced over the ranks with the same weights, once per step or after
// every micro-batch (plan/data_parallel.h). A rank gets the whole sum or its shard, depending on which rank updates the
// weights. Separate gradients of a layer are freed while the reduction of the next layer runs.
#include "plan/data_parallel.h"
#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

class GradientSums : public Strategy {
public:
    GradientSums(PlanBuilder &builder, const Layout &layout) : m_b(builder), m_l(layout) {}

    [[nodiscard]] LayerEdges backwardEdges(MicroBatchKind kind) const override
    {
        const bool own = m_l.data.ownGradientBuffer(kind.first);
        return {.last = own, .first = own && m_l.splitsBackward};
    }

    void reduceGradients(std::vector<Op> &ops, const ParameterUnit &unit, MicroBatchKind kind) const override
    {
        const DataParallelism &data = m_l.dataOf(unit);
        if (!sums(kind) || (data.ranks == 1 && !data.gathers && !data.everyMicroBatch))
            return; // a single rank may also write separate gradients
        const std::vector<Op> sum = reduce(m_b, data, unit, {.first = kind.first, .last = kind.last});
        ops.insert(ops.end(), sum.begin(), sum.end());
    }

    void freeGradients(Block &block, const BlockSite &site) const override
    {
        if (!m_l.data.ownGradientBuffer(site.microBatch.first) || !sums(site.microBatch))
            return;
        switch (site.kind) {
        case BlockKind::LayerBackward:
            if (!site.lastLayer && !m_l.splitsBackward)
                return drop(block, UnitSection::Layer, 1);
            if (!site.beforeHead)
                return;
            drop(block, UnitSection::Head);
            if (!m_l.stage.isFirst()) // a replica of the tied table
                drop(block, UnitSection::Embedding);
            return;
        case BlockKind::LayerWeights:
            if (!site.lastLayer)
                drop(block, UnitSection::Layer, 1);
            if (site.firstLayer)
                drop(block, UnitSection::Layer);
            return;
        case BlockKind::EmbeddingBackward:
            if (!m_l.splitsBackward)
                drop(block, UnitSection::Layer);
            return drop(block, UnitSection::Embedding);
        case BlockKind::SendGradient:
            if (!m_l.splitsBackward)
                drop(block, UnitSection::Layer);
            return;
        default:
            return;
        }
    }

private:
    [[nodiscard]] bool sums(MicroBatchKind kind) const { return m_l.data.everyMicroBatch || kind.last; }

    void drop(Block &block, UnitSection section, int layerShift = 0) const
    {
        for (const ParameterUnit &unit : unitsOf(m_b.plan, section))
            block.ops.back().frees.push_back(
                {.buffer = *unit.fullGradient, .layerShift = static_cast<std::int8_t>(layerShift)});
    }

    PlanBuilder &m_b;
    const Layout &m_l;
};

} // namespace

StrategyPointer gradientSums(const StrategyParts &parts)
{
    return parts.layout.data.ranks > 1 ? std::make_unique<GradientSums>(parts.builder, parts.layout) : nullptr;
}

} // namespace slipway::native
