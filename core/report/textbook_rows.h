// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The textbook formulas and the simulated peak by category, with a sentence on the reason for each difference.
#pragma once

#include <string>
#include <vector>

#include "predict/prediction.h"

namespace slipway {

struct TextbookRow {
    std::string part;
    Bytes formula = 0, simulated = 0;
    std::string why; // reason for the difference; empty if there is none
    [[nodiscard]] Bytes difference() const { return simulated - formula; }
    bool operator==(const TextbookRow &) const = default;
};

// Weights, gradients, optimizer states, activations, and what the formulas omit. Except for rounding, the formulas sum
// to the textbook peak, and the simulated bytes to the peak of the plan.
std::vector<TextbookRow> textbookRows(const Prediction &prediction);

} // namespace slipway
