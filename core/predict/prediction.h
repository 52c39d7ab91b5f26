// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The prediction of `slipway plan`: memory, speed and cost of one configuration, each figure with its range and its
// origin (docs/guide/json.md). Ranges are P10 to P90.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"
#include "config/apply_framework.h"
#include "config/run_config.h"
#include "cost/cost.h"
#include "hardware/gpu.h"
#include "memory/textbook.h"
#include "model/model_spec.h"
#include "plan/host_memory.h"
#include "plan/step_plan.h"

namespace slipway {

enum class Verdict { Fits, Tight, Oom };
enum class Origin { Calibrated, Published, Datasheet };
template<>
struct EnumNames<Verdict> {
    static constexpr std::array<std::string_view, 3> names{"fits", "tight", "oom"};
};
template<>
struct EnumNames<Origin> {
    static constexpr std::array<std::string_view, 3> names{"calibrated", "published", "datasheet"};
};

// An instant of a step.
struct Instant {
    int step = 1; // steady state: Adam's states exist
    Phase phase = Phase::Forward;
    std::string op; // "block/op" of the plan
    int layer = -1; // -1: outside the layers
    bool operator==(const Instant &) const = default;
};

// The peak of one pipeline stage, counted from 0. `peak` includes memory outside the allocator.
struct StageMemory {
    int stage = 0;
    Bytes allocated = 0, reserved = 0, peak = 0;
    bool operator==(const StageMemory &) const = default;
};

struct MemoryPrediction {
    Verdict verdict = Verdict::Fits;
    double oomProbability = 0; // that a run needs more than the capacity, by the errors of measured predictions
    Bytes capacity = 0;
    Bytes peak = 0, peakP10 = 0, peakP90 = 0; // memory in use on the device: reserved + outside the allocator
    Bytes peakAllocated = 0;
    Bytes peakReserved = 0;
    Bytes outsideAllocator = 0;
    Bytes headroom = 0;             // capacity - peak; negative where it does not fit
    int retries = 0;                // per step: the caching allocator releases free segments to continue
    std::int64_t maxMicroBatch = 0; // the largest that fits; 0: none fits
    std::vector<StageMemory>
        stages;    // the first two and the last, of predict() all; the other figures are those of the worst
    int stage = 0; // which that is
    Instant peakAt;
    std::array<Bytes, 8> atPeak{}; // by Role; sums to peakAllocated less rounding
    HostMemory host{};             // that offloading takes on a node
    TextbookMemory textbook;       // the same by textbook formulas
    bool operator==(const MemoryPrediction &) const = default;
};

struct SpeedPrediction {
    Seconds step = 0, stepP10 = 0, stepP90 = 0;
    double tokensPerSecond = 0, tokensPerSecondPerGpu = 0;
    double mfu = 0, mfuCausal = 0, hfu = 0; // fractions of the dense peak
    bool launchBound = false;
    bool cudaGraph = false;           // the launches of a single rank's step are one
    std::array<Seconds, 6> seconds{}; // by CostClass, recomputation and hidden communication included
    Seconds communicationExposed = 0;
    std::vector<std::pair<std::string, Seconds>> exposedByAxis; // communicationExposed by axis of the mesh
    Seconds recompute = 0;
    std::array<Seconds, 4> phases{}; // by Phase: when compute is busy with it
    std::vector<Seconds> bubbles;    // of each pipeline stage of our own trainer: while it waits for others
    bool operator==(const SpeedPrediction &) const = default;
};

enum class Goal { Fit, Speed, Cost };
template<>
struct EnumNames<Goal> {
    static constexpr std::array<std::string_view, 3> names{"fit", "speed", "cost"};
};

// A change that helps, and what it gains. Each is verified by a plan of its own.
struct Suggestion {
    std::vector<std::pair<std::string, std::string>> change; // setting's key -> new value
    std::string why;
    Bytes peak = 0;
    double tokensPerSecond = 0;
    std::optional<double> usdPerBillionTokens;
    Goal goal = Goal::Fit;
    double gain = 0; // fraction by which it is faster or cheaper per token; of Fit: fraction of the peak that is saved
    bool operator==(const Suggestion &) const = default;
};

struct Prediction {
    RunConfig config;
    ModelSpec model;
    Gpu gpu;
    MemoryPrediction memory;
    SpeedPrediction speed;
    CostPrediction cost;
    Origin memoryOrigin = Origin::Datasheet;
    Origin speedOrigin = Origin::Datasheet;
    std::vector<std::string> notes;
    std::vector<AppliedField> assumed; // what the framework's profile sets
    std::vector<Suggestion> suggestions;
    std::optional<Suggestion> leastFound; // if nothing was found that fits: the changes with the least memory
};

} // namespace slipway
