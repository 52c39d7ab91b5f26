// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// script.json of a run whose steps are computed by another training script than slipway-train: how its log is read and
// how it is stopped and resumed. Written at the launch, so that a later change of a profile changes no run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "frameworks/trainer_interface.h"
#include "runs/liveness.h"
#include "runs/run_directory.h"

namespace slipway {

struct ScriptRules {
    TrainerInterface trainer; // its `arguments` are not kept
    // On the host, absolute or from the command's folder; empty: out.log of the run. Of a folder the newest file with
    // metrics counts.
    std::string log;
    bool attached = false; // started by somebody else: its processes are not known
    std::optional<Tokens> tokensPerStep;
    std::int64_t seqLen = 0; // tokens; 0: not known
    int gpus = 1;
    std::int64_t limitSeconds = 0; // the command is ended after them; 0: it is not
    std::string noPlan;            // why there is no prediction; empty: there is one
    bool operator==(const ScriptRules &) const = default;
};

std::filesystem::path scriptRulesFile(const RunPaths &paths);
bool hasScriptRules(const RunPaths &paths);
Result<ScriptRules> readScriptRules(const RunPaths &paths);
Result<void> writeScriptRules(const RunPaths &paths, const ScriptRules &rules);

// The file in the folder or below it that a tool with metrics has written to last: TensorBoard's before W&B's, tables
// and Hugging Face's states. Empty: there is none.
std::filesystem::path newestMetricsIn(const std::filesystem::path &folder);
inline constexpr std::string_view kMetricsFilesText =
    "events.out.tfevents.*, *.wandb, metrics.csv or trainer_state.json";

// What the run's log is called in the run's directory here: out.log, script.log of a run elsewhere that logs to a file
// of its own (a copy, or a link to it), else that file.
std::filesystem::path scriptLogFile(const RunPaths &paths, const ScriptRules &rules);
// What the host kept of logs that the script has written anew, one behind the other.
inline std::filesystem::path keptLogFile(const RunPaths &paths) { return paths.directory / "script.kept"; }

// Of an attached run: running while its log grows, and unknown after ten minutes without a line.
RunStanding attachedStanding(const RunPaths &paths, std::chrono::system_clock::time_point now);
// The same of a log that was written to so long ago.
RunStanding attachedStandingFrom(Seconds quiet);

} // namespace slipway
