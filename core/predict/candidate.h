// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A change that may become a suggestion, and how all of them are compared: predict()'s own suggestions and the searches
// count gain, cost and memory alike.
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

// Faster, or cheaper a token, by less than this factor is within the noise of any prediction.
inline constexpr double kWorthwhileGain = 1.01;

// Dollars for 10^9 tokens with the time that failures and checkpoints take; empty where the GPU has no price.
std::optional<double> costOf(const Assessment &a);

// Part of the peak memory that `then` does without, at least 0.
double savedMemory(const Assessment &now, const Assessment &then);

// GPUs of the price book beside the subject's own, at most `most`: the most FLOP/s per dollar first. None beside a CPU.
std::vector<const Gpu *> otherCards(
    const Subject &subject, const PriceBook &book, const Catalogue &catalogue, std::size_t most);

// What the candidate changes in `asked`, and what its own plan predicts. The unit of `gain` is that of Suggestion.
Suggestion suggestionOf(
    const RunConfig &asked, const Candidate &candidate, const Assessment &then, Goal goal, double gain);

} // namespace slipway
