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
    std::array<Seconds, EnumNames<CostClass>::names.size()> byClass{}; // of kernels, hidden communication included
    std::array<Seconds, EnumNames<Phase>::names.size()> byPhase{};     // while the compute stream works or waits
    Seconds communicationExposed = 0;    // the compute stream communicates itself or waits for a stream that does
    std::vector<Seconds> exposedByGroup; // of it, by the plan's groups
    Seconds recompute = 0;
    Seconds host = 0;         // all launches
    bool cudaGraph = false;   // the step is launched as one
    bool launchBound = false; // the host's launches take longer than the kernels
    bool operator==(const StepTimes &) const = default;
};

// An op as it was played, for whoever draws the step.
struct SimulatedOp {
    const Slot &slot;
    const Op &op;
    int microBatch = 0; // of the step
    int standsFor = 1;  // alike repetitions, this one included
    Seconds start = 0, end = 0;
};
using SimulationObserver = std::function<void(const SimulatedOp &)>;

// Plays a step's ops on their streams: an op starts when the host has launched it, its stream is free, and what it
// reads and writes is ready. A single rank's step whose launches take longer than its kernels is played as the CUDA
// graph that its framework records. A segment's alike repetitions take what its second one takes: `observer` sees the
// first two.
StepTimes simulateStep(const StepPlan &plan, const DeviceRates &rates, const SimulationObserver &observer = {});

} // namespace slipway
