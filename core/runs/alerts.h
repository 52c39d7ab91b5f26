// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a person should look at, decided from the run directory alone, so that every front end says the same.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "runs/run_reader.h"

namespace slipway {

enum class AlertKind { LossNotFinite, Stalled, SlowerThanPredicted, MemoryNearLimit, OverBudget, OverTime, Lost };
template<> struct EnumNames<AlertKind> {
    static constexpr std::array<std::string_view, 7> names{"loss-not-finite", "stalled", "slower-than-predicted", "memory-near-limit",
        "over-budget", "over-time", "lost"};
};

struct Alert {
    AlertKind kind{};
    std::string message;
    std::int64_t step = 0;
    bool operator==(const Alert &) const = default;
};

struct AlertRules {
    double stallFactor = 10.0;       // no step for so many median steps ...
    Seconds stallFloor = 60.0;       // ... and at least so long
    double memoryFraction = 0.92;    // of the device's capacity
    int settledSteps = 5;            // speed is judged after so many steps of an attempt
};

std::vector<Alert> alertsOf(const RunData &run, std::chrono::system_clock::time_point now, const AlertRules &rules = {});

} // namespace slipway
