// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// ZeRO stage 1 (Rajbhandari et al. 2020, arXiv 1910.02054): every rank has all weights, but only its shard of the
// optimizer states. The shards are gathered as soon as they are updated.
#include "plan/data_parallel.h"
#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

class ShardedOptimizer : public Strategy {
public:
    ShardedOptimizer(PlanBuilder &builder, const Layout &layout) : m_b(builder), m_l(layout) {}

    void afterUpdate(Block &block, const ParameterUnit &unit) const override
    {
        if (m_l.dataOf(unit).shards > 1)
            block.ops.push_back(gather(m_b, unit, Phase::Optimizer));
    }

private:
    PlanBuilder &m_b;
    const Layout &m_l;
};

} // namespace

StrategyPointer shardedOptimizer(const StrategyParts &parts)
{
    const DataParallelism &data = parts.layout.data;
    return data.shards > 1 && !data.gathers ? std::make_unique<ShardedOptimizer>(parts.builder, parts.layout) : nullptr;
}

} // namespace slipway::native
