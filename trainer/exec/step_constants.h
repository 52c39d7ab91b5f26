// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <vector>

#include "cpu_ops/rope.h"
#include "exec/op_table.h"
#include "exec/plan_checks.h"
#include "exec/update_ranges.h"
#include "model/model_spec.h"
#include "plan/mesh.h"
#include "plan/step_plan.h"

namespace slipway {

// What ops of this rank need in addition to their operands, and what is constant over all steps: position tables, the
// coordinates in the mesh, ranges of the optimizer's update. `plan`, `model` and `groups` must outlive it.
class StepConstants {
public:
    // `coordinate`: of this rank in the mesh. `groups`: in the order of the plan. `zLoss`: weight of the z-loss.
    StepConstants(const StepPlan &plan, const ModelSpec &model, MeshCoordinate coordinate,
        const std::vector<Communicator *> &groups, double zLoss);

    // `tokens`: number of targets of the step on all ranks that are not ignored.
    [[nodiscard]] StepContext context(double tokens = 1) const;

private:
    const StepPlan &m_plan;
    const ModelSpec &m_model;
    MeshCoordinate m_coordinate;
    const std::vector<Communicator *> &m_groups;
    std::vector<cpu_ops::RopeTable> m_ropes;
    std::vector<float> m_alibiSlopes;
    float m_zLoss;
    std::vector<UnitRuns> m_unitRuns;
    std::vector<int> m_ranksPerShard;
};

} // namespace slipway
