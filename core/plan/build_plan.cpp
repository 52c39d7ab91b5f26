// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/build_plan.h"

#include <algorithm>
#include <stdexcept>

#include "config/resolve_model.h"
#include "plan/lifetimes.h"
#include "plan/native/step.h"
#include "plan/native/supported.h"
#include "plan/simulated_step.h"

namespace slipway {

namespace {

// What the simulated frameworks cannot express yet.
Result<void> checkSimulated(const RunConfig &c, const ModelSpec &m)
{
    const Parallelism &p = c.parallel;
    if (p.pp > m.layers)
        return Error{
            .what = std::to_string(p.pp) + " pipeline stages exceed the " + std::to_string(m.layers) + " layers",
            .where = "--pp",
            .accepted = "1 to " + std::to_string(m.layers)};
    if (p.gpus % p.modelParallel() != 0)
        return Error{.what = std::to_string(p.gpus) +
                             " GPUs are not a multiple of tp x pp x cp = " + std::to_string(p.modelParallel()),
            .where = "--gpus",
            .accepted = "a multiple of tp x pp x cp"};
    if (p.kind == ParallelKind::None && p.dataParallel() > 1)
        return Error{
            .what = "none needs a single data-parallel rank; this mesh has " + std::to_string(p.dataParallel()),
            .where = "--parallel",
            .accepted = "ddp, zero1, fsdp-full, fsdp-grad-op, hsdp"};
    if (c.reduceType == ReduceType::Bf16)
        return Error{.what = std::string(enumName(c.framework)) + " is not planned with bf16 sums of fp32 gradients",
            .where = "--reduce-type",
            .accepted = "fp32; --gradient-type half; or --framework slipway"};
    if (c.optimizer == OptimizerKind::Muon || c.ema > 0)
        return Error{.what = std::string(enumName(c.framework)) + " is not planned with " +
                             (c.ema > 0 ? "a moving average of the weights" : "Muon"),
            .where = c.ema > 0 ? "--ema" : "--optimizer",
            .accepted = c.ema > 0 ? "0, or --framework slipway"
                                  : "adamw, adamw-foreach, adamw-8bit, sgd, or --framework slipway"};
    return validateExperts(p, m);
}

} // namespace

StepPlan buildStage(const RunConfig &config, const ModelSpec &model, int stage)
{
    StepPlan plan = config.framework == Framework::Slipway ? native::buildStep(config, model, stage)
                                                           : buildSimulatedStep(config, model, stage);
    if (const std::vector<std::string> faults = markAllocations(plan); !faults.empty())
        throw std::logic_error("internal error in the step plan: " + faults.front());
    return plan;
}

Result<RunPlan> buildPlan(const RunConfig &config, const ModelSpec &model)
{
    const Result<void> supported =
        config.framework == Framework::Slipway ? native::checkSupported(config, model) : checkSimulated(config, model);
    if (!supported)
        return supported.error();
    RunPlan run;
    for (int stage = 0; stage < config.parallel.pp; ++stage) {
        // Stages between the first two and the last are alike.
        if (stage > 1 && stage + 1 < config.parallel.pp)
            continue;
        run.stages.push_back(buildStage(config, model, stage));
    }
    return run;
}

} // namespace slipway
