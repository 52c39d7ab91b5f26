// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a run costs, and what loss that money buys.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "config/run_config.h"
#include "cost/goodput.h"
#include "cost/scaling.h"
#include "hardware/catalogue.h"
#include "model/model_spec.h"

namespace slipway {

// What a scaling law says about the budget.
struct LossForecast {
    std::string law, lawTitle;
    std::optional<double> low, high; // P10, P90 of the law's own standard errors
    bool withinFit = true;           // size and tokens lie within the runs that the law was fitted to
    std::optional<double> perUsd;    // nats by which one more dollar lowers the loss, at the end of the budget
    double optimalParameters = 0, optimalTokens = 0; // for the same 6 N D FLOPs
    bool operator==(const LossForecast &) const = default;
};

// What it takes to reach a loss that the user names.
struct LossTarget {
    double loss = 0;
    std::optional<double> tokens; // empty: no number of tokens brings this size there
    std::optional<double> hours;  // without failures and checkpoints, as CostPrediction::hours
    std::optional<Usd> usd;
    bool operator==(const LossTarget &) const = default;
};

struct CostPrediction {
    std::string priceBook;
    std::string priceDate;               // as the source gives it: "~2025-11" is inferred
    std::string priceSource, priceNotes; // of the row that was taken: "GPU part only", "marketplace floor"
    bool relative = false;               // the book holds ratios: "dollars" are hours of its cheapest card
    bool spot = false;
    std::vector<std::string> assumed; // where the instance that is priced is not rented in the plan's count
    std::optional<Usd> usdPerHour;    // of all GPUs; empty: the book has no price for this card
    std::optional<double> tokensPerUsd, usdPerBillionTokens;
    Tokens tokens = 0;
    double hours = 0; // nothing fails
    std::optional<Usd> usd;
    std::optional<double> expectedLoss; // nats a token, from a scaling law
    std::optional<LossForecast> loss;   // with expectedLoss
    std::optional<LossTarget> target;
    double goodput = 1; // part of the time that ends up in the weights
    GoodputAssumptions assumptions;
    double hoursWithFaults = 0; // hours / goodput
    std::optional<Usd> usdWithFaults;
    Tokens tokensPerStep = 0;
    std::vector<BatchAdvice> batch; // what each batch law says about tokensPerStep
    bool operator==(const CostPrediction &) const = default;
};

struct CostQuery {
    const RunConfig &config;
    const ModelSpec &model;
    const Gpu &gpu;
    const PriceBook &prices;
    const ScalingLaw *law = nullptr; // none: no expected loss
    const std::vector<BatchLaw> *batchLaws = nullptr;
    double tokensPerSecond = 0; // of all GPUs; 0: does not run, so hours and dollars are unknown
};

CostPrediction estimateCost(const CostQuery &query);

// Steps x tokens a step, else the user's budget, else 20 tokens an active parameter (Hoffmann et al. 2022, approaches 1
// and 2).
Tokens tokenBudget(const RunConfig &config, const ModelSpec &model);

// One GPU's hour: the instance that is nearest in size to what the run takes of a node. Empty: no price.
std::optional<Price> priceOf(const PriceBook &book, std::string_view gpu, int gpusOnNode);

// Cards that are paid for: an instance is rented whole.
int rentedGpus(const Price &price, const Parallelism &mesh);
// False where only smaller instances than the plan's node are listed: their cards are not joined as the plan's are.
bool isFullNode(const Price &price, const Parallelism &mesh);

} // namespace slipway
