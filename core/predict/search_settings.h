// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Searches the best settings for a model: every parallel strategy, mesh, micro-batch, attention kernel and
// recomputation with the same model, tokens per step and GPUs, and the same on other GPUs of the price book. Each
// candidate is planned, so the search takes 10 to 500 ms. predict() returns its own suggestions at once.
#pragma once

#include <functional>

#include "predict/predict.h"

namespace slipway {

struct SettingsSearch {
    // The fastest settings, the smallest change that fits if the plan does not, and the cheapest on other GPUs. If the
    // plan fits, only gains above 1 %.
    std::vector<Suggestion> best;
    int plans = 0; // number of planned candidates
    bool cancelled = false;
};

// `cancelled` is asked before every plan; empty: never.
Result<SettingsSearch> searchSettings(
    const RunConfig &config, const Catalogue &catalogue, const std::function<bool()> &cancelled = {});

// The search's suggestions, then those of predict(), without duplicates, at most eight.
std::vector<Suggestion> mergedSuggestions(const SettingsSearch &search, const std::vector<Suggestion> &suggested);

} // namespace slipway
