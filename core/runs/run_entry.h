// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One line about a run: what a list of runs shows, filters and sorts by.
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
    std::string name;  // of its entry in the registry: what commands call it
    std::string title; // RunData::name
    std::filesystem::path directory;
    std::string host = "local"; // where it runs
    RunStanding standing;
    int attempts = 0;
    std::int64_t step = 0;
    std::optional<std::int64_t> totalSteps;
    Tokens tokens = 0;
    std::optional<Seconds> remaining; // while it runs
    std::optional<double> loss;       // of the last step
    std::optional<double> finalLoss;  // the mean of the last 10, which stands for the run where it is shown
    std::optional<double> lowestLoss, tokensPerSecond, predictedTokensPerSecond;
    std::optional<Bytes> peakAllocated;
    std::optional<Usd> usd;
    std::string lastTime; // of its last step
    std::string model, gpu;
    int gpus = 0;
    bool imported = false; // read from another tool's export
    std::int64_t problems = 0;
    Labels labels;
    bool operator==(const RunEntry &) const = default;

    [[nodiscard]] double fraction() const;
};

RunEntry entryOf(const std::string &name, const RunData &run);

// What to list. Empty: everything.
struct RunFilter {
    std::string
        text; // search words: each must occur in the run's name, tags, notes, model, GPU or state; case-insensitive
    std::vector<RunState> states;  // one of them
    std::vector<std::string> tags; // all of them
    [[nodiscard]] bool matches(const RunEntry &entry) const;
};

// JSON of one entry, for `slipway runs --json`, and its text for the index.
nlohmann::ordered_json toJson(const RunEntry &entry);
std::string toJsonText(const RunEntry &entry);
std::optional<RunEntry> runEntryFromJson(const std::string &text);

} // namespace slipway
