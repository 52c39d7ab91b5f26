// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How far a run is and when it ends; what it measured beside what was predicted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runs/run_reader.h"

namespace slipway {

struct Progress {
    std::int64_t step = 0;
    std::optional<std::int64_t> totalSteps;
    Tokens tokens = 0;
    double fraction = 0;                // 0 to 1; 0 where the total is not known
    std::optional<Seconds> remaining;   // steps left x the pace of the last steps
    std::optional<Seconds> stepSeconds; // that pace: their mean without the slowest and the fastest tenth, so that one
                                        // slow step does not move it
    bool operator==(const Progress &) const = default;
};
Progress progressOf(const RunData &run);

// When nothing was run between two attempts for so long that its node is taken to have been given back: milliseconds
// since 1970. What is shorter is a restart on a node that goes on to be paid for.
struct UnbilledPause {
    double from = 0, until = 0;
    bool operator==(const UnbilledPause &) const = default;
};
std::vector<UnbilledPause> unbilledPauses(const RunData &run);
// What is paid for, of everything that says what a run costs or when its budget is spent: from the first step's begin
// to the last one's end, restarts included, such pauses not.
Seconds billedSeconds(const RunData &run);

// One figure of the plan beside the same figure as measured.
struct Comparison {
    std::string name; // "tokens/s", "peak allocated"
    std::string unit; // "tokens/s", "bytes", "s", "nats", "USD", "fraction"
    std::optional<double> predicted, predictedP10, predictedP90;
    std::optional<double> measured;
    [[nodiscard]] std::optional<double> ratio() const; // measured / predicted
    bool operator==(const Comparison &) const = default;
};

struct RunSummary {
    std::int64_t steps = 0; // last finished step
    Tokens tokens = 0;
    int attempts = 0;
    std::string firstTime, lastTime;
    Seconds wallSeconds = 0;                     // from first to last metric, pauses between attempts included
    Seconds billedSeconds = 0;                   // of them, what is paid for
    Seconds trainedSeconds = 0;                  // sum of the steps' own times
    std::optional<double> steadyTokensPerSecond; // median without the first steps of each attempt
    std::optional<Seconds> steadyStepSeconds;
    std::optional<double> steadyMfu;
    std::optional<double> firstLoss, finalLoss, lowestLoss; // final: mean of the last 10 steps' finite losses
    std::optional<double> finalEvalLoss;
    std::map<std::string, double> finalEvalLosses; // of named evaluation sets
    std::optional<std::int64_t> firstNotFinite;    // step whose loss or gradient norm is not
    bool firstNotFiniteIsLoss = false;
    std::optional<Bytes> peakAllocated, peakReserved, peakDeviceUsed;
    std::optional<Usd> usdSoFar; // price of the plan x billed seconds
    std::vector<Comparison> comparisons;
};
RunSummary summaryOf(const RunData &run);

// A curve in `width` characters, low to high; a blank where a value is not finite. Each shows the last value of its
// share.
std::string sparkline(const std::vector<double> &values, std::size_t width);

} // namespace slipway
