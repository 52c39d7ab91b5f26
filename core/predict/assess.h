// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Memory, speed and cost of one plan. predict() computes them for the configuration and for each suggested change.
#pragma once

#include "base/result.h"
#include "config/apply_framework.h"
#include "hardware/catalogue.h"
#include "predict/shared_plan.h"
#include "predict/prediction.h"

namespace slipway {

// What is known about the software of a configuration. BuiltIn: a framework of the planner, without a profile.
// OtherGpus: a profile whose measured runs were on other GPUs.
enum class SoftwareKnowledge { BuiltIn, Profile, OtherGpus, Unknown };
template<>
struct EnumNames<SoftwareKnowledge> {
    static constexpr std::array<std::string_view, 4> names{"engine", "profile", "elsewhere", "unknown"};
};
SoftwareKnowledge softwareKnowledge(const RunConfig &config, const Gpu &gpu, const Frameworks &frameworks);

// A configuration with its names resolved and its settings checked against one another.
struct ResolvedConfig {
    RunConfig config;
    ModelSpec model;
    Gpu gpu;
    SoftwareKnowledge softwareKnowledge = SoftwareKnowledge::BuiltIn;
    std::vector<AppliedField> software = {}; // settings from the framework's profile
    OpenChoices open = {};                   // the choices that were left to the framework
    DeviceCalibration calibration = {};      // for this GPU and framework; without constants: the catalogue's rates
};
Result<ResolvedConfig> resolveConfig(const RunConfig &config, const Catalogue &catalogue);
// The same with model and GPU already resolved, so that a search looks them up once. `model` is the result of
// resolveModel(), before the framework's profile changes it.
Result<ResolvedConfig> resolveConfig(RunConfig config, ModelSpec model, Gpu gpu, const Catalogue &catalogue);
// The same model with other settings, and perhaps on another GPU. The profile is not applied again. The caller has
// checked `config`.
ResolvedConfig changedConfig(const ResolvedConfig &resolved, RunConfig config, Gpu gpu, const Catalogue &catalogue);

struct Assessment {
    MemoryPrediction memory; // without maxMicroBatch
    SpeedPrediction speed;
    CostPrediction cost;
};
Result<Assessment> assess(const ResolvedConfig &resolved, const Catalogue &catalogue);
// The same with the plan of a configuration that has an equal one.
Result<Assessment> assess(const ResolvedConfig &resolved, const SharedPlan &shared, const Catalogue &catalogue);

// Assesses configurations one after another. One that differs from the one before only in the GPU, or in what it costs,
// uses the plan of that one.
class Assessor {
public:
    Result<Assessment> assess(const ResolvedConfig &resolved, const Catalogue &catalogue);

private:
    std::optional<RunConfig> m_planned; // none before the first
    Result<SharedPlan> m_plan = Error{};
};

// `retries` of the allocator, as memory's prediction counts them.
SpeedPrediction predictSpeed(
    const ResolvedConfig &resolved, const RunPlan &plan, int retries, const Catalogue &catalogue);

// Bytes that one rank may use: the GPU's memory, the user's cap, or a rank's share of this machine's memory.
Bytes capacityOf(const ResolvedConfig &resolved);

} // namespace slipway
