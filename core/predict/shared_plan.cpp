// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/shared_plan.h"

#include <limits>

namespace slipway {

bool usesArena(const RunConfig &c)
{
    return c.framework == Framework::Slipway ||
           (c.framework == Framework::Megatron && c.simulated.lossPath == LossPath::InPlace);
}

Replay replayWithin(Bytes limit, const AllocationTrace &trace, const RunConfig &config)
{
    // Adam's states are allocated at the end of the first step. They are between the buffers that the second step
    // leaves. The peak of the third step is steady.
    constexpr int kStepsToSteady = 3;
    return replay(trace, {.limit = limit, .expandable = config.simulated.expandableSegments}, kStepsToSteady);
}

MemoryNeeds memoryNeeds(const StepPlan &stage, const RunConfig &config, Placement placement)
{
    MemoryNeeds needs{.peak = peakMemory(stage, placement)};
    if (!usesArena(config)) {
        needs.trace = allocationTrace(stage);
        needs.unlimited = replayWithin(std::numeric_limits<Bytes>::max(), needs.trace, config);
    }
    return needs;
}

Result<SharedPlan> sharedPlan(const RunConfig &config, const ModelSpec &model)
{
    Result<RunPlan> plan = buildPlan(config, model);
    if (!plan)
        return plan.error();
    SharedPlan shared{.plan = *std::move(plan)};
    for (const StepPlan &stage : shared.plan.stages)
        shared.needs.push_back(memoryNeeds(stage, config, usesArena(config) ? Placement::Arena : Placement::None));
    return shared;
}

bool sharesPlan(const RunConfig &a, const RunConfig &b)
{
    RunConfig c = a;
    c.gpu = b.gpu;
    c.networkGbps = b.networkGbps;
    c.memoryGib = b.memoryGib;
    c.calibration = b.calibration;
    c.prices = b.prices;
    c.tokens = b.tokens;
    c.usdBudget = b.usdBudget;
    c.scalingLaw = b.scalingLaw;
    c.targetLoss = b.targetLoss;
    c.faults = b.faults;
    c.training = b.training;
    c.training.documents = a.training.documents;
    return c == b;
}

} // namespace slipway
