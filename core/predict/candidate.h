// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Changes that may become suggestions. predict() and the searches compare gain, cost and memory by the same functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/assess.h"

namespace slipway {

struct Candidate {
    RunConfig config;
    std::string why;
};

// Smaller gains in speed or in cost per token are within the noise of predictions.
inline constexpr double kWorthwhileGain = 1.01;

// The largest meshes that are suggested.
inline constexpr int kMostRanks = 1024, kMostStages = 16;

// Dollars for 10^9 tokens at the assumed goodput. Empty if the GPU has no price.
std::optional<double> costOf(const Assessment &a);

// Fraction of the peak memory that `then` saves, at least 0.
double savedMemory(const Assessment &now, const Assessment &then);

// Other GPUs of the price book, at most `most`, by descending FLOP/s per dollar. Empty if the configuration runs on a
// CPU.
std::vector<const Gpu *> otherGpus(
    const ResolvedConfig &resolved, const PriceBook &book, const Catalogue &catalogue, std::size_t most);

// What the candidate changes in `asked`, and what its own plan predicts. The unit of `gain` is that of Suggestion.
Suggestion suggestionOf(
    const RunConfig &asked, const Candidate &candidate, const Assessment &then, Goal goal, double gain);

} // namespace slipway
