// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The progress of a run and its expected end, and a comparison of measured and predicted values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runs/run_reader.h"

namespace slipway {

// Throughput, step time and MFU of a run are medians of its last so many steps, without the first 3 of each attempt. It
// is so few that a list of long runs can read them.
inline constexpr std::size_t kSpeedSteps = 500;

struct Progress {
    std::int64_t step = 0;
    std::optional<std::int64_t> totalSteps;
    Tokens tokens = 0;
    double fraction = 0;              // 0 to 1; 0 if the total is not known
    std::optional<Seconds> remaining; // remaining steps x stepSeconds; empty during the first 3 steps
    // Mean of the last 50 steps without the slowest and the fastest tenth, so that one slow step does not change it. As
    // in the throughput, the first 3 steps of each attempt are left out.
    std::optional<Seconds> stepSeconds;
    bool operator==(const Progress &) const = default;
};
Progress progressOf(const RunData &run);

// A pause between two attempts, in milliseconds since 1970, that is so long that the node is assumed to have been
// returned. A shorter pause is a restart on the same node, which is still billed.
struct UnbilledPause {
    double from = 0, until = 0;
    bool operator==(const UnbilledPause &) const = default;
};
std::vector<UnbilledPause> unbilledPauses(const RunData &run);
// The billed time, on which all costs and budgets are based: from the begin of the first step to the end of the last
// one, including restarts and excluding UnbilledPauses.
Seconds billedSeconds(const RunData &run);

// A predicted value with the measured one.
struct Comparison {
    std::string name; // "tokens/s", "peak allocated"
    std::string unit; // "tokens/s", "bytes", "s", "nats", "USD", "fraction"
    std::optional<double> predicted, predictedP10, predictedP90;
    std::optional<double> measured;
    [[nodiscard]] std::optional<double> ratio() const; // measured / predicted
    bool operator==(const Comparison &) const = default;
};

struct RunSummary {
    std::int64_t steps = 0; // the last finished step
    Tokens tokens = 0;
    int attempts = 0;
    std::string firstTime, lastTime;
    bool timed = false; // whether the steps have times; those of other tools may have none
    // From the first to the last metrics, including pauses between attempts.
    Seconds wallSeconds = 0;
    Seconds billedSeconds = 0;                   // the part of wallSeconds that is billed
    Seconds trainedSeconds = 0;                  // sum of the step times
    std::optional<double> steadyTokensPerSecond; // medians, see kSpeedSteps
    std::optional<Seconds> steadyStepSeconds;
    std::optional<double> steadyMfu;
    std::optional<double> firstLoss, finalLoss, lowestLoss; // final: mean of the last 10 steps
    std::optional<double> finalEvalLoss;
    std::map<std::string, double> finalEvalLosses; // per named evaluation set
    std::optional<std::int64_t> firstNotFinite;    // first step with a loss or gradient norm that is not finite
    bool firstNotFiniteIsLoss = false;
    std::optional<Bytes> peakAllocated, peakReserved, peakDeviceUsed;
    std::optional<Usd> usdSoFar; // price in the plan x billed time
    std::vector<Comparison> comparisons;

    // False if there are steps whose tokens or times are not known, as for a run of another tool.
    [[nodiscard]] bool tokensKnown() const { return attempts == 0 || tokens > 0; }
    [[nodiscard]] bool elapsedKnown() const { return attempts == 0 || timed; }
};
RunSummary summaryOf(const RunData &run);

// Draws a curve in `width` characters, from low to high; a value that is not finite is a space. Each character shows
// the last value of its range.
std::string sparkline(const std::vector<double> &values, std::size_t width);

} // namespace slipway
