// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One plan's memory, speed and cost: what predict() asks for the configuration itself and for each change it suggests.
#pragma once

#include "base/result.h"
#include "config/apply_framework.h"
#include "hardware/catalogue.h"
#include "predict/shared_plan.h"
#include "predict/prediction.h"

namespace slipway {

// What is known of the software that a configuration names. Engine: one of the planner's own, without a profile.
// Elsewhere: a profile whose runs were on other GPUs.
enum class Knowledge { Engine, Profile, Elsewhere, Unknown };
template<>
struct EnumNames<Knowledge> {
    static constexpr std::array<std::string_view, 4> names{"engine", "profile", "elsewhere", "unknown"};
};
Knowledge knowledgeOf(const RunConfig &config, const Gpu &gpu, const Frameworks &frameworks);

// A configuration with its names resolved and its settings checked against one another.
struct Subject {
    RunConfig config;
    ModelSpec model;
    Gpu gpu;
    Knowledge knowledge = Knowledge::Engine;
    std::vector<AppliedField> software = {}; // what the framework's profile has settled
    DeviceCalibration calibration = {}; // of this card under this framework; without constants: as the catalogue has it
};
Result<Subject> resolveSubject(const RunConfig &config, const Catalogue &catalogue);
// With the model and the GPU that the configuration names, already resolved: `model` is as resolveModel() gives it,
// without what the framework's profile makes of it. A search that tries many settings looks both up once.
Result<Subject> resolveSubject(RunConfig config, ModelSpec model, Gpu gpu, const Catalogue &catalogue);
// The same model with other settings on a GPU that may be another one; what the profile has settled stays as it is.
// `config` is checked by the caller.
Subject changedSubject(const Subject &subject, RunConfig config, Gpu gpu, const Catalogue &catalogue);

struct Assessment {
    MemoryPrediction memory; // without maxMicroBatch
    SpeedPrediction speed;
    CostPrediction cost;
};
Result<Assessment> assess(const Subject &subject, const Catalogue &catalogue);
// With the plan of a configuration that shares it.
Result<Assessment> assess(const Subject &subject, const SharedPlan &shared, const Catalogue &catalogue);

// `retries` of the allocator, as memory's prediction counts them.
SpeedPrediction predictSpeed(const Subject &subject, const RunPlan &plan, int retries, const Catalogue &catalogue);

// Bytes that one rank of the subject may use: the card's own, the user's cap, or a rank's part of this machine.
Bytes capacityOf(const Subject &subject);

} // namespace slipway
