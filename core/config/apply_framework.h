// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// From the name of a framework to what it does in a plan: the fields of its profile become settings.
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"
#include "frameworks/framework_profile.h"
#include "model/model_spec.h"

namespace slipway {

// A field of a profile that counts for a plan, and from where it comes.
struct AppliedField {
    std::string key, value;
    FieldOrigin origin = FieldOrigin::Assumed;
    std::string reference;
    std::string asOf = {}; // date; empty: given by the user
    bool operator==(const AppliedField &) const = default;
};

// Sets what the profile of `config.software` says, and the PyTorch of its day, wherever `config` has the default; then
// `config.frameworkOptions`. Returns what was set. Afterwards attention, recomputation and precision have values, and
// `config.simulated.torchChanges` are those of its version of PyTorch. Otherwise, a configuration of Slipway's own
// engine stays as it is, but for the options.
Result<std::vector<AppliedField>> applyFramework(RunConfig &config, ModelSpec &model, const Frameworks &frameworks);

// The choices that a configuration leaves to its framework.
struct OpenChoices {
    bool attention = false, recompute = false, precision = false;
};
OpenChoices openChoicesOf(const RunConfig &config);

// Gives attention, recomputation and precision the values that they have if neither the user nor a profile says
// anything.
void settleChoices(RunConfig &config);
// `asked` with the attention, recomputation and precision of the configuration that it resolved to.
RunConfig withSettledChoices(RunConfig asked, const RunConfig &resolved);

// Whether all of them hold for a choice of the plan.
bool conditionsHold(const std::vector<FieldCondition> &conditions, const RunConfig &config, const ModelSpec &model);

// Sets each field that holds on `day` (YYYYMMDD, 0: the newest), whatever `config` has; a later one counts over an
// earlier one. Returns those that changed something.
Result<std::vector<AppliedField>> applyFields(
    const std::vector<FrameworkField> &fields, RunConfig &config, ModelSpec &model, int day);

// Whether every field names an option that exists, with a value that it takes.
Result<void> checkFields(const std::vector<FrameworkField> &fields);

// Whether every field of every profile names an option that exists, with a value that it takes.
Result<void> checkFrameworks(const Frameworks &frameworks);

} // namespace slipway
