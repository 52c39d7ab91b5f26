// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Derives a plan from the command of another training script.
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
    RunConfig config;               // includes the settings of the command
    std::vector<ReadArgument> read; // arguments of the command that were used
    std::optional<Prediction> prediction;
    std::string noPlan; // a sentence that says what is missing for a prediction
};

// `given`: keys that the user has set, which have precedence over the command. Model, GPU, batch size and sequence
// length that come from neither are only defaults and do not describe the script; then nothing is predicted.
Result<ScriptPlan> planScript(RunConfig config, const std::set<std::string> &given, const Catalogue &catalogue);

// A batch or sequence setting, or the number of GPUs, that differs between the command and the configuration.
struct CommandDifference {
    ReadArgument said; // `set` is the key of the setting
    std::string planned;
    bool operator==(const CommandDifference &) const = default;
};
std::vector<CommandDifference> commandDifferences(const RunConfig &config, const Frameworks &frameworks);

// The contents of script.json of the run. Fails if log_pattern is not a valid regular expression, or if the framework
// is unknown.
Result<ScriptRules> scriptRulesOf(
    const RunConfig &config, const std::optional<Prediction> &prediction, const std::string &noPlan);

// Whether the folder and the program of the command exist.
PreflightCheck commandCheck(Shell &shell, const RunConfig &config);

} // namespace slipway
