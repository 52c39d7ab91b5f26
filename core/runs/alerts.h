// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The alerts of a run. They follow only from the run directory, so every front end shows the same ones.
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

// The thresholds of alerts. `off` lists alerts that are never raised.
struct AlertRules {
    double stallFactor = 10.0;    // stalled: no step for stallFactor x median step time ...
    Seconds stallFloor = 60.0;    // ... and for at least stallFloor
    double slowFactor = 1.0;      // slower than predicted: step time above slowFactor x predicted P90
    double baselineFactor = 1.2;  // slowed down: step time above baselineFactor x its usual value and its spread ...
    Seconds baselineFor = 60.0;   // ... for at least baselineFor
    double memoryFraction = 0.92; // memory in use, as a fraction of the device's capacity
    double budgetFraction = 1.0;  // expected cost of the run, as a fraction of the dollar limit
    double timeFraction = 1.0;    // expected time of the run, as a fraction of the time limit
    double idleUse = 0.05;        // idle: a GPU's utilization below idleUse ...
    Seconds idleAfter = 600.0;    // ... for at least idleAfter
    int settledSteps = 5;         // alerts about speed need settledSteps steps of the attempt
    std::vector<AlertKind> off;
    bool operator==(const AlertRules &) const = default;
};

std::vector<Alert> alertsOf(
    const RunData &run, std::chrono::system_clock::time_point now, const AlertRules &rules = {});
// The same with a summary that the caller already has.
std::vector<Alert> alertsOf(
    const RunData &run, const RunSummary &summary, std::chrono::system_clock::time_point now, const AlertRules &rules);

// One threshold: its key in the file, and its limits.
struct AlertThreshold {
    const char *key;
    double AlertRules::*value;
    double least, most;
    const char *what;
};
std::span<const AlertThreshold> alertThresholds();

// userConfigPath("alerts.yaml"); empty without a home folder.
std::filesystem::path alertRulesFile();
// The thresholds in a file; the defaults if there is none. Errors name file, line and the accepted values.
Result<AlertRules> readAlertRules(const std::filesystem::path &file = alertRulesFile());
Result<void> writeAlertRules(const AlertRules &rules, const std::filesystem::path &file = alertRulesFile());

} // namespace slipway
