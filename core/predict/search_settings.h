// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The best settings for a model: every parallel strategy, mesh, micro-batch, attention kernel and recomputation that
// keeps the model, the tokens of a step and the GPUs; beside it the same on other GPUs of the price book. Each is a
// plan of its own, so that the whole search takes some 10 to 500 ms: predict() gives its own suggestions at once.
#pragma once

#include <functional>

#include "predict/predict.h"

namespace slipway {

struct SettingsSearch {
    // The fastest, the smallest change that fits where the plan does not, and the cheapest on other GPUs. Of a plan
    // that fits, only what is worth more than 1 %.
    std::vector<Suggestion> best;
    int plans = 0; // that were made
    bool cancelled = false;
};

// `cancelled` is asked before every plan; empty: never.
Result<SettingsSearch> searchSettings(
    const RunConfig &config, const Catalogue &catalogue, const std::function<bool()> &cancelled = {});

// What the search found first, then what predict() suggested, each change once, at most eight.
std::vector<Suggestion> mergedSuggestions(const SettingsSearch &search, const std::vector<Suggestion> &suggested);

} // namespace slipway
