// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cost/cost.h"

#include <cmath>
#include <gtest/gtest.h>

namespace slipway {
namespace {

const PriceBook kBook{.id = "b",
    .title = "B",
    .asOf = "2026-01",
    .prices = {{.book = "b", .gpu = "x", .usdPerGpuHour = 3.0, .gpus = 1, .asOf = "2026-01", .source = "one"},
        {.book = "b", .gpu = "x", .usdPerGpuHour = 2.0, .gpus = 8, .asOf = "2026-02", .source = "eight"},
        {.book = "b", .gpu = "y", .usdPerGpuHour = 9.0, .asOf = "2026-01", .source = "any"}}};

ModelSpec model()
{
    return {.layers = 2,
        .hidden = 8,
        .attention = {.heads = 4, .kvHeads = 2, .headDim = 2},
        .mlp = {.width = 12},
        .vocab = 10}; // 1160 parameters
}

Gpu card(const char *id)
{
    Gpu gpu;
    gpu.id = id;
    return gpu;
}

TEST(TokenBudget, TakesStepsThenTheUsersTokensThenTwentyAParameter)
{
    RunConfig config;
    EXPECT_EQ(tokenBudget(config, model()), 20 * 1160);
    config.tokens = 5'000'000;
    EXPECT_EQ(tokenBudget(config, model()), 5'000'000);
    config.training.steps = 10;
    config.microBatch = 2;
    config.seqLen = 16;
    config.gradAccum = 3;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 4};
    EXPECT_EQ(tokenBudget(config, model()), 10 * 2 * 16 * 3 * 4);
}

TEST(TokenBudget, CountsOnlyActiveExperts)
{
    ModelSpec experts = model();
    experts.experts.count = 4;
    experts.experts.perToken = 1;
    EXPECT_EQ(tokenBudget({}, experts), 20 * activeParameterCount(experts));
}

TEST(TokenBudget, StaysInRangeForAbsurdStepCounts)
{
    RunConfig config;
    config.training.steps = 1'000'000'000'000;
    config.microBatch = 65536;
    config.seqLen = 1 << 20;
    EXPECT_GT(tokenBudget(config, model()), 0);
}

TEST(PriceOf, TakesTheInstanceThatIsNearestInSize)
{
    EXPECT_EQ(priceOf(kBook, "x", 1)->source, "one");
    EXPECT_EQ(priceOf(kBook, "x", 8)->source, "eight");
    EXPECT_EQ(priceOf(kBook, "x", 4)->source, "one");
    EXPECT_EQ(priceOf(kBook, "y", 4)->source, "any");
    EXPECT_FALSE(priceOf(kBook, "z", 1));
}

TEST(ExpectedLoss, IsTheSumOfItsThreeTerms)
{
    const ScalingLaw law{.id = "l", .e = 1.5, .a = 100, .b = 200, .alpha = 0.5, .beta = 0.25};
    EXPECT_DOUBLE_EQ(expectedLoss(law, 10'000, 160'000), 1.5 + 1.0 + 10.0);
}

TEST(ExpectedLoss, OfTheRefitIsWhatItsAuthorsConstantsGiveForChinchilla)
{
    // 70B parameters on 1.4T tokens: 1.8172 + 482.01 / 70e9^0.3478 + 2085.43 / 1.4e12^0.3658
    const ScalingLaw law{.e = 1.8172, .a = 482.01, .b = 2085.43, .alpha = 0.3478, .beta = 0.3658};
    EXPECT_NEAR(expectedLoss(law, 70e9, 1.4e12), 1.97388, 1e-5);
}

TEST(EstimateCost, MultipliesHoursAndPriceOfAllGpus)
{
    RunConfig config;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 16};
    config.tokens = 3'600'000'000;
    const ModelSpec shape = model();
    const Gpu gpu = card("x");
    const CostPrediction cost =
        estimateCost({.config = config, .model = shape, .gpu = gpu, .prices = kBook, .tokensPerSecond = 1e5});
    EXPECT_DOUBLE_EQ(cost.hours, 10.0);
    EXPECT_DOUBLE_EQ(*cost.usdPerHour, 32.0);
    EXPECT_DOUBLE_EQ(*cost.usd, 320.0);
    EXPECT_DOUBLE_EQ(*cost.tokensPerUsd, 3.6e8 / 32);
    EXPECT_NEAR(*cost.usdPerBillionTokens, 32 / 0.36, 1e-9);
    EXPECT_EQ(cost.priceDate, "2026-02");
    EXPECT_EQ(cost.priceSource, "eight");
    EXPECT_FALSE(cost.expectedLoss);
    EXPECT_FALSE(cost.relative);
}

TEST(EstimateCost, KeepsQuietWhereTheLawPromisesLessThanGuessing)
{
    RunConfig config;
    config.tokens = 100'000;
    ModelSpec tiny = model();
    tiny.vocab = 20;
    const ScalingLaw law{.id = "x", .e = 1.5, .a = 1e5, .b = 1e5, .alpha = 0.3, .beta = 0.3};
    EXPECT_GT(expectedLoss(law, double(activeParameterCount(tiny)), 1e5), std::log(20));
    const Gpu gpu = card("x");
    EXPECT_FALSE(estimateCost(
        {.config = config, .model = tiny, .gpu = gpu, .prices = kBook, .law = &law, .tokensPerSecond = 1e5})
            .expectedLoss);
}

TEST(EstimateCost, PromisesNoLossForAdapters)
{
    RunConfig config;
    config.tokens = 1'000'000'000;
    const ModelSpec small = model();
    const ScalingLaw law{.id = "x", .e = 1, .a = 1, .b = 1, .alpha = 0.3, .beta = 0.3};
    const Gpu gpu = card("x");
    const auto lossOf = [&] {
        return estimateCost(
            {.config = config, .model = small, .gpu = gpu, .prices = kBook, .law = &law, .tokensPerSecond = 1e5})
            .expectedLoss;
    };
    EXPECT_TRUE(lossOf());
    config.loraRank = 16;
    EXPECT_FALSE(lossOf()) << "the law is of models that are trained from scratch";
}

TEST(EstimateCost, SaysWhereTheInstanceThatIsPricedIsNotRentedInThatCount)
{
    const ModelSpec shape = model();
    const Gpu gpu = card("x");
    RunConfig config;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 12};
    PriceBook book = kBook;
    const auto assumed = [&](int gpus, int onInstance) {
        config.parallel.gpus = gpus;
        book.prices = {{.book = "b", .gpu = "x", .usdPerGpuHour = 2, .gpus = onInstance, .instance = "big.8"}};
        return estimateCost({.config = config, .model = shape, .gpu = gpu, .prices = book, .tokensPerSecond = 1})
            .assumed;
    };
    EXPECT_EQ(
        assumed(12, 8), std::vector<std::string>{
                            "the price is for 12 of 16 GPUs, but big.8 has 8 GPUs and is rented as a whole: $32.00/h"});
    EXPECT_EQ(assumed(16, 8), std::vector<std::string>());
    EXPECT_EQ(
        assumed(8, 1), std::vector<std::string>{
                           "big.8 has 1 of the 8 GPUs of a node; whether these are connected as planned is not known"});
    EXPECT_EQ(assumed(1, 1), std::vector<std::string>());
    EXPECT_EQ(assumed(3, 0), std::vector<std::string>()) << "nobody says how large the instance is";
}

TEST(EstimateCost, SaysThatItIsRelativeWhereTheBookHoldsRatios)
{
    PriceBook ratios = kBook;
    ratios.ratiosOnly = true;
    const ModelSpec shape = model();
    const Gpu gpu = card("x");
    const RunConfig config;
    EXPECT_TRUE(
        estimateCost({.config = config, .model = shape, .gpu = gpu, .prices = ratios, .tokensPerSecond = 1}).relative);
}

TEST(EstimateCost, LeavesDollarsOpenWithoutAPriceAndHoursAtZeroWithoutASpeed)
{
    const ModelSpec shape = model();
    const RunConfig config;
    const Gpu unpriced = card("cpu"), priced = card("x");
    const CostPrediction noPrice =
        estimateCost({.config = config, .model = shape, .gpu = unpriced, .prices = kBook, .tokensPerSecond = 100});
    EXPECT_GT(noPrice.hours, 0);
    EXPECT_FALSE(noPrice.usd);
    EXPECT_FALSE(noPrice.usdPerHour);
    EXPECT_FALSE(noPrice.tokensPerUsd);
    const CostPrediction noSpeed = estimateCost({.config = config, .model = shape, .gpu = priced, .prices = kBook});
    EXPECT_EQ(noSpeed.hours, 0);
    EXPECT_TRUE(noSpeed.usdPerHour);
    EXPECT_FALSE(noSpeed.usd);
    EXPECT_FALSE(noSpeed.tokensPerUsd);
}

TEST(EstimateCost, GetsCheaperPerTokenWithSpeedAndNeverWithPrice)
{
    const ModelSpec shape = model();
    const Gpu gpu = card("x");
    RunConfig config;
    config.tokens = 1'000'000;
    double before = 0;
    for (const double speed : {10.0, 100.0, 1000.0, 1e6}) {
        const auto cost =
            estimateCost({.config = config, .model = shape, .gpu = gpu, .prices = kBook, .tokensPerSecond = speed});
        EXPECT_GT(*cost.tokensPerUsd, before);
        before = *cost.tokensPerUsd;
        EXPECT_NEAR(*cost.tokensPerUsd * *cost.usd, 1e6, 1e-3);
    }
}

TEST(EstimateCost, PutsFailuresAndCheckpointsBesideTheHoursThatNothingDisturbs)
{
    RunConfig config;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 16};
    config.tokens = 3'600'000'000;
    config.faults = {.gpuHoursPerFailure = 160,
        .preemptionsPerDay = 2.4,
        .restart = 600,
        .checkpointInterval = 1800,
        .checkpoint = 0};
    const ModelSpec shape = model();
    const Gpu gpu = card("x");
    CostPrediction cost =
        estimateCost({.config = config, .model = shape, .gpu = gpu, .prices = kBook, .tokensPerSecond = 1e5});
    EXPECT_DOUBLE_EQ(cost.assumptions.failuresPerHour, 16.0 / 160 + 2 * 2.4 / 24)
        << "GPUs fail, and either node is taken away";
    EXPECT_DOUBLE_EQ(cost.hours, 10.0);
    EXPECT_DOUBLE_EQ(cost.hoursWithFaults, 10.0 / cost.goodput);
    EXPECT_DOUBLE_EQ(*cost.usdWithFaults, 320.0 / cost.goodput);
    EXPECT_LT(cost.goodput, 1);
    config.training.checkpointEvery = 10;
    cost = estimateCost({.config = config, .model = shape, .gpu = gpu, .prices = kBook, .tokensPerSecond = 1e5});
    EXPECT_DOUBLE_EQ(cost.assumptions.checkpointInterval, 10.0 * double(config.tokensPerStep()) / 1e5)
        << "what the run does counts";
}

TEST(EstimateCost, TakesACheckpointToLastAsLongAsItsBytesUnlessTold)
{
    RunConfig config;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 16}; // two nodes, each writes its half
    const ModelSpec shape = model();
    const Gpu gpu = card("x");
    const double bytes = 12.0 * static_cast<double>(parameterCount(shape));
    EXPECT_DOUBLE_EQ(
        estimateCost({.config = config, .model = shape, .gpu = gpu, .prices = kBook, .tokensPerSecond = 1e5})
            .assumptions.checkpoint,
        bytes / 2e9);
    config.faults.checkpoint = 30;
    EXPECT_EQ(estimateCost({.config = config, .model = shape, .gpu = gpu, .prices = kBook, .tokensPerSecond = 1e5})
                  .assumptions.checkpoint,
        30);
}

TEST(EstimateCost, TakesNodesAwayAtSpotPricesUnlessTold)
{
    PriceBook spot = kBook;
    spot.prices[0].spot = true;
    RunConfig config;
    const ModelSpec shape = model();
    const Gpu gpu = card("x");
    const CostQuery query{.config = config, .model = shape, .gpu = gpu, .prices = spot, .tokensPerSecond = 1};
    EXPECT_DOUBLE_EQ(estimateCost(query).assumptions.failuresPerHour, 1.0 / 50'000 + 1.0 / 24);
    config.faults.preemptionsPerDay = 0;
    EXPECT_DOUBLE_EQ(estimateCost(query).assumptions.failuresPerHour, 1.0 / 50'000);
}

TEST(EstimateCost, BuysTheTokensOfABudgetInDollars)
{
    RunConfig config;
    config.usdBudget = 300;
    const ModelSpec shape = model();
    const Gpu gpu = card("x");
    const CostPrediction cost =
        estimateCost({.config = config, .model = shape, .gpu = gpu, .prices = kBook, .tokensPerSecond = 1e5});
    EXPECT_NEAR(*cost.usdWithFaults, 300, 1e-4) << "failures are paid out of it";
}

TEST(EstimateCost, SaysWhatATargetLossTakesAndWhatADollarMoreBuys)
{
    RunConfig config;
    config.tokens = 160'000;
    config.targetLoss = 1.5 + 1.0 + 5.0;
    ModelSpec shape = model();
    shape.vocab = 100'000;
    shape.hidden = 8;
    const ScalingLaw law{.id = "l", .e = 1.5, .a = 0, .b = 200, .alpha = 0.5, .beta = 0.25, .seE = 0.1};
    const Gpu gpu = card("x");
    const CostPrediction cost = estimateCost(
        {.config = config, .model = shape, .gpu = gpu, .prices = kBook, .law = &law, .tokensPerSecond = 1000});
    // 200 / D^0.25 = 6 at D = (200 / 6)^4
    EXPECT_NEAR(*cost.target->tokens, std::pow(200.0 / 6, 4), 1);
    EXPECT_NEAR(*cost.target->usd, *cost.target->tokens / 1000 / 3600 * 3.0, 1e-9);
    config.tokens = 1'600'000;
    const CostPrediction more = estimateCost(
        {.config = config, .model = shape, .gpu = gpu, .prices = kBook, .law = &law, .tokensPerSecond = 1000});
    ASSERT_TRUE(more.loss);
    // -dL/dD = 0.25 x 200 / D^1.25, times 1.2 million tokens a dollar
    EXPECT_NEAR(*more.loss->perUsd, 50 / std::pow(1.6e6, 1.25) * 1.2e6, 1e-5);
    EXPECT_NEAR(*more.loss->high - *more.expectedLoss, 0.1281551565, 1e-9);
    config.targetLoss = 1.4;
    EXPECT_FALSE(estimateCost(
        {.config = config, .model = shape, .gpu = gpu, .prices = kBook, .law = &law, .tokensPerSecond = 1000})
            .target->tokens);
}

TEST(EstimateCost, TakesACheckpointOfAdaptersToHoldOnlyThemAndTheirMoments)
{
    RunConfig config;
    config.loraRank = 2;
    config.loraTargets = LoraTargets::QueryValue; // of queries 8 x 8, of values 8 x 4, in 2 layers
    const ModelSpec shape = model();
    const Gpu gpu = card("x");
    EXPECT_DOUBLE_EQ(
        estimateCost({.config = config, .model = shape, .gpu = gpu, .prices = kBook, .tokensPerSecond = 1e5})
            .assumptions.checkpoint,
        12.0 * 2 * 2 * (16 + 12) / 1e9);
}

TEST(EstimateCost, RecommendsABatchOfWholeTokensAndAtLeastOneSequence)
{
    RunConfig config;
    config.seqLen = 64;
    const ModelSpec shape = model();
    const Gpu gpu = card("x");
    const std::vector<BatchLaw> laws{
        {.id = "l", .of = BatchVariable::OfTokens, .coefficient = 0.58, .exponent = 0.571}};
    const auto advised = [&](Tokens tokens) {
        config.tokens = tokens;
        return estimateCost(
            {.config = config, .model = shape, .gpu = gpu, .prices = kBook, .batchLaws = &laws, .tokensPerSecond = 1e5})
            .batch.at(0)
            .tokens;
    };
    EXPECT_EQ(advised(100), 64);
    EXPECT_EQ(advised(10'000'000'000), std::round(0.58 * std::pow(1e10, 0.571)));
}

} // namespace
} // namespace slipway
