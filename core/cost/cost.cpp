// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cost/cost.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

constexpr double kTokensPerParameter = 20;
constexpr Tokens kLargestBudget = 1'000'000'000'000'000'000;

Tokens clamped(double tokens)
{
    return tokens < static_cast<double>(kLargestBudget) ? static_cast<Tokens>(std::llround(tokens)) : kLargestBudget;
}

} // namespace

Tokens tokenBudget(const RunConfig &config, const ModelSpec &model)
{
    if (config.training.steps)
        return clamped(static_cast<double>(*config.training.steps) * static_cast<double>(config.tokensPerStep()));
    if (config.tokens)
        return *config.tokens;
    return clamped(kTokensPerParameter * static_cast<double>(activeParameterCount(model)));
}

std::optional<Price> priceOf(const PriceBook &book, std::string_view gpu, int gpusOnNode)
{
    // A larger instance than is needed is the last resort, a smaller one the second.
    const auto rank = [gpusOnNode](const Price &price) {
        const int surplus = price.gpus - gpusOnNode;
        return price.gpus == 0 || surplus == 0 ? 0 : surplus < 0 ? -surplus : 1'000'000 + surplus;
    };
    const Price *best = nullptr;
    for (const Price &price : book.prices) {
        if (price.gpu != gpu)
            continue;
        const bool better = !best || rank(price) < rank(*best) || (rank(price) == rank(*best) && price.usdPerGpuHour < best->usdPerGpuHour);
        if (better)
            best = &price;
    }
    return best ? std::optional(*best) : std::nullopt;
}

double expectedLoss(const ScalingLaw &law, double parameters, double tokens)
{
    return law.e + law.a / std::pow(parameters, law.alpha) + law.b / std::pow(tokens, law.beta);
}

CostPrediction estimateCost(const CostQuery &query)
{
    const Parallelism &mesh = query.config.parallel;
    CostPrediction cost;
    cost.priceBook = query.prices.id;
    cost.priceDate = query.prices.asOf;
    cost.relative = query.prices.ratiosOnly;
    cost.tokens = tokenBudget(query.config, query.model);
    if (query.law && cost.tokens > 0) {
        const double loss = expectedLoss(*query.law, static_cast<double>(activeParameterCount(query.model)), static_cast<double>(cost.tokens));
        // Far below the sizes of its fit a law promises less than guessing evenly does: then it says nothing.
        if (loss < std::log(std::max(2, query.model.vocab)))
            cost.expectedLoss = loss;
    }
    const bool runs = query.tokensPerSecond > 0;
    if (runs)
        cost.hours = static_cast<double>(cost.tokens) / query.tokensPerSecond / 3600;
    const auto price = priceOf(query.prices, query.gpu.id, std::min(mesh.gpus, mesh.gpusPerNode));
    if (!price)
        return cost;
    cost.priceDate = price->asOf;
    cost.priceSource = price->source;
    cost.priceNotes = price->notes;
    cost.usdPerHour = price->usdPerGpuHour * mesh.gpus;
    if (runs && *cost.usdPerHour > 0) {
        cost.tokensPerUsd = query.tokensPerSecond * 3600 / *cost.usdPerHour;
        cost.usdPerBillionTokens = 1e9 / *cost.tokensPerUsd;
    }
    if (runs)
        cost.usd = *cost.usdPerHour * cost.hours;
    return cost;
}

} // namespace slipway
