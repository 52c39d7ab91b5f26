// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The cost of a run, and the loss that this money buys.
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
    std::optional<double> low, high; // P10 and P90 by the standard errors of the law's constants
    bool withinFit = true;        // parameters and tokens are within the range of the runs that the law was fitted to
    std::optional<double> perUsd; // decrease of the loss per additional dollar at the end of the budget, in nats
    double optimalParameters = 0, optimalTokens = 0; // compute-optimal for the same 6 N D FLOPs
    bool operator==(const LossForecast &) const = default;
};

// What a target loss takes.
struct LossTarget {
    double loss = 0;
    std::optional<double> tokens; // empty: this model size does not reach the loss
    std::optional<double> hours;  // without failures and checkpoints, as CostPrediction::hours
    std::optional<Usd> usd;
    bool operator==(const LossTarget &) const = default;
};

struct CostPrediction {
    std::string priceBook;
    std::string priceDate;               // as the source states it; "~2025-11" is inferred
    std::string priceSource, priceNotes; // of the row used: "GPU part only", "marketplace floor"
    bool relative = false;               // the book has price ratios: a "dollar" is an hour of its cheapest GPU
    bool spot = false;
    std::vector<std::string> assumed; // where the priced instance does not have the plan's number of GPUs
    std::optional<Usd> usdPerHour;    // of all GPUs; empty: the book has no price for this GPU
    std::optional<double> tokensPerUsd, usdPerBillionTokens;
    Tokens tokens = 0;
    double hours = 0; // without failures
    std::optional<Usd> usd;
    std::optional<double> expectedLoss; // nats per token, from a scaling law
    std::optional<LossForecast> loss;   // with expectedLoss
    std::optional<LossTarget> target;
    double goodput = 1; // fraction of the time that is productive, 0 to 1 (goodput.h)
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
    const ScalingLaw *law = nullptr; // null: no expected loss
    const std::vector<BatchLaw> *batchLaws = nullptr;
    double tokensPerSecond = 0; // of all GPUs; 0: the configuration does not run, so hours and dollars are unknown
};

CostPrediction estimateCost(const CostQuery &query);

// Tokens of the whole run: steps x tokens per step, else the user's budget, else 20 tokens per active parameter
// (Hoffmann et al. 2022, approaches 1 and 2).
Tokens tokenBudget(const RunConfig &config, const ModelSpec &model);

// The price of one GPU hour, of the instance whose number of GPUs is nearest to what the run uses of a node. Empty: the
// book has no price for this GPU.
std::optional<Price> priceOf(const PriceBook &book, std::string_view gpu, int gpusOnNode);

// GPUs that are paid for: only whole instances are rented.
int rentedGpus(const Price &price, const Parallelism &mesh);
// False if all listed instances have fewer GPUs than the plan's node: their GPUs are not linked as in the plan.
bool isFullNode(const Price &price, const Parallelism &mesh);

} // namespace slipway
