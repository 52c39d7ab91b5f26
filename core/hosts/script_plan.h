// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// From the command of another training script to what can be said of its run beforehand.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "frameworks/command_arguments.h"
#include "hardware/catalogue.h"
#include "hosts/host.h"
#include "hosts/shell.h"
#include "predict/prediction.h"
#include "runs/script_rules.h"

namespace slipway {

// The model's name in the configuration of a run whose model is not set.
inline constexpr std::string_view kUnplannedModel = "unplanned";
inline bool isPlanned(const RunConfig &config) { return config.model.name != kUnplannedModel; }

struct ScriptPlan {
    RunConfig config;               // with what the command says
    std::vector<ReadArgument> read; // from the command, and taken
    std::optional<Prediction> prediction;
    std::string noPlan; // a sentence on what is missing for a prediction
};

// `given`: keys that the user has set, which count over the command. Without them model, GPU, batch and sequence are
// only defaults, which say nothing of a script; then nothing is predicted.
Result<ScriptPlan> planScript(RunConfig config, const std::set<std::string> &given, const Catalogue &catalogue);

// A size of the step, or the number of GPUs, of which the command says something else than the configuration.
struct CommandDifference {
    ReadArgument said; // `set` is the key of a setting
    std::string planned;
    bool operator==(const CommandDifference &) const = default;
};
std::vector<CommandDifference> commandDifferences(const RunConfig &config, const Frameworks &frameworks);

// What the run's script.json says. Refused where log_pattern is no expression, or the framework is not known.
Result<ScriptRules> scriptRulesOf(
    const RunConfig &config, const std::optional<Prediction> &prediction, const std::string &noPlan);

// Whether its folder and its program are there.
PreflightCheck commandCheck(Shell &shell, const RunConfig &config);

} // namespace slipway
