// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Small models and configurations that tests plan for a mesh.
#pragma once

#include <stdexcept>
#include <vector>

#include "plan/build_plan.h"
#include "plan/mesh.h"
#include "support/plan_fixtures.h"

namespace slipway::testing {

inline ModelSpec modelOf(int layers, bool tied)
{
    ModelSpec m = smallModel();
    m.layers = layers;
    m.attention = {.heads = 8, .kvHeads = 8, .headDim = 4};
    m.head.tied = tied;
    return m;
}

// The plans of all stages of a mesh.
struct Planned {
    RunConfig config;
    std::vector<StepPlan> stages;

    // The plan of each rank, in the order of the ranks.
    [[nodiscard]] std::vector<const StepPlan *> ofRanks() const
    {
        std::vector<const StepPlan *> plans;
        for (int rank = 0; rank < config.parallel.gpus; ++rank)
            plans.push_back(&stages[static_cast<std::size_t>(stageOf(config.parallel, rank))]);
        return plans;
    }
};

inline Planned planned(const ModelSpec &model, const RunConfig &config)
{
    if (const Result<RunPlan> plan = buildPlan(config, model); !plan)
        throw std::runtime_error(plan.error().message());
    Planned all{config, {}};
    for (int stage = 0; stage < config.parallel.pp; ++stage)
        all.stages.push_back(buildStage(config, model, stage));
    return all;
}

inline RunConfig meshConfig(int tp, int pp, int dp = 1, ParallelKind kind = ParallelKind::None, int cp = 1)
{
    RunConfig config = smallConfig();
    config.parallel = {.kind = kind, .gpus = tp * cp * pp * dp, .gpusPerNode = 8, .tp = tp, .pp = pp, .cp = cp};
    return config;
}

} // namespace slipway::testing
