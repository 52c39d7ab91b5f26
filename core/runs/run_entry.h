// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The summary of a run that lists of runs show, filter and sort by.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runs/labels.h"
#include "runs/progress.h"
#include "runs/registry.h"
#include "runs/run_reader.h"

namespace slipway {

struct RunEntry {
    std::string name;  // name of its entry in the registry, by which commands refer to the run
    std::string title; // RunData::name
    std::filesystem::path directory;
    std::string host = "local"; // where the run is executed
    RunStatus status;
    int attempts = 0;
    std::int64_t step = 0;
    std::optional<std::int64_t> totalSteps;
    std::optional<Tokens> tokens;     // empty if they are not known, as for a run of another tool
    std::optional<Seconds> remaining; // only while it runs
    std::optional<double> loss;       // loss of the last step
    std::optional<double> finalLoss;  // mean loss of the last 10 steps, which lists show and sort by
    std::optional<double> lowestLoss, tokensPerSecond, predictedTokensPerSecond;
    std::optional<Bytes> peakAllocated;
    std::optional<Usd> usd;
    std::string lastTime; // time of its last step
    std::string model, gpu;
    int gpus = 0;
    bool imported = false; // read from another tool's export
    std::int64_t problems = 0;
    Labels labels;
    bool operator==(const RunEntry &) const = default;

    [[nodiscard]] double fraction() const;
};

RunEntry entryOf(const std::string &name, const RunData &run);

// Selects runs of a list. Empty fields select all runs.
struct RunFilter {
    std::string
        text; // search words: each must occur in the run's name, tags, notes, model, GPU or state; case-insensitive
    std::vector<RunState> states;  // the run has one of them
    std::vector<std::string> tags; // the run has all of them
    [[nodiscard]] bool matches(const RunEntry &entry) const;
};

// Formats an entry as JSON, for `slipway runs --json` and as text for the index.
nlohmann::ordered_json toJson(const RunEntry &entry);
std::string toJsonText(const RunEntry &entry);
std::optional<RunEntry> runEntryFromJson(const std::string &text);

} // namespace slipway
