// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/build_plan.h"

#include <algorithm>
#include <stdexcept>

#include "config/validate_mesh.h"
#include "plan/lifetimes.h"
#include "plan/mesh.h"
#include "plan/native/step.h"
#include "plan/native/supported.h"
#include "plan/simulated_step.h"

namespace slipway {

namespace {

// What the simulated frameworks cannot express yet.
Result<void> checkSimulated(const RunConfig &c)
{
    if (c.reduceType == ReduceType::Bf16)
        return Error{.what = "bf16 sums of fp32 gradients cannot be planned for " + std::string(enumName(c.framework)),
            .where = "--reduce-type",
            .accepted = "fp32; --gradient-type half; or --framework slipway"};
    if (const PipelineSchedule schedule = c.parallel.schedule;
        schedule == PipelineSchedule::GPipe || schedule == PipelineSchedule::ZeroBubble)
        return Error{.what = "the pipeline schedule " + std::string(enumName(schedule)) + " cannot be planned for " +
                             std::string(enumName(c.framework)),
            .where = "--pipeline-schedule",
            .accepted = "auto, 1f1b, interleaved, or --framework slipway"};
    if (c.optimizer == OptimizerKind::Muon || c.ema > 0)
        return Error{.what = std::string(c.ema > 0 ? "a moving average of the weights" : "Muon") +
                             " cannot be planned for " + std::string(enumName(c.framework)),
            .where = c.ema > 0 ? "--ema" : "--optimizer",
            .accepted = c.ema > 0 ? "0, or --framework slipway"
                                  : "adamw, adamw-foreach, adamw-8bit, sgd, or --framework slipway"};
    return {};
}

} // namespace

StepPlan buildStage(const RunConfig &config, const ModelSpec &model, int stage)
{
    StepPlan plan = config.framework == Framework::Slipway ? native::buildStep(config, model, stage)
                                                           : buildSimulatedStep(config, model, stage);
    plan.mesh = meshOf(config.parallel);
    if (const std::vector<std::string> faults = markAllocations(plan); !faults.empty())
        throw std::logic_error("internal error in the step plan: " + faults.front());
    return plan;
}

Result<RunPlan> buildPlan(const RunConfig &config, const ModelSpec &model)
{
    if (const Result<void> mesh = validateMesh(config, model); !mesh)
        return mesh.error();
    const Result<void> supported =
        config.framework == Framework::Slipway ? native::checkSupported(config, model) : checkSimulated(config);
    if (!supported)
        return supported.error();
    RunPlan run;
    for (int stage = 0; stage < config.parallel.pp; ++stage) {
        // Stages between the first two and the last equal the second one.
        if (stage > 1 && stage + 1 < config.parallel.pp)
            continue;
        run.stages.push_back(buildStage(config, model, stage));
    }
    return run;
}

} // namespace slipway
