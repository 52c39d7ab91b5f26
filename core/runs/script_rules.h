// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// script.json, in the run directory of a training script other than slipway-train: how its log is read, and how it is
// stopped and resumed. It is written at the launch, so that later changes of a profile do not affect the run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "frameworks/script_interface.h"
#include "runs/liveness.h"
#include "runs/run_directory.h"

namespace slipway {

struct ScriptRules {
    ScriptInterface script; // its `arguments` are not stored
    // Path on the host, absolute or relative to the folder of the command; empty: out.log of the run. If it is a
    // folder, the latest file with metrics in it is used.
    std::string log;
    bool attached = false; // the training was not started by Slipway, so its processes are not known
    std::optional<Tokens> tokensPerStep;
    std::int64_t seqLen = 0; // tokens; 0: not known
    int gpus = 1;
    std::int64_t limitSeconds = 0; // the command is ended after this time; 0: no limit
    std::string noPlan;            // why there is no prediction; empty: there is one
    bool operator==(const ScriptRules &) const = default;
};

std::filesystem::path scriptRulesFile(const RunPaths &paths);
bool hasScriptRules(const RunPaths &paths);
Result<ScriptRules> readScriptRules(const RunPaths &paths);
Result<void> writeScriptRules(const RunPaths &paths, const ScriptRules &rules);

// The metrics file in the folder or below it that was written to last: TensorBoard files have precedence over W&B
// files, tables and states of Hugging Face's Trainer. Empty: there is none.
std::filesystem::path newestMetricsIn(const std::filesystem::path &folder);
inline constexpr std::string_view kMetricsFilesText =
    "events.out.tfevents.*, *.wandb, metrics.csv or trainer_state.json";

// The local path of the log: out.log if the script has no other log; the log itself if the run is attached on this
// machine; otherwise script.log, which is a copy of the log or a link to it.
std::filesystem::path scriptLogFile(const RunPaths &paths, const ScriptRules &rules);
// The contents of logs that the script has rewritten, which the host kept one after another.
inline std::filesystem::path keptLogFile(const RunPaths &paths) { return paths.directory / "script.kept"; }

// The state of an attached run: running while its log grows, unknown after ten minutes without a new line.
RunStatus attachedStatus(const RunPaths &paths, std::chrono::system_clock::time_point now);
// The same for a log that has not changed for `quiet`.
RunStatus attachedStatusFrom(Seconds quiet);

} // namespace slipway
