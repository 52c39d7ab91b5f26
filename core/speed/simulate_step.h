// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "plan/step_plan.h"
#include "speed/device_rates.h"

namespace slipway {

struct StepTimes {
    Seconds step = 0;
    std::array<Seconds, EnumNames<CostClass>::names.size()> byClass{}; // of kernels, overlapped communication included
    std::array<Seconds, EnumNames<Phase>::names.size()> byPhase{};     // time of the compute stream, including waits
    Seconds communicationExposed = 0;    // time in which the compute stream communicates or waits for communication
    std::vector<Seconds> exposedByGroup; // communicationExposed by group of the plan
    Seconds recompute = 0;
    Seconds host = 0;         // host time of all launches
    bool cudaGraph = false;   // the whole step is one CUDA graph
    bool launchBound = false; // launches take longer than the kernels
    bool operator==(const StepTimes &) const = default;
};

// A simulated op, for drawings of the step.
struct SimulatedOp {
    const Slot &slot;
    const Op &op;
    int microBatch = 0;  // of the step
    int repetitions = 1; // number of equal repetitions, including this one
    Seconds start = 0, end = 0;
};
using SimulationObserver = std::function<void(const SimulatedOp &)>;

// Simulates a step's ops on their lanes. An op starts when the host has launched it, its lane is free, and its operands
// are ready. StepPlan::cudaGraph says whether the step is simulated as a CUDA graph (graph_choice.h). Equal repetitions
// of a segment take the time of the second one: `observer` sees the first two.
StepTimes simulateStep(const StepPlan &plan, const DeviceRates &rates, const SimulationObserver &observer = {});

} // namespace slipway
