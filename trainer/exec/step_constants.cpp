// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/step_constants.h"

#include <cstddef>

#include "exec/model_tables.h"
#include "plan/data_parallel.h"

namespace slipway {

namespace {

std::vector<int> shardsOf(const StepPlan &plan)
{
    std::vector<int> shards;
    for (const ParameterUnit &unit : plan.units)
        shards.push_back(ranksPerShard(plan, unit));
    return shards;
}

} // namespace

StepConstants::StepConstants(const StepPlan &plan, const ModelSpec &model, MeshCoordinate coordinate,
    const std::vector<Communicator *> &groups, double zLoss)
    : m_plan(plan),
      m_model(model),
      m_coordinate(coordinate),
      m_groups(groups),
      m_ropes(ropeTables(model, batchShape(plan).seqLen)),
      m_alibiSlopes(alibiSlopes(model, plan.mesh.tensor.size, coordinate.tensor)),
      m_zLoss(static_cast<float>(zLoss)),
      m_unitRuns(unitRuns(plan)),
      m_ranksPerShard(shardsOf(plan))
{
}

StepContext StepConstants::context(double tokens) const
{
    return {.groups = m_groups,
        .shard = m_coordinate.shard,
        .model = m_model,
        .ropeTables = m_ropes,
        .alibiSlopes = m_alibiSlopes,
        .normEps = static_cast<float>(m_model.norm.eps),
        .zLoss = m_zLoss,
        .lossScale = static_cast<float>(1.0 / tokens),
        .sequenceShard = {m_plan.mesh.context.size, m_coordinate.context},
        .unitRuns = m_unitRuns,
        .ranksPerShard = m_ranksPerShard,
        .units = m_plan.units,
        .microBatchShare = 1.0f / (static_cast<float>(m_plan.gradAccum) * static_cast<float>(m_plan.mesh.dataRanks()) *
                                      static_cast<float>(m_plan.mesh.tensor.size))};
}

} // namespace slipway
