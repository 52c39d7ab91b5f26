// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a person should look at, decided from the run directory alone, so that every front end says the same.
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "runs/progress.h"
#include "runs/run_reader.h"

namespace slipway {

enum class AlertKind {
    LossNotFinite,
    Stalled,
    SlowerThanPredicted,
    SlowerThanBaseline,
    MemoryNearLimit,
    OverBudget,
    OverTime,
    IdleBilled,
    CheckpointFailing,
    Lost
};
template<>
struct EnumNames<AlertKind> {
    static constexpr std::array<std::string_view, 10> names{"loss-not-finite", "stalled", "slower-than-predicted",
        "slower-than-baseline", "memory-near-limit", "over-budget", "over-time", "idle-billed", "checkpoint-failing",
        "lost"};
};

struct Alert {
    AlertKind kind{};
    std::string message;
    std::int64_t step = 0;
    bool operator==(const Alert &) const = default;
};

// Thresholds, each of which can be set; `off` lists what is not to be told at all.
struct AlertRules {
    double stallFactor = 10.0;    // no step for so many median steps ...
    Seconds stallFloor = 60.0;    // ... and at least so long
    double slowFactor = 1.0;      // slower than predicted: step time over the predicted P90 times this
    double baselineFactor = 1.2;  // slower than it was: step time over the run's usual one, beyond its own spread ...
    Seconds baselineFor = 60.0;   // ... for so long
    double memoryFraction = 0.92; // of the device's capacity
    double budgetFraction = 1.0;  // of the dollar limit, expected at the end
    double timeFraction = 1.0;    // of the time limit, expected at the end
    double idleUse = 0.05;        // a GPU used less is idle ...
    Seconds idleAfter = 600.0;    // ... and worth a word after so long
    int settledSteps = 5;         // speed is judged after so many steps of an attempt
    std::vector<AlertKind> off;
    bool operator==(const AlertRules &) const = default;
};

std::vector<Alert> alertsOf(
    const RunData &run, std::chrono::system_clock::time_point now, const AlertRules &rules = {});
// The same where the summary is at hand.
std::vector<Alert> alertsOf(
    const RunData &run, const RunSummary &summary, std::chrono::system_clock::time_point now, const AlertRules &rules);

// One threshold: its key in the file, and what it may be.
struct AlertThreshold {
    const char *key;
    double AlertRules::*value;
    double least, most;
    const char *what;
};
std::span<const AlertThreshold> alertThresholds();

// userConfigPath("alerts.yaml"); empty without a home folder.
std::filesystem::path alertRulesFile();
// The rules of a file; a missing one means the defaults. Errors name file, line and what would be accepted.
Result<AlertRules> readAlertRules(const std::filesystem::path &file = alertRulesFile());
Result<void> writeAlertRules(const AlertRules &rules, const std::filesystem::path &file = alertRulesFile());

} // namespace slipway
