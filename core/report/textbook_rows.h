// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The lecture's formulas beside the simulated peak, part by part, with the reason for each difference in words.
#pragma once

#include <string>
#include <vector>

#include "predict/prediction.h"

namespace slipway {

struct TextbookRow {
    std::string part;
    Bytes formula = 0, simulated = 0;
    std::string why; // they differ; empty where they do not
    [[nodiscard]] Bytes difference() const { return simulated - formula; }
    bool operator==(const TextbookRow &) const = default;
};

// Weights, gradients, optimizer, activations, and what the formulas leave out. Formulas sum to the textbook's peak and
// simulated bytes to the plan's, but for rounding.
std::vector<TextbookRow> textbookRows(const Prediction &prediction);

} // namespace slipway
