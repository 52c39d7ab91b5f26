// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cost/cost.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "config/trained_parameters.h"

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
        const bool better = !best || rank(price) < rank(*best) ||
                            (rank(price) == rank(*best) && price.usdPerGpuHour < best->usdPerGpuHour);
        if (better)
            best = &price;
    }
    return best ? std::optional(*best) : std::nullopt;
}

int rentedGpus(const Price &price, const Parallelism &mesh)
{
    return price.gpus <= 0 ? mesh.gpus : static_cast<int>(roundUp(mesh.gpus, price.gpus));
}

bool isFullNode(const Price &price, const Parallelism &mesh)
{
    return price.gpus <= 0 || price.gpus >= std::min(mesh.gpus, mesh.gpusPerNode);
}

namespace {

// Hours and dollars are those of the GPUs that compute, whatever must be rented for them.
std::vector<std::string> rentalAssumptions(const Price &price, const Parallelism &mesh)
{
    std::vector<std::string> assumed;
    const std::string name = price.instance.empty() ? "the priced instance" : price.instance;
    if (const int rented = rentedGpus(price, mesh); rented > mesh.gpus)
        assumed.push_back(
            fmt::format("the price is for {} of {} GPUs, but {} has {} GPUs and is rented as a whole: {}/h", mesh.gpus,
                rented, name, price.gpus, formatUsd(price.usdPerGpuHour * rented)));
    if (!isFullNode(price, mesh))
        assumed.push_back(
            fmt::format("{} has {} of the {} GPUs of a node; whether these are connected as planned is not known", name,
                price.gpus, std::min(mesh.gpus, mesh.gpusPerNode)));
    return assumed;
}

// Far below the sizes of its fit a law promises less than guessing evenly does: then it says nothing.
bool saysSomething(double loss, const ModelSpec &model) { return loss < std::log(std::max(2, model.vocab)); }

void takePrice(CostPrediction &cost, const CostQuery &query)
{
    const Parallelism &mesh = query.config.parallel;
    cost.priceBook = query.prices.id;
    cost.priceDate = query.prices.asOf;
    cost.relative = query.prices.ratiosOnly;
    const auto price = priceOf(query.prices, query.gpu.id, std::min(mesh.gpus, mesh.gpusPerNode));
    if (!price)
        return;
    cost.priceDate = price->asOf;
    cost.priceSource = price->source;
    cost.priceNotes = price->notes;
    cost.spot = price->spot;
    if (!query.prices.ratiosOnly)
        cost.assumed = rentalAssumptions(*price, mesh);
    cost.usdPerHour = price->usdPerGpuHour * mesh.gpus;
    if (query.tokensPerSecond > 0 && *cost.usdPerHour > 0) {
        cost.tokensPerUsd = query.tokensPerSecond * 3600 / *cost.usdPerHour;
        cost.usdPerBillionTokens = 1e9 / *cost.tokensPerUsd;
    }
}

// Trained weights and both moments in fp32, at what a node's share of a network file system takes: assumed.
Seconds checkpointTime(const CostQuery &query)
{
    constexpr double kBytesPerParameter = 12, kNodeBytesPerSecond = 1e9;
    return query.config.faults.checkpoint.value_or(
        kBytesPerParameter * static_cast<double>(trainedParameterCount(query.config, query.model)) /
        (kNodeBytesPerSecond * query.config.parallel.nodes()));
}

GoodputAssumptions assumptionsOf(const CostQuery &query, bool spot)
{
    constexpr double kSpotPreemptionsPerDay = 1;
    const FaultChoice &faults = query.config.faults;
    const Parallelism &mesh = query.config.parallel;
    const double preemptions = faults.preemptionsPerDay.value_or(spot ? kSpotPreemptionsPerDay : 0);
    GoodputAssumptions a{.failuresPerHour = mesh.gpus / faults.gpuHoursPerFailure + preemptions * mesh.nodes() / 24,
        .restart = faults.restart,
        .checkpointInterval = faults.checkpointInterval,
        .checkpoint = checkpointTime(query)};
    const double tokensPerCheckpoint =
        static_cast<double>(query.config.training.checkpointEvery) * static_cast<double>(query.config.tokensPerStep());
    if (tokensPerCheckpoint > 0 && query.tokensPerSecond > 0)
        a.checkpointInterval = tokensPerCheckpoint / query.tokensPerSecond;
    return a;
}

// Scaling laws are of models whose weights are all trained from scratch.
void takeLoss(CostPrediction &cost, const CostQuery &query)
{
    if (!query.law || cost.tokens <= 0 || query.config.trainsAdapters())
        return;
    constexpr double kP90 = 1.2815515655446004; // of a normal distribution, in standard errors
    const ScalingLaw &law = *query.law;
    const double n = parametersFor(law, query.model), d = static_cast<double>(cost.tokens);
    const double loss = slipway::expectedLoss(law, n, d);
    if (saysSomething(loss, query.model)) {
        cost.expectedLoss = loss;
        LossForecast outlook{.law = law.id, .lawTitle = law.title, .withinFit = withinFit(law, n, d)};
        if (const auto error = lossStandardError(law, n, d)) {
            outlook.low = loss - kP90 * *error;
            outlook.high = loss + kP90 * *error;
        }
        if (cost.tokensPerUsd) {
            constexpr double step = 1e-4;
            outlook.perUsd =
                (slipway::expectedLoss(law, n, d * (1 - step)) - slipway::expectedLoss(law, n, d * (1 + step))) /
                (2 * step * d) * *cost.tokensPerUsd;
        }
        const ComputeOptimum best = computeOptimum(law, 6 * n * d);
        outlook.optimalParameters = best.parameters;
        outlook.optimalTokens = best.tokens;
        cost.loss = std::move(outlook);
    }
    if (query.config.targetLoss) {
        LossTarget target{.loss = *query.config.targetLoss};
        target.tokens = tokensForLoss(law, n, target.loss);
        if (target.tokens && query.tokensPerSecond > 0)
            target.hours = *target.tokens / query.tokensPerSecond / 3600;
        if (target.hours && cost.usdPerHour)
            target.usd = *target.hours * *cost.usdPerHour;
        cost.target = target;
    }
}

} // namespace

CostPrediction estimateCost(const CostQuery &query)
{
    CostPrediction cost;
    takePrice(cost, query);
    cost.assumptions = assumptionsOf(query, cost.spot);
    cost.goodput = goodput(cost.assumptions);
    cost.tokens = tokenBudget(query.config, query.model);
    if (query.config.usdBudget && cost.tokensPerUsd)
        cost.tokens = std::max<Tokens>(1, clamped(*query.config.usdBudget * *cost.tokensPerUsd * cost.goodput));
    if (query.tokensPerSecond > 0) {
        cost.hours = static_cast<double>(cost.tokens) / query.tokensPerSecond / 3600;
        cost.hoursWithFaults = cost.hours / cost.goodput;
        if (cost.usdPerHour) {
            cost.usd = *cost.usdPerHour * cost.hours;
            cost.usdWithFaults = *cost.usdPerHour * cost.hoursWithFaults;
        }
    }
    takeLoss(cost, query);
    cost.tokensPerStep = query.config.tokensPerStep();
    if (query.batchLaws && !query.config.trainsAdapters()) {
        const double tokens = static_cast<double>(cost.tokens);
        cost.batch =
            batchAdvice(*query.batchLaws, {.tokens = tokens,
                                              .flops = modelFlopsPerToken(query.model, query.config.seqLen) * tokens,
                                              .loss = cost.expectedLoss});
        for (BatchAdvice &advice : cost.batch) // a step has whole tokens, and at least one sequence
            advice.tokens = std::max(static_cast<double>(query.config.seqLen), std::round(advice.tokens));
    }
    return cost;
}

} // namespace slipway
