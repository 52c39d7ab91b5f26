// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a run costs, and what loss that money buys.
#pragma once

#include <optional>
#include <string>

#include "base/units.h"
#include "config/run_config.h"
#include "hardware/catalogue.h"
#include "model/model_spec.h"

namespace slipway {

struct CostPrediction {
    std::string priceBook;
    std::string priceDate;                    // as the source gives it: "~2025-11" is inferred
    std::string priceSource, priceNotes;      // of the row that was taken: "GPU part only", "marketplace floor"
    bool relative = false;                    // the book holds ratios: "dollars" are hours of its cheapest card
    std::optional<Usd> usdPerHour;            // of all GPUs; empty: the book has no price for this card
    std::optional<double> tokensPerUsd, usdPerBillionTokens;
    Tokens tokens = 0;
    double hours = 0;
    std::optional<Usd> usd;
    std::optional<double> expectedLoss;       // nats a token, from a scaling law
    bool operator==(const CostPrediction &) const = default;
};

struct CostQuery {
    const RunConfig &config;
    const ModelSpec &model;
    const Gpu &gpu;
    const PriceBook &prices;
    const ScalingLaw *law = nullptr; // none: no expected loss
    double tokensPerSecond = 0;      // of all GPUs; 0: does not run, so hours and dollars are unknown
};

CostPrediction estimateCost(const CostQuery &query);

// Steps x tokens a step, else the user's budget, else 20 tokens an active parameter (Hoffmann et al. 2022, approaches 1 and 2).
Tokens tokenBudget(const RunConfig &config, const ModelSpec &model);

// One GPU's hour: the instance that is nearest in size to what the run takes of a node. Empty: no price.
std::optional<Price> priceOf(const PriceBook &book, std::string_view gpu, int gpusOnNode);

// L(N, D) of the law, nats a token.
double expectedLoss(const ScalingLaw &law, double parameters, double tokens);

} // namespace slipway
